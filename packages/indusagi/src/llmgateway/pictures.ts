// Pictures and documents for models that take none, on any wire: each is
// replaced by a line for the model, and the person is told once.

import type { Message, ModelCallOptions, ModelProvider, ModelRequest, ModelResult } from "./contract.ts";
import { kindOf, lineFor, type Shown, shows } from "./has-picture.ts";
import { type LessonBook, teacherOf } from "./lessons.ts";
import { refusedWith } from "./wire-call.ts";

export interface PictureFacts {
  readonly baseUrl: string;
  readonly model: string;
  /** What is known about pictures; undefined if nothing is, in which case a refusal teaches it. */
  readonly sees: boolean | undefined;
  readonly book: LessonBook;
}

// In the providers' own words. Some name the field, some the capability.
const TAKES_NONE: Readonly<Record<Shown, RegExp>> = {
  picture:
    /(images?|image_url|image input|inline_?data|vision|multi-?modal)\b.{0,80}(not (be )?(supported|allowed|available|enabled)|unsupported|only (supports? )?text|cannot)|(not|n't) (support|accept|take).{0,60}(images?|vision|multi-?modal)|(unknown variant|invalid (type|value)|expected).{0,40}(image_url|input_image)|(image_url|input_image).{0,60}expected|no endpoints found that support image/i,
  document:
    /(documents?|pdfs?|input_file|file input|application\/pdf)\b.{0,80}(not (be )?(supported|allowed|available|enabled|permitted)|unsupported)|(not|n't) (support|accept|take).{0,60}(documents?|pdfs?|input_file|file input)\b|(unknown variant|invalid (type|value)|expected|unsupported).{0,60}(\bdocument|input_file|application\/pdf)|(document|input_file)\b.{0,60}expected/i,
};
const KINDS = ["document", "picture"] as const;
const lessonOf = (kind: Shown): string => `${kind}s`;

// An unreadable or oversized picture: as part of the conversation it would be refused with every further request.
const THIS_ONE =
  /(images?|picture|documents?|pdf)\b.{0,160}(could not|cannot|can't|failed|unable|exceed|too (large|big|small|many|long)|invalid|corrupt|dimensions|unreadable|match|not valid|limit|encrypted|password)|(could not|cannot|failed to|unable to|invalid).{0,60}\b(images?|documents?|pdf)\b|maximum of.{0,40}\b(pages|images|documents)\b/i;

/** `provider`, sent no pictures or documents if the model takes none. */
export function withPictures(
  provider: ModelProvider,
  { baseUrl, model, sees, book }: PictureFacts,
): ModelProvider {
  const unseen = new WeakSet<Message>();
  /** Answered with what they show, so a later refusal is about newer ones. */
  const accepted = new WeakSet<Message>();
  const told = new Set<Shown>();
  const teacher = teacherOf(baseUrl, model);
  const hasLearnt = (kind: Shown): boolean => book.recall(teacher).includes(lessonOf(kind));
  /** A model that sees no pictures reads no pages either. */
  const takesNone = (kind: Shown): boolean =>
    (sees === undefined ? hasLearnt("picture") : !sees) || (kind === "document" && hasLearnt(kind));
  const ask = (request: ModelRequest, options: ModelCallOptions): Promise<ModelResult> => {
    const off = KINDS.filter(takesNone);
    for (const kind of off) {
      if (told.has(kind) || !request.messages.some((message) => shows(message, kind))) continue;
      told.add(kind);
      options.onRemark?.(`${model} does not accept ${kind}s: each is replaced with a line that says so.`);
    }
    const messages = request.messages.map((message) => {
      const left = unseen.has(message) ? KINDS : off.filter((kind) => shows(message, kind));
      return left.length === 0 ? message : without(message, left);
    });
    return provider.stream({ ...request, messages }, options);
  };
  const stream = async (request: ModelRequest, options: ModelCallOptions): Promise<ModelResult> => {
    for (;;) {
      const result = await ask(request, options);
      const shown = request.messages.filter(
        (message) => !unseen.has(message) && KINDS.some((kind) => shows(message, kind) && !takesNone(kind)),
      );
      const refused = KINDS.find(
        (kind) => shown.some((message) => shows(message, kind)) && refusedWith(result, TAKES_NONE[kind]),
      );
      // If the model is known to take pictures, the refusal is about these particular ones.
      if (refused !== undefined && (refused === "document" || sees === undefined)) {
        if (takesNone(refused)) return result;
        book.note(teacher, lessonOf(refused));
        if (!takesNone(refused)) return result;
        continue;
      }
      if (result.ok) for (const message of shown) accepted.add(message);
      if (shown.length === 0 || (refused === undefined && !refusedWith(result, THIS_ONE))) return result;
      const added = shown.filter((message) => !accepted.has(message));
      const left = added.length > 0 ? added : shown;
      const isNew = left.length < shown.length;
      for (const message of left) unseen.add(message);
      const why = result.ok ? "" : result.fault.message;
      const names = KINDS.filter((kind) => left.some((message) => shows(message, kind)))
        .map(lessonOf)
        .reverse();
      options.onRemark?.(
        `${model} refuses the ${isNew ? "new " : ""}${names.join(" and ")}${isNew ? "" : " so far"} (${why}): each is replaced with a line that says so.`,
      );
    }
  };
  return { ...provider, stream };
}

// Returns the same object each time, so that writers can reuse its serialised form.
const replaced = new Map<string, WeakMap<Message, Message>>();

function without(message: Message, kinds: readonly Shown[]): Message {
  const known = replaced.get(kinds.join()) ?? new WeakMap<Message, Message>();
  replaced.set(kinds.join(), known);
  const made = known.get(message) ?? replace(message, kinds);
  known.set(message, made);
  return made;
}

function replace(message: Message, kinds: readonly Shown[]): Message {
  if (message.role === "tool") {
    const { images = [], ...outcome } = message;
    const left = images.filter((image) => kinds.includes(kindOf(image)));
    const kept = images.filter((image) => !left.includes(image));
    const text = [outcome.text, ...left.map((image) => lineFor(image))].join("\n");
    return { ...outcome, text, ...(kept.length > 0 ? { images: kept } : {}) };
  }
  if (message.role !== "user") return message;
  return {
    ...message,
    content: message.content.map((block) =>
      block.kind === "image" && kinds.includes(kindOf(block))
        ? { kind: "text", text: lineFor(block) }
        : block,
    ),
  };
}
