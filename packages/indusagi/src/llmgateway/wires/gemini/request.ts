// Writes a conversation as a Gemini request. Each message is serialised once; a body is made of those texts.

import type {
  AssistantMessage,
  ImageBlock,
  Message,
  ModelRequest,
  ThinkingLevel,
  ToolDescriptor,
  ToolMessage,
  UserMessage,
} from "../../contract.ts";
import type { Lesson } from "../../lessons.ts";
import { asObject } from "../../loose-json.ts";
import { effortsOf, plainName } from "../../models.ts";
import { bytesOnce, lastText, onceEach, type Pieces, wireJson } from "../../wire-json.ts";
import { fittingEffort } from "../efforts.ts";

export type GeminiLesson = "thinking" | "temperature";

/** What a server's refusals on this wire teach about a model. */
export const GEMINI_LESSONS: readonly Lesson<GeminiLesson>[] = [
  {
    name: "thinking",
    when: /thinking(_?(config|level|budget))?\b.{0,60}(not|un)\s?(supported|enabled|valid|known|available)|unable to (set|use).{0,20}thinking|\bthinking_?(config|level|budget)\b/i,
    loses: "a thinking level",
  },
  { name: "temperature", when: /\btemperature\b/, loses: "a temperature" },
];

const NOTHING: ReadonlySet<GeminiLesson> = new Set();

/** Writes the requests of one provider; `provider` is the one whose proofs of thought are sent back. */
export function createGeminiWriter(
  provider: string,
): (request: ModelRequest, learnt?: ReadonlySet<GeminiLesson>) => Pieces {
  const partsFor = (wantsProofs: boolean) =>
    bytesOnce((message: Message) => partsOf(message, { provider, wantsProofs }).map(wireJson).join(","));
  const [strict, lenient] = [partsFor(true), partsFor(false)];
  const pictures = onceEach(picturesBehind);
  const tool = onceEach(writeTool);
  const system = lastText();

  return (request, learnt = NOTHING) => {
    const isNew = PROOF_MODELS.test(request.model);
    const written = isNew ? strict : lenient;
    const pieces: (string | Buffer)[] = ["{"];
    if (request.system !== "")
      pieces.push(`"systemInstruction":{"parts":[{"text":${system(request.system)}}]},`);
    if (request.tools.length > 0)
      pieces.push('"tools":[{"functionDeclarations":[', request.tools.map(tool).join(","), "]}],");
    const config = generationConfig(request, learnt);
    if (Object.keys(config).length > 0) pieces.push(`"generationConfig":${wireJson(config)},`);
    pieces.push('"contents":[');
    let role: "user" | "model" | undefined;
    let waiting = ""; // pictures of outcomes: all outcomes of a turn are sent together
    for (const message of request.messages) {
      if (waiting !== "" && message.role !== "tool") {
        pieces.push(waiting);
        waiting = "";
      }
      if (!isNew && message.role === "tool" && message.images) waiting += pictures(message);
      const parts = written(message);
      if (parts.length === 0) continue;
      const next = message.role === "assistant" ? "model" : "user";
      if (next === role) pieces.push(",", parts);
      else pieces.push(role === undefined ? "" : "]},", `{"role":"${next}","parts":[`, parts);
      role = next;
    }
    pieces.push(waiting);
    if (role !== undefined) pieces.push("]}");
    pieces.push("]}");
    return pieces;
  };
}

// From Gemini 3 on, a call is refused without the proof of the thought that led to it.
const PROOF_MODELS = /gemini-([3-9]|\d{2})/;

/** What the API accepts instead of a proof, for calls that another model made. */
const NO_PROOF = "skip_thought_signature_validator";

function generationConfig(
  { model, params }: ModelRequest,
  learnt: ReadonlySet<GeminiLesson>,
): Record<string, unknown> {
  const { maxOutputTokens, thinking } = params;
  const temperature = learnt.has("temperature") ? undefined : params.temperature;
  const thinkingConfig = learnt.has("thinking") ? undefined : thinkingConfigOf(model, thinking);
  return {
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(thinkingConfig === undefined ? {} : { thinkingConfig }),
  };
}

const BUDGETS: Readonly<Record<ThinkingLevel, number>> = {
  off: 0,
  low: 2_048,
  medium: 8_192,
  high: 16_384,
  xhigh: 20_480,
  max: 24_576,
};
/** For models about which nothing is known. */
const LEVELS = ["low", "medium", "high"];

/** Gemini 2.5 takes a number of tokens; later models take a level and always think. */
function thinkingConfigOf(
  model: string,
  level: ThinkingLevel | undefined,
): Record<string, unknown> | undefined {
  if (PROOF_MODELS.test(model)) {
    if (level === undefined) return { includeThoughts: true };
    const thinkingLevel = fittingEffort(effortsOf("google", plainName(model)) ?? LEVELS, level);
    return level === "off" ? { thinkingLevel } : { includeThoughts: true, thinkingLevel };
  }
  if (!/gemini-2\.5/.test(model)) return undefined;
  if (level === undefined) return { includeThoughts: true };
  if (level === "off") return { thinkingBudget: /pro/.test(model) ? 128 : 0 };
  return { includeThoughts: true, thinkingBudget: BUDGETS[level] };
}

interface ProofsBack {
  readonly provider: string;
  readonly wantsProofs: boolean;
}

function partsOf(message: Message, how: ProofsBack): readonly unknown[] {
  switch (message.role) {
    case "user":
      return userParts(message);
    case "tool":
      return [outcomePart(message, how.wantsProofs)];
    case "assistant":
      return modelParts(message, how);
  }
}

function userParts({ content }: UserMessage): readonly unknown[] {
  return content.map((block) => (block.kind === "text" ? { text: block.text } : picturePart(block)));
}

function picturePart({ mediaType, data }: ImageBlock): unknown {
  return { inlineData: { mimeType: mediaType, data } };
}

// Outcomes are matched to calls by order and name. From Gemini 3 on they hold pictures themselves.
function outcomePart({ name, text, isError, images = [] }: ToolMessage, holdsPictures: boolean): unknown {
  const response = isError ? { error: text } : { output: text };
  const parts = holdsPictures && images.length > 0 ? { parts: images.map(picturePart) } : {};
  return { functionResponse: { name, response, ...parts } };
}

/** What follows the outcomes of a turn if they cannot hold pictures. */
function picturesBehind(message: Message): string {
  const { images = [] } = message as ToolMessage;
  return images.map((image) => `,${wireJson(picturePart(image))}`).join("");
}

function modelParts(
  { content }: AssistantMessage,
  { provider, wantsProofs }: ProofsBack,
): readonly unknown[] {
  const parts: unknown[] = [];
  let proof: string | undefined; // of the block that follows
  let hasCall = false;
  for (const block of content) {
    if (block.kind === "thinking") {
      if (block.provider === provider && block.text === "" && block.signature) proof = block.signature;
      continue; // a thought's words need not be sent back
    }
    if (block.kind === "text") {
      if (block.text !== "") parts.push({ text: block.text, ...signed(proof) });
    } else {
      const needed = wantsProofs && !hasCall ? (proof ?? NO_PROOF) : proof;
      hasCall = true;
      const args = asObject(block.input) ?? {};
      parts.push({ functionCall: { name: block.name, args }, ...signed(needed) });
    }
    proof = undefined;
  }
  if (proof !== undefined) parts.push({ text: "", ...signed(proof) });
  return parts;
}

function signed(proof: string | undefined): { readonly thoughtSignature?: string } {
  return proof === undefined ? {} : { thoughtSignature: proof };
}

function writeTool({ name, description, parameters }: ToolDescriptor): string {
  return wireJson({ name, description, parametersJsonSchema: parameters });
}
