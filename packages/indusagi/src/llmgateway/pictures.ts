// Pictures for models that take none, on whatever wire: a line stands where a picture was, for the model, and the person
// hears it once.

import type {
  ImageBlock,
  Message,
  ModelCallOptions,
  ModelProvider,
  ModelRequest,
  ModelResult,
} from "./contract.ts";
import { hasPicture } from "./has-picture.ts";
import { type LessonBook, teacherOf } from "./lessons.ts";
import { refusedWith } from "./wire-call.ts";

export interface PictureFacts {
  readonly baseUrl: string;
  readonly model: string;
  /** What is known; undefined where nothing is, which is then learnt from a refusal. */
  readonly sees: boolean | undefined;
  readonly book: LessonBook;
}

const LESSON = "pictures";

// In the providers' own words. Some name the field, some the ability.
const TAKES_NONE =
  /(images?|image_url|image input|inline_?data|vision|multi-?modal)\b.{0,80}(not (be )?(supported|allowed|available|enabled)|unsupported|only (supports? )?text|cannot)|(not|n't) (support|accept|take).{0,60}(images?|vision|multi-?modal)|(unknown variant|invalid (type|value)|expected).{0,40}(image_url|input_image)|(image_url|input_image).{0,60}expected|no endpoints found that support image/i;

// One that cannot be read, or is too large: what stands in a conversation would be refused with every further request.
const THIS_ONE =
  /(images?|picture)\b.{0,160}(could not|cannot|can't|failed|unable|exceed|too (large|big|small|many)|invalid|corrupt|dimensions|unreadable|match|not valid|limit)|(could not|cannot|failed to|unable to|invalid).{0,60}\bimages?\b/i;

/** `provider`, asked without pictures where the model takes none. */
export function withPictures(
  provider: ModelProvider,
  { baseUrl, model, sees, book }: PictureFacts,
): ModelProvider {
  const unseen = new WeakSet<Message>();
  let isTold = false;
  const stream = async (request: ModelRequest, options: ModelCallOptions): Promise<ModelResult> => {
    const takesNone = (): boolean =>
      sees === undefined ? book.recall(teacherOf(baseUrl, model)).includes(LESSON) : !sees;
    const tell = (why: string): void => {
      if (!isTold) options.onRemark?.(`${model} ${why}: a line that says so stands where each picture was.`);
      isTold = true;
    };
    const ask = (): Promise<ModelResult> => {
      const isOff = takesNone();
      if (isOff) tell("takes no pictures");
      const messages = request.messages.map((message) =>
        hasPicture(message) && (isOff || unseen.has(message)) ? withoutPictures(message) : message,
      );
      return provider.stream({ ...request, messages }, options);
    };
    const result = await ask();
    if (!takesNone() && sees === undefined && refusedWith(result, TAKES_NONE)) {
      book.note(teacherOf(baseUrl, model), LESSON);
      return ask();
    }
    const shown = request.messages.filter((message) => hasPicture(message) && !unseen.has(message));
    if (
      takesNone() ||
      shown.length === 0 ||
      !(refusedWith(result, THIS_ONE) || refusedWith(result, TAKES_NONE))
    )
      return result;
    for (const message of shown) unseen.add(message);
    isTold = false;
    tell(`refuses the pictures so far (${result.ok ? "" : result.fault.message})`);
    return ask();
  };
  return { id: provider.id, stream };
}

// The same object each time, so that a writer keeps what it made of it.
const replaced = new WeakMap<Message, Message>();

function withoutPictures(message: Message): Message {
  const known = replaced.get(message);
  if (known) return known;
  const made = replace(message);
  replaced.set(message, made);
  return made;
}

function replace(message: Message): Message {
  if (message.role === "tool") {
    const { images = [], ...outcome } = message;
    return { ...outcome, text: [outcome.text, ...images.map(lineFor)].join("\n") };
  }
  if (message.role !== "user") return message;
  return {
    ...message,
    content: message.content.map((block) =>
      block.kind === "image" ? { kind: "text", text: lineFor(block) } : block,
    ),
  };
}

function lineFor({ mediaType }: ImageBlock): string {
  return `[A picture (${mediaType}) is left out here: this model cannot be shown it. Say so where it matters.]`;
}
