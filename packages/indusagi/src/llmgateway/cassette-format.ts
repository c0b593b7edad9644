// A cassette: the model turns of a session as JSON Lines, short enough to write by hand.
//
//   {"cassette":1,"about":"fixes a failing test"}
//   {"turn":1,"reply":{"message":{"role":"assistant","content":[{"kind":"text","text":"Let me look."}, …]}}}
//   {"turn":2,"match":"1 failed","deltas":[{"kind":"text","text":"It fails","waitMs":400}],"reply":{…}}
//
// `stop`, `usage` and `deltas` are optional: they follow from the message. `match` is a text that the last tool outcome or the
// person's last words must contain, so that a recording that no longer fits is reported.

import { isErrorOf } from "../core/copies.ts";
import { describeError } from "../core/faults.ts";
import type { AssistantMessage, ModelDelta, ModelReply, StopReason, Usage } from "./contract.ts";
import { asArray, asCount, asObject, asText, depthOf, type Loose, MAX_EVENT_DEPTH } from "./loose-json.ts";

/** A delta as recorded, with the wait before it. */
export type TapedDelta = Exclude<ModelDelta, { kind: "retry" | "connected" }> & { readonly waitMs?: number };

export interface TapedTurn {
  readonly turn: number;
  readonly match?: string | undefined;
  readonly deltas: readonly TapedDelta[];
  readonly reply: ModelReply;
}

/** A cassette that cannot be read or written. The message names the line and what was expected there. */
export class CassetteError extends Error {
  override readonly name = "CassetteError";

  static override [Symbol.hasInstance](error: unknown): boolean {
    // biome-ignore lint/complexity/noThisInStatic: `this` is the class that was asked about, which may extend this one
    return isErrorOf(this, CassetteError, "CassetteError", error);
  }
}

/** Larger recordings are refused, since they are read whole. */
const MAX_CASSETTE_CHARS: number = 64 * 1024 * 1024;

/** The first line of a cassette. */
export function cassetteHeader(about: string): string {
  return `${JSON.stringify({ cassette: 1, about })}\n`;
}

/** The turns of a cassette. Throws a {@link CassetteError}. Blank lines are allowed. */
export function parseCassette(text: string): readonly TapedTurn[] {
  if (text.length > MAX_CASSETTE_CHARS)
    throw new CassetteError(`A cassette of ${text.length} characters is too large.`);
  const lines = text.split("\n").map((line, index) => ({ line, number: index + 1 }));
  const [header, ...rest] = lines.filter(({ line }) => line.trim() !== "");
  if (!header || parseLine(header.line, header.number).cassette !== 1) {
    throw new CassetteError('A cassette starts with a line like {"cassette":1,"about":"…"}.');
  }
  return rest.map(({ line, number }, index) =>
    readTurn(parseLine(line, number), { number, turn: index + 1 }),
  );
}

function parseLine(line: string, number: number): Loose {
  if (depthOf(line) > MAX_EVENT_DEPTH)
    throw new CassetteError(
      `Line ${number} of the cassette is nested deeper than ${MAX_EVENT_DEPTH} levels.`,
    );
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    throw new CassetteError(`Line ${number} of the cassette is not JSON: ${describeError(error)}`);
  }
  const object = asObject(value);
  if (!object) throw new CassetteError(`Line ${number} of the cassette is not a JSON object.`);
  return object;
}

function readTurn(line: Loose, at: { readonly number: number; readonly turn: number }): TapedTurn {
  const wrong = (expected: string): never => {
    throw new CassetteError(`Line ${at.number} of the cassette: expected ${expected}.`);
  };
  if (line.turn !== at.turn) wrong(`"turn": ${at.turn}, got ${JSON.stringify(line.turn)}`);
  if (line.match !== undefined && typeof line.match !== "string") wrong('"match" to be a string');
  const reply = asObject(line.reply) ?? wrong('"reply" to be an object');
  const message = readMessage(reply, wrong);
  const deltas =
    line.deltas === undefined
      ? deltasOf(message)
      : asArray(line.deltas).map((each) => readDelta(each, wrong));
  const match = asText(line.match);
  return {
    turn: at.turn,
    match,
    deltas,
    reply: { message, stop: readStop(reply.stop, message, wrong), usage: readUsage(reply.usage) },
  };
}

type Wrong = (expected: string) => never;

function readMessage(reply: Loose, wrong: Wrong): AssistantMessage {
  const message = asObject(reply.message) ?? wrong('"reply.message" to be an object');
  if (message.role !== "assistant") wrong('"reply.message.role" to be "assistant"');
  if (!Array.isArray(message.content)) wrong('"reply.message.content" to be an array');
  for (const each of asArray(message.content)) {
    const block = asObject(each) ?? wrong("each block of the message to be an object");
    const fields =
      BLOCK_FIELDS.get(asText(block.kind) ?? "") ??
      wrong(`a block of kind ${[...BLOCK_FIELDS.keys()].join(", ")}`);
    for (const field of fields)
      if (typeof block[field] !== "string") wrong(`"${field}" of a ${String(block.kind)} block`);
    if (block.kind === "tool_call" && block.input === undefined) wrong('"input" of a tool_call block');
  }
  return message as unknown as AssistantMessage; // every field that the contract requires was just checked
}

const BLOCK_FIELDS: ReadonlyMap<string, readonly string[]> = new Map([
  ["text", ["text"]],
  ["thinking", ["text", "provider"]],
  ["tool_call", ["id", "name"]],
]);

const DELTA_FIELDS: ReadonlyMap<string, readonly string[]> = new Map([
  ["text", ["text"]],
  ["thinking", ["text"]],
  ["tool_call", ["id", "name"]],
]);

function readDelta(value: unknown, wrong: Wrong): TapedDelta {
  const delta = asObject(value) ?? wrong("each delta to be an object");
  const fields =
    DELTA_FIELDS.get(asText(delta.kind) ?? "") ??
    wrong(`a delta of kind ${[...DELTA_FIELDS.keys()].join(", ")}`);
  for (const field of fields)
    if (typeof delta[field] !== "string") wrong(`"${field}" of a ${String(delta.kind)} delta`);
  return delta as unknown as TapedDelta;
}

const STOPS: readonly string[] = [
  "complete",
  "tool_calls",
  "max_output",
  "refusal",
] satisfies readonly StopReason[];

function readStop(stated: unknown, message: AssistantMessage, wrong: Wrong): StopReason {
  if (stated === undefined)
    return message.content.some(({ kind }) => kind === "tool_call") ? "tool_calls" : "complete";
  return STOPS.includes(String(stated))
    ? (stated as StopReason)
    : wrong(`"reply.stop" to be one of ${STOPS.join(", ")}`);
}

function readUsage(stated: unknown): Usage {
  const usage = asObject(stated) ?? {};
  return {
    inputTokens: asCount(usage.inputTokens),
    outputTokens: asCount(usage.outputTokens),
    cacheReadTokens: asCount(usage.cacheReadTokens),
    cacheWriteTokens: asCount(usage.cacheWriteTokens),
    thinkingTokens: asCount(usage.thinkingTokens) > 0 ? asCount(usage.thinkingTokens) : undefined,
    hourWriteTokens: asCount(usage.hourWriteTokens) > 0 ? asCount(usage.hourWriteTokens) : undefined,
  };
}

/** The deltas in which a message would have arrived, one for each block. */
function deltasOf(message: AssistantMessage): readonly TapedDelta[] {
  return message.content.flatMap((block): TapedDelta[] => {
    if (block.kind === "tool_call") return [{ kind: "tool_call", id: block.id, name: block.name }];
    return block.text === "" ? [] : [{ kind: block.kind, text: block.text }];
  });
}
