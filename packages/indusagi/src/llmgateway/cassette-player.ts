// Plays a cassette in place of a model: the same requests get the same answers, without a network or a key.

import { readFileSync } from "node:fs";
import { Aborted, delay } from "../core/abort.ts";
import { describeError } from "../core/faults.ts";
import { CassetteError, parseCassette, type TapedDelta, type TapedTurn } from "./cassette-format.ts";
import type { Message, ModelCallOptions, ModelProvider, ModelRequest, ModelResult } from "./contract.ts";
import { ABORTED } from "./model-faults.ts";

export interface CassettePlayerOptions {
  /** The recording: a file, or its text. */
  readonly source: { readonly path: string } | { readonly text: string };
  /** Play at a speed that a person can read, for a demonstration; default false: as fast as possible. */
  readonly pace?: boolean;
}

const WORD_MS = 24;
const MAX_WAIT_MS = 5_000;
const MAX_QUOTE_CHARS = 200;

/**
 * A provider named `cassette` that answers its n-th call with turn n, whatever is asked. Throws a
 * {@link CassetteError} when the recording cannot be read. A request that does not contain the turn's `match` is a
 * `protocol` fault and does not use the turn up; past the end every call is an `exhausted` fault.
 */
export function createCassettePlayer({ source, pace = false }: CassettePlayerOptions): ModelProvider {
  const turns = parseCassette("path" in source ? readTape(source.path) : source.text);
  let next = 0;

  const stream = async (
    request: ModelRequest,
    { signal, onDelta }: ModelCallOptions,
  ): Promise<ModelResult> => {
    if (signal.aborted) return { ok: false, fault: ABORTED };
    const turn = turns[next];
    if (!turn) {
      const message = `The recording ends after turn ${turns.length}, but turn ${next + 1} was asked for.`;
      return { ok: false, fault: { kind: "exhausted", message } };
    }
    const divergence = findDivergence(turn, request.messages);
    if (divergence) return { ok: false, fault: { kind: "protocol", message: divergence } };
    next++;
    if (!pace) for (const { waitMs: _, ...delta } of turn.deltas) onDelta(delta);
    else if (!(await playSlowly(turn.deltas, { signal, onDelta }))) return { ok: false, fault: ABORTED };
    return { ok: true, reply: turn.reply };
  };
  return { id: "cassette", stream };
}

function readTape(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new CassetteError(`Cannot read the cassette ${path}: ${describeError(error)}`);
  }
}

function findDivergence({ turn, match }: TapedTurn, messages: readonly Message[]): string | undefined {
  if (match === undefined) return undefined;
  const heard = lastHeard(messages);
  if (heard.includes(match)) return undefined;
  const found = heard === "" ? "nothing" : JSON.stringify(heard.slice(0, MAX_QUOTE_CHARS).toWellFormed());
  const expected = JSON.stringify(match.slice(0, MAX_QUOTE_CHARS).toWellFormed());
  return `The recording and reality have diverged: turn ${turn} expects the last outcome to contain ${expected}, but it is ${found}.`;
}

/** What the model has not answered yet: the outcomes and words after its last message. */
function lastHeard(messages: readonly Message[]): string {
  const since = messages.findLastIndex(({ role }) => role === "assistant");
  return messages
    .slice(since + 1)
    .map((message) => {
      if (message.role === "tool") return message.text;
      return message.content.map((block) => (block.kind === "text" ? block.text : "")).join("\n");
    })
    .join("\n");
}

/** False when the signal fired. */
async function playSlowly(
  deltas: readonly TapedDelta[],
  { signal, onDelta }: ModelCallOptions,
): Promise<boolean> {
  try {
    for (const { waitMs = 0, ...delta } of deltas) {
      await delay(Math.min(waitMs, MAX_WAIT_MS), signal);
      if (delta.kind === "tool_call") onDelta(delta);
      else {
        for (const text of delta.text.match(/\s*\S+\s*/g) ?? [delta.text]) {
          await delay(WORD_MS, signal);
          onDelta({ kind: delta.kind, text });
        }
      }
    }
    return true;
  } catch (error) {
    if (error instanceof Aborted) return false;
    throw error;
  }
}
