// One POST whose answer is read as it arrives, over node:http(s) with keep-alive connections. It knows nothing about providers or
// faults. Not `fetch`: that costs 35 ms at its first use and twice as much for each request.

import type { Agent, AgentOptions, ClientRequest, IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { RequestOptions } from "node:https";
import { errorCode } from "../core/faults.ts";
import type { ClientIdentity } from "./client-certificate.ts";
import { nodeHttp, nodeHttps } from "./node-http.ts";
import { proxyEnvFor, UnusableProxy } from "./proxy.ts";
import type { Pieces } from "./wire-json.ts";

/** Limits of one call. Times in milliseconds, sizes in bytes. */
export interface HttpLimits {
  /** From the start until the server answers; a local model may read a long prompt first. */
  readonly firstByteMs: number;
  /** Between two chunks of the answer. */
  readonly idleMs: number;
  /** Between two chunks that advance the answer: a server may send signs of life and nothing else. */
  readonly progressMs?: number;
  /** For the whole answer. */
  readonly totalMs?: number;
  /** Once the answer has all it needs, until the connection ends. */
  readonly endMs?: number;
  /** Of a streamed answer. */
  readonly maxBytes: number;
  /** Of an error, which is read whole; the rest is dropped. */
  readonly maxErrorBytes: number;
}

export const HTTP_LIMITS: Required<HttpLimits> = {
  firstByteMs: 120_000,
  idleMs: 120_000,
  progressMs: 600_000,
  totalMs: 3_600_000,
  endMs: 5_000,
  maxBytes: 64 * 1024 * 1024,
  maxErrorBytes: 64 * 1024,
};

export interface HttpPost {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Pieces;
  readonly signal: AbortSignal;
  readonly limits: HttpLimits;
  /** Receives the head of a streamed answer. */
  readonly onHead?: (status: number, headers: IncomingHttpHeaders) => void;
  /** The client identity for servers that ask for one, over https. */
  readonly identity?: ClientIdentity | undefined;
  /** Called in order for each chunk of a streamed answer; returns false when no more is wanted. */
  readonly onChunk: (chunk: Buffer) => boolean;
  /** After a chunk: whether it said anything new, and whether the answer is complete except for its end. Default: new, not complete. */
  readonly standing?: () => { readonly isNew: boolean; readonly isWhole: boolean };
}

/**
 * ended: the server finished its stream · stopped: `onChunk` returned false · answered: something other than a stream, usually an
 * error · failed: no whole answer. `cut` is a connection lost during the answer, `endless` one that reached the limit for the whole.
 */
export type HttpEnd =
  | { readonly kind: "ended" }
  | { readonly kind: "stopped" }
  | {
      readonly kind: "answered";
      readonly status: number;
      readonly headers: IncomingHttpHeaders;
      readonly body: string;
    }
  | {
      readonly kind: "failed";
      readonly reason: "aborted" | "silent" | "endless" | "too_large" | "cut" | "connect";
      readonly error?: unknown;
    };

const STREAM_TYPES = /^(text\/event-stream|text\/plain)\b/i; // some local servers say text/plain
const STALE_CODES: readonly string[] = ["ECONNRESET", "EPIPE"];
const KEEP_ALIVE_MS = 60_000;
const DRAIN_MS = 1_000;
const DRAIN_BYTES = 64 * 1024;
const PART_BYTES = 64 * 1024;

/** Sends a request and reads its answer, as {@link postStream} does. */
export type Transport = (post: HttpPost) => Promise<HttpEnd>;

/**
 * Sends `post` and reads the answer. Never rejects. On abort it settles at once and closes the socket. A redirect
 * is an answer like any other: it is not followed, so that credentials reach no host but the one asked.
 */
export async function postStream(post: HttpPost): Promise<HttpEnd> {
  const open =
    post.url.protocol === "https:"
      ? (url: URL, options: RequestOptions) => openHttps(url, options, post.identity)
      : openHttp;
  const end = await send(post, open);
  // The server may close a keep-alive connection just as it is reused. Nothing was answered, so ask once more.
  return end === "stale" ? ((await send(post, open)) as HttpEnd) : end;
}

type Open = (url: URL, options: RequestOptions) => ClientRequest;

const agentOptions = { keepAlive: true, timeout: KEEP_ALIVE_MS, maxFreeSockets: 4 };
/** By protocol and whether a proxy is used. */
const agents = new Map<string, Agent>();

function openHttp(url: URL, options: RequestOptions): ClientRequest {
  const agent = agentFor(url, (more) => new (nodeHttp().Agent)({ ...agentOptions, ...more }));
  return nodeHttp().request(url, { ...options, agent });
}

function openHttps(url: URL, options: RequestOptions, identity: ClientIdentity | undefined): ClientRequest {
  const make = (more: AgentOptions): Agent =>
    new (nodeHttps().Agent)({ ...agentOptions, ...more, ...identity });
  const known = identity === undefined ? undefined : withIdentity.get(identity);
  const agent = identity === undefined ? agentFor(url, make) : (known ?? make(proxyOptions(url)));
  if (identity !== undefined) withIdentity.set(identity, agent);
  return nodeHttps().request(url, { ...options, agent });
}

/** Agents whose connections carry the person's certificate. */
const withIdentity = new WeakMap<ClientIdentity, Agent>();

function proxyOptions(url: URL): AgentOptions {
  const proxyEnv = proxyEnvFor(url, process.env);
  return proxyEnv ? { proxyEnv } : {};
}

function agentFor(url: URL, make: (more: AgentOptions) => Agent): Agent {
  const proxyEnv = proxyEnvFor(url, process.env);
  const key = `${url.protocol}${proxyEnv ? " through a proxy" : ""}`;
  const known = agents.get(key);
  if (known) return known;
  const made = make(proxyEnv ? { proxyEnv } : {});
  agents.set(key, made);
  return made;
}

function send(post: HttpPost, open: Open): Promise<HttpEnd | "stale"> {
  const { signal, limits } = post;
  if (signal.aborted) return Promise.resolve({ kind: "failed", reason: "aborted" });
  return new Promise((resolve) => {
    let settled = false;
    const limitTimers: NodeJS.Timeout[] = [];
    const settle = (end: HttpEnd | "stale", release: "close" | "keep" = "close"): void => {
      if (settled) return;
      settled = true;
      clearTimeout(timer);
      for (const each of limitTimers) clearTimeout(each);
      signal.removeEventListener("abort", onAbort);
      if (release === "close") request.destroy();
      resolve(end);
    };
    const onAbort = (): void => settle({ kind: "failed", reason: "aborted" });
    const onSilence = (): void => settle({ kind: "failed", reason: "silent" });
    const onTotal = (): void => settle({ kind: "failed", reason: "endless" });
    let onBroken = (error: unknown): void => {
      const stale = request.reusedSocket && STALE_CODES.includes(errorCode(error) ?? "");
      settle(stale ? "stale" : { kind: "failed", reason: "connect", error });
    };

    const length = post.body.reduce((bytes, piece) => bytes + Buffer.byteLength(piece), 0);
    const headers = { ...post.headers, "content-length": String(length), "accept-encoding": "identity" };
    let request: ClientRequest;
    try {
      request = open(post.url, { method: "POST", headers });
    } catch (error) {
      if (!(error instanceof UnusableProxy)) throw error;
      resolve({ kind: "failed", reason: "connect", error });
      return;
    }
    let timer = setTimeout(onSilence, limits.firstByteMs);
    signal.addEventListener("abort", onAbort, { once: true });
    request.on("error", (error) => onBroken(error));
    request.on("response", (response) => {
      clearTimeout(timer);
      timer = setTimeout(onSilence, limits.idleMs);
      const { progressMs = HTTP_LIMITS.progressMs, totalMs = HTTP_LIMITS.totalMs } = limits;
      const progress = setTimeout(onSilence, progressMs);
      limitTimers.push(progress, setTimeout(onTotal, totalMs));
      let farewell: NodeJS.Timeout | undefined;
      const streamed = isStream(response);
      if (streamed) post.onHead?.(response.statusCode ?? 0, response.headers);
      const kept: Buffer[] = [];
      let bytes = 0;
      const { statusCode = 0 } = response;
      // An answer that is no stream may be the whole answer.
      const maxWhole = statusCode >= 200 && statusCode < 300 ? limits.maxBytes : limits.maxErrorBytes;
      const settleAnswered = (release: "close" | "keep"): void => {
        const text = Buffer.concat(kept).subarray(0, maxWhole).toString("utf8");
        settle({ kind: "answered", status: statusCode, headers: response.headers, body: text }, release);
      };
      // The caller has all it wants: settle now, and read the few bytes that end the response so
      // that the connection can be reused. A server that keeps sending is cut off.
      const stop = (): void => {
        settle({ kind: "stopped" }, "keep");
        bytes = 0;
        const drain = setTimeout(() => request.destroy(), DRAIN_MS);
        response.on("close", () => clearTimeout(drain));
      };
      onBroken = (error) => {
        if (streamed) settle({ kind: "failed", reason: "cut", error });
        else settleAnswered("close"); // the status is enough, even if its text is cut
      };

      response.on("error", (error) => onBroken(error));
      response.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        if (settled) {
          if (bytes > DRAIN_BYTES) request.destroy();
          return;
        }
        timer.refresh();
        if (!streamed) {
          kept.push(chunk);
          if (bytes >= maxWhole) settleAnswered("close");
        } else if (bytes > limits.maxBytes) settle({ kind: "failed", reason: "too_large" });
        else if (!post.onChunk(chunk)) stop();
        else noteStanding();
      });
      const noteStanding = (): void => {
        const { isNew, isWhole } = post.standing?.() ?? { isNew: true, isWhole: false };
        if (isNew) progress.refresh();
        if (!isWhole) return;
        if (isNew) clearTimeout(farewell);
        else if (farewell) return;
        farewell = setTimeout(stop, limits.endMs ?? HTTP_LIMITS.endMs); // only the end of the stream is missing
        limitTimers.push(farewell);
      };
      response.on("end", () => {
        if (streamed) settle({ kind: "ended" }, "keep");
        else settleAnswered("keep");
      });
    });
    writeBody(request, post.body, length);
  });
}

/** Written in parts, each once the previous one has been sent: all share one buffer. */
function writeBody(request: ClientRequest, pieces: Pieces, length: number): void {
  const parts = partsOf(pieces, Buffer.allocUnsafe(Math.min(length, PART_BYTES)));
  let written = 0;
  const goOn = (error?: Error | null): void => {
    if (error) return; // the request's error handler reports it
    const part = parts.next().value;
    written += part?.length ?? 0;
    if (part === undefined || written === length) request.end(part);
    else request.write(part, goOn);
  };
  goOn();
}

function* partsOf(pieces: Pieces, part: Buffer): Generator<Buffer, void> {
  let filled = 0;
  for (const piece of pieces) {
    const bytes = typeof piece === "string" ? Buffer.from(piece, "utf8") : piece;
    for (let from = 0; from < bytes.length; ) {
      const copied = bytes.copy(part, filled, from);
      from += copied;
      filled += copied;
      if (filled < part.length) continue;
      yield part;
      filled = 0;
    }
  }
  if (filled > 0) yield part.subarray(0, filled);
}

function isStream({ statusCode = 0, headers }: IncomingMessage): boolean {
  const type = headers["content-type"];
  const plain = (headers["content-encoding"] ?? "identity") === "identity"; // no other encoding was requested
  return statusCode >= 200 && statusCode < 300 && plain && (!type || STREAM_TYPES.test(type));
}
