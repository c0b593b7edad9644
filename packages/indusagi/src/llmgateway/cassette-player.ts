// Plays a cassette instead of calling a model: the same requests get the same answers, without a network or a key.

import { readFileSync } from "node:fs";
import { Aborted, delay } from "../core/abort.ts";
import { describeError } from "../core/faults.ts";
import { CassetteError, parseCassette, type TapedDelta, type TapedTurn } from "./cassette-format.ts";
import type { Message, ModelCallOptions, ModelProvider, ModelRequest, ModelResult } from "./contract.ts";
import { holdsExchanges, parseExchanges } from "./exchange-format.ts";
import type { HttpEnd, Transport } from "./http-stream.ts";
import { ABORTED } from "./model-faults.ts";
import { WIRES, type WireName } from "./wires/table.ts";

export interface CassettePlayerOptions {
  /** The recording: a file, or its text. */
  readonly source: { readonly path: string } | { readonly text: string };
  /** Play at a readable speed, for demonstrations; default false: as fast as possible. */
  readonly pace?: boolean;
}

const WORD_MS = 24;
const MAX_WAIT_MS = 5_000;
const MAX_QUOTE_CHARS = 200;

/**
 * A provider named `cassette` that answers its n-th call with turn n, whatever is asked. Throws a {@link CassetteError} if the
 * recording cannot be read. A request that does not contain the turn's `match` is a `protocol` fault and does not use the turn up;
 * past the end every call is an `exhausted` fault.
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
      const message = `The recording ends after turn ${turns.length}, but turn ${next + 1} was requested.`;
      return { ok: false, fault: { kind: "exhausted", message } };
    }
    const divergence = findDivergence(turn, request.messages);
    if (divergence) return { ok: false, fault: { kind: "protocol", message: divergence } };
    next++;
    onDelta({ kind: "connected" });
    if (!pace) for (const { waitMs: _, ...delta } of turn.deltas) onDelta(delta);
    else if (!(await playSlowly(turn.deltas, { signal, onDelta }))) return { ok: false, fault: ABORTED };
    return { ok: true, reply: turn.reply };
  };
  return { id: "cassette", stream };
}

/** Plays a recording of exchanges. */
export interface ExchangePlayer {
  readonly provider: ModelProvider;
  /** `provider/model`, as recorded. */
  readonly model: string;
}

/** A player for the recording at `path` if it contains exchanges; undefined for a cassette. Throws a {@link CassetteError}. */
export function createExchangePlayer(path: string): ExchangePlayer | undefined {
  const text = readTape(path);
  if (!holdsExchanges(text)) return undefined;
  const exchanges = parseExchanges(text);
  const [first] = exchanges;
  if (!first) throw new CassetteError(`The recording ${path} contains no exchanges.`);
  let next = 0;
  const transport: Transport = async ({ url, signal, onChunk }) => {
    if (signal.aborted) return { kind: "failed", reason: "aborted" };
    const taped = exchanges[next];
    if (!taped)
      return refusal(
        `The recording ends after exchange ${exchanges.length}, but exchange ${next + 1} was requested.`,
      );
    const [asked, recorded] = [wireOfPath(url.pathname), wireOfPath(taped.path)];
    if (asked !== recorded)
      return refusal(
        `The recording no longer matches: exchange ${next + 1} was recorded on ${recorded}, but ${asked} was requested.`,
      );
    next++;
    if (taped.status !== 200 || !/^text\//.test(taped.type))
      return {
        kind: "answered",
        status: taped.status,
        headers: { "content-type": taped.type, "retry-after-ms": "0" },
        body: taped.answer,
      };
    const bytes = Buffer.from(taped.answer, "utf8");
    for (let at = 0; at < bytes.length; at += PIECE_BYTES)
      if (!onChunk(bytes.subarray(at, at + PIECE_BYTES))) return { kind: "stopped" };
    return taped.isCut ? { kind: "failed", reason: "cut" } : { kind: "ended" };
  };
  const id = first.model.slice(0, first.model.indexOf("/"));
  const wire = wireOfPath(first.path);
  const isVertex = first.path.includes(":streamRawPredict");
  const baseUrl = `http://recording.invalid/v1${isVertex ? "/publishers/anthropic" : ""}`;
  const endpoint = { id, baseUrl, transport };
  // A server with both wires may have been asked first on one and then on the other.
  const isEither = new Set(exchanges.map(({ path: each }) => wireOfPath(each))).size > 1;
  const made = isEither
    ? import("./wires/two-wires.ts").then(({ createTwoWireProvider }) => createTwoWireProvider(endpoint))
    : WIRES[wire]().then(({ createProvider }) => createProvider(endpoint));
  return {
    model: first.model,
    provider: { id, stream: async (request, options) => (await made).stream(request, options) },
  };
}

const PIECE_BYTES = 1_400; // as a network would split it

function refusal(message: string): HttpEnd {
  return { kind: "answered", status: 400, headers: {}, body: JSON.stringify({ error: { message } }) };
}

function wireOfPath(path: string): WireName {
  if (path.includes("/chat/completions")) return "chat";
  if (path.includes("/responses")) return "responses";
  return path.includes(":streamGenerateContent") ? "gemini" : "messages";
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
  return `The recording no longer matches: turn ${turn} expects the last outcome to contain ${expected}, found ${found}.`;
}

/** What the model has not yet answered: the outcomes and words after its last message. */
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

/** False if the signal fired. */
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
