// Writes a model's answers to a cassette, to be played later.

import { appendFileSync, writeFileSync } from "node:fs";
import { describeError, errorCode } from "../core/faults.ts";
import { CassetteError, cassetteHeader, type TapedDelta } from "./cassette-format.ts";
import type { ModelProvider } from "./contract.ts";
import { exchangesHeader, type TapedExchange } from "./exchange-format.ts";
import { type HttpPost, postStream, type Transport } from "./http-stream.ts";
import { parseObject } from "./loose-json.ts";

export interface CassetteRecorderOptions {
  /** What the recording shows, for anyone who finds the file. */
  readonly about: string;
  /** Called for a turn that could not be written. The turn itself proceeds: its answer is worth more than the recording. */
  readonly onError: (error: CassetteError) => void;
  /** Hides what must not be recorded. */
  readonly mask?: <Value>(turn: Value) => Value;
}

/**
 * Wraps any provider so that its completed calls are appended to a new file at `path`, all to the same one (one write for each,
 * mode 0600: answers may quote anything). Throws a {@link CassetteError} if the file already exists or cannot be created.
 */
export function createCassetteRecorder(
  path: string,
  { about, onError, mask = (turn) => turn }: CassetteRecorderOptions,
): (provider: ModelProvider) => ModelProvider {
  beginTape(path, cassetteHeader(about));
  let turn = 0;

  return (provider) => ({
    id: provider.id,
    stream: async (request, { signal, onDelta }) => {
      let deltas: TapedDelta[] = [];
      const result = await provider.stream(request, {
        signal,
        onDelta: (delta) => {
          if (delta.kind === "retry") deltas = [];
          else if (delta.kind !== "connected") deltas = tape(deltas, delta);
          onDelta(delta);
        },
      });
      if (!result.ok) return result;
      const line = `${JSON.stringify(mask({ turn: ++turn, deltas, reply: result.reply }))}\n`;
      try {
        appendFileSync(path, line);
      } catch (error) {
        turn--;
        onError(new CassetteError(`Cannot record to ${path}: ${describeError(error)}`));
      }
      return result;
    },
  });
}

function beginTape(path: string, header: string): void {
  try {
    writeFileSync(path, header, { flag: "wx", mode: 0o600 });
  } catch (error) {
    const reason =
      errorCode(error) === "EEXIST" ? "it already exists; choose another name." : describeError(error);
    throw new CassetteError(`Cannot record to ${path}: ${reason}`);
  }
}

/** Headers without personal data. */
const KEPT_HEADERS: readonly string[] = ["content-type", "accept", "anthropic-version"];

/**
 * A transport between the wires and the network that appends each exchange to a new file at `path`, with secrets removed: only a
 * few headers are kept, and whatever `mask` finds in the texts is hidden. An exchange that quotes a secret in pieces, as streams
 * do, is omitted and reported to `onError`. Throws a {@link CassetteError} if the file already exists or cannot be created.
 */
export function createExchangeRecorder(
  path: string,
  { about, onError, mask = (value) => value }: CassetteRecorderOptions,
): (provider: string) => Transport {
  beginTape(path, exchangesHeader(about));
  let exchange = 0;
  return (provider) => async (post) => {
    const chunks: Buffer[] = [];
    let head = { status: 0, type: "" };
    const end = await postStream({
      ...post,
      onHead(status, headers) {
        head = { status, type: headers["content-type"] ?? "text/event-stream" };
      },
      onChunk(chunk) {
        chunks.push(chunk);
        return post.onChunk(chunk);
      },
    });
    if (end.kind === "answered")
      head = { status: end.status, type: end.headers["content-type"] ?? "application/json" };
    if (head.status === 0) return end; // no answer arrived: there is nothing to play
    const answer = end.kind === "answered" ? end.body : Buffer.concat(chunks).toString("utf8");
    const taped: TapedExchange = mask({
      exchange: exchange + 1,
      model: `${provider}/${modelOf(post)}`,
      path: post.url.pathname + post.url.search,
      headers: Object.fromEntries(KEPT_HEADERS.flatMap((name) => pairOf(name, post.headers[name]))),
      body: post.body.join(""),
      ...head,
      answer,
      isCut: end.kind === "failed" ? (true as const) : undefined,
    });
    const refuse = (why: string): void => onError(new CassetteError(`Cannot record to ${path}: ${why}`));
    if (isMaskedInPieces(taped.answer, mask)) {
      refuse("an answer quotes a secret in pieces and is omitted; what follows may not be playable.");
      return end;
    }
    try {
      appendFileSync(path, `${JSON.stringify(taped)}\n`);
      exchange++;
    } catch (error) {
      refuse(describeError(error));
    }
    return end;
  };
}

function pairOf(name: string, value: string | undefined): readonly (readonly [string, string])[] {
  return value === undefined ? [] : [[name, value]];
}

/** For Gemini and Google Cloud the model is in the path. */
function modelOf({ url, body }: HttpPost): string {
  const [, inPath] = /\/models\/([^:]+):/.exec(url.pathname) ?? [];
  const named = /"model":"([^"\\]{1,200})"/.exec(String(body[0]))?.[1];
  return inPath === undefined ? (named ?? "unknown") : decodeURIComponent(inPath);
}

/** Whether the texts of a stream's events, joined field by field, hold something the mask hides. */
function isMaskedInPieces(stream: string, mask: <Value>(value: Value) => Value): boolean {
  const texts = new Map<string, string>();
  const gather = (name: string, value: unknown): void => {
    if (typeof value === "string") texts.set(name, (texts.get(name) ?? "") + value);
    else if (typeof value === "object" && value !== null)
      for (const [key, inner] of Object.entries(value)) gather(Array.isArray(value) ? name : key, inner);
  };
  for (const line of stream.split("\n")) if (line.startsWith("data:")) gather("", parseObject(line.slice(5)));
  return [...texts.values()].some((text) => mask(text) !== text);
}

/** Consecutive text deltas of one kind are merged: a recording is meant to be read. */
function tape(deltas: TapedDelta[], delta: TapedDelta): TapedDelta[] {
  const last = deltas.at(-1);
  if (delta.kind !== "tool_call" && last?.kind === delta.kind) {
    deltas[deltas.length - 1] = { kind: delta.kind, text: last.text + delta.text };
  } else deltas.push(delta);
  return deltas;
}
