// One model call over HTTP, the same for every wire: send, read events, end as a reply or a fault.

import { readClientCertificate } from "./client-certificate.ts";
import type { ModelCallOptions, ModelFault, ModelReply, ModelResult, RateLimit } from "./contract.ts";
import { type HttpEnd, type HttpLimits, type HttpPost, postStream } from "./http-stream.ts";
import { parseObject } from "./loose-json.ts";
import {
  type Correspondent,
  faultOfAnswer,
  faultOfFailure,
  protocolFault,
  refusalIn,
} from "./model-faults.ts";
import { limitsIn } from "./rate-limits.ts";
import { createSseReader, MAX_FRAME_CHARS } from "./sse.ts";
import type { Pieces } from "./wire-json.ts";

/** Understands one wire's events and assembles the reply from them. */
export interface WireReader {
  /** Takes one event's payload. "done": the reply is complete; a fault ends the call. */
  readonly read: (data: string) => undefined | "done" | ModelFault;
  /** Takes the body of an answer that is no stream: one JSON document. Default: read like an event. */
  readonly readWhole?: (body: string) => "done" | ModelFault;
  /** The answer has stated its end: only its token counts may still follow. Default: never before "done". */
  readonly isWhole?: () => boolean;
  /** The reply, once the stream has ended; undefined if it ended too early, a fault if no reply can be made of it. */
  readonly reply: () => ModelReply | ModelFault | undefined;
}

export interface WireCall {
  readonly whom: Correspondent;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Pieces;
  readonly reader: WireReader;
  readonly limits: HttpLimits;
  readonly signal: ModelCallOptions["signal"];
  readonly onDelta: ModelCallOptions["onDelta"];
}

/** Runs one call to its end. Never rejects. */
export async function runWireCall(call: WireCall): Promise<ModelResult> {
  const { whom, reader } = call;
  let fault: ModelFault | undefined;
  let done = false;
  let before = "";
  let hasProgressed = false;
  // A combined signal checks each of its sources when it is read, and there are many events.
  let isAborted = call.signal.aborted;
  const onAbort = (): void => {
    isAborted = true;
  };
  call.signal.addEventListener("abort", onAbort, { once: true });
  let limits: readonly RateLimit[] = [];
  const beginning = createBeginning();
  const events = createSseReader((data) => {
    if (done || fault || isAborted) return;
    beginning.drop(); // it is a stream
    // A ping, an empty delta or a repetition is a sign of life, but not progress.
    hasProgressed ||= data !== before;
    before = data;
    const outcome = reader.read(data);
    if (outcome === "done") done = true;
    else fault = outcome;
  });
  const end = await sendCall(call, {
    onHead: (_, head) => {
      limits = limitsIn(head);
      call.onDelta({ kind: "connected" });
    },
    onChunk: (chunk) => {
      beginning.add(chunk);
      if (!events.feed(chunk))
        fault ??= protocolFault(whom, `an event is longer than ${MAX_FRAME_CHARS} characters`);
      return !done && !fault;
    },
    standing: () => {
      const standing = { isNew: hasProgressed, isWhole: reader.isWhole?.() ?? false };
      hasProgressed = false;
      return standing;
    },
  });
  call.signal.removeEventListener("abort", onAbort);
  if (end.kind === "refused") return { ok: false, fault: end.fault };
  if (fault) return { ok: false, fault };
  const result = finish(whom, asWhole(end, beginning.text()), reader);
  return result.ok && limits.length > 0 ? { ok: true, reply: { ...result.reply, limits } } : result;
}

/**
 * Sends a request, signed and with the person's certificate if these are wanted. What it was signed with may have expired before
 * its time or been replaced: then it is signed again, once. Never rejects.
 */
export async function sendCall(
  { whom, headers, body, limits, signal }: Omit<WireCall, "reader" | "onDelta">,
  hears: Pick<HttpPost, "onHead" | "onChunk" | "standing">,
): Promise<HttpEnd | { readonly kind: "refused"; readonly fault: ModelFault }> {
  const { url, certificate, sign, transport = postStream } = whom;
  const shown =
    certificate === undefined || url.protocol !== "https:" ? undefined : readClientCertificate(certificate);
  if (shown && !shown.ok) return { kind: "refused", fault: shown.fault };
  const identity = shown?.identity;
  for (let isAgain = false; ; isAgain = true) {
    const signed = await sign?.({ url, headers, body }, signal);
    if (signed && !signed.ok) return { kind: "refused", fault: signed.fault };
    const sent = { url, headers: signed?.headers ?? headers, body, signal, limits, identity };
    const end = await transport({ ...sent, ...hears });
    if (isAgain || !signed?.forget || !isOutdated(end)) return end;
    signed.forget();
  }
}

/** Whether a server refuses what a request was signed with, and not who signed it: AWS says 403 for both. */
function isOutdated(end: HttpEnd): boolean {
  if (end.kind !== "answered") return false;
  return end.status === 401 || (end.status === 403 && /expired|security token/i.test(end.body));
}

interface Beginning {
  readonly add: (chunk: Buffer) => void;
  readonly drop: () => void;
  readonly text: () => string;
}

/** What came before the first event. If none comes, it is all that a server said that does not stream. */
function createBeginning(): Beginning {
  let kept: Buffer[] | undefined = [];
  let bytes = 0;
  return {
    add(chunk) {
      bytes += chunk.length;
      if (bytes > MAX_FRAME_CHARS) kept = undefined;
      kept?.push(chunk);
    },
    drop() {
      kept = undefined;
    },
    text: () => Buffer.concat(kept ?? []).toString("utf8"),
  };
}

/** Some servers send a whole answer, or an error, as JSON under a stream's type. */
function asWhole(end: HttpEnd, text: string): HttpEnd {
  const isWhole = (end.kind === "ended" || end.kind === "stopped") && parseObject(text) !== undefined;
  return isWhole ? { kind: "answered", status: 200, headers: {}, body: text } : end;
}

/** Reads an answer that is one JSON document where a stream was asked for. */
function finishWhole(
  whom: Correspondent,
  answer: Extract<HttpEnd, { readonly kind: "answered" }>,
  reader: WireReader,
): ModelResult {
  const object = parseObject(answer.body);
  if (answer.status >= 300 || !object || (object.error !== undefined && object.error !== null))
    return { ok: false, fault: faultOfAnswer(whom, answer) };
  const read = reader.readWhole ? reader.readWhole(answer.body) : reader.read(answer.body);
  if (typeof read === "object") return { ok: false, fault: faultOfAnswer(whom, answer) };
  const reply = reader.reply();
  if (!reply || "kind" in reply) return { ok: false, fault: reply ?? faultOfAnswer(whom, answer) };
  return { ok: true, reply };
}

function finish(whom: Correspondent, end: HttpEnd, reader: WireReader): ModelResult {
  // A server that states the end of its answer and then falls silent, or loses the connection, has answered.
  if (end.kind === "failed" && end.reason !== "aborted" && reader.isWhole?.()) {
    const whole = reader.reply();
    if (whole && !("kind" in whole)) return { ok: true, reply: whole };
  }
  if (end.kind === "failed") return { ok: false, fault: faultOfFailure(whom, end.reason, end.error) };
  if (end.kind === "answered") return finishWhole(whom, end, reader);
  const reply = reader.reply() ?? faultOfFailure(whom, "cut");
  return "kind" in reply ? { ok: false, fault: reply } : { ok: true, reply };
}

/** Whether the provider refused the request itself, in words that match `pattern` (a fault quotes them). */
export function refusedWith(result: ModelResult, pattern: RegExp): boolean {
  return !result.ok && pattern.test(refusalIn(result.fault));
}

/** Whether the provider says that it takes such a request only on its Responses API. */
export function wantsResponses(result: ModelResult): boolean {
  return refusedWith(result, /\/v1\/responses|responses api/i);
}
