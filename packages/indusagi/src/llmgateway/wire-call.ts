// One model call over HTTP, the same for both wires: send, read events, end as a reply or a fault.

import { readClientCertificate } from "./client-certificate.ts";
import type { ModelCallOptions, ModelFault, ModelReply, ModelResult, RateLimit } from "./contract.ts";
import { type HttpEnd, type HttpLimits, type HttpPost, postStream } from "./http-stream.ts";
import { type Correspondent, faultOfAnswer, faultOfFailure, protocolFault } from "./model-faults.ts";
import { limitsIn } from "./rate-limits.ts";
import { createSseReader, MAX_FRAME_CHARS } from "./sse.ts";
import type { Pieces } from "./wire-json.ts";

/** Understands one wire's events and gathers the reply from them. */
export interface WireReader {
  /** Takes one event's payload. "done": the reply is whole; a fault ends the call. */
  readonly read: (data: string) => undefined | "done" | ModelFault;
  /** The answer has stated its end: what may still come is not of it, but how many tokens it took. Default: never before "done". */
  readonly isWhole?: () => boolean;
  /** The reply, once the stream has ended; undefined when it ended too early, a fault when no reply can be made of it. */
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
  // A signal that stands for several looks at each of them when it is asked, and events are many.
  let isAborted = call.signal.aborted;
  const onAbort = (): void => {
    isAborted = true;
  };
  call.signal.addEventListener("abort", onAbort, { once: true });
  let limits: readonly RateLimit[] = [];
  const events = createSseReader((data) => {
    if (done || fault || isAborted) return;
    // A ping, an empty delta and whatever else says again what was said is a sign of life, and brings nothing on.
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
  const result = finish(whom, end, reader);
  return result.ok && limits.length > 0 ? { ok: true, reply: { ...result.reply, limits } } : result;
}

/** Sends a request: signed, and with the certificate of the person, where these are wanted. Never rejects. */
export async function sendCall(
  { whom, headers, body, limits, signal }: Omit<WireCall, "reader" | "onDelta">,
  hears: Pick<HttpPost, "onHead" | "onChunk" | "standing">,
): Promise<HttpEnd | { readonly kind: "refused"; readonly fault: ModelFault }> {
  const { url, certificate, sign, transport = postStream } = whom;
  const shown =
    certificate === undefined || url.protocol !== "https:" ? undefined : readClientCertificate(certificate);
  if (shown && !shown.ok) return { kind: "refused", fault: shown.fault };
  const signed = await sign?.({ url, headers, body }, signal);
  if (signed && !signed.ok) return { kind: "refused", fault: signed.fault };
  const identity = shown?.identity;
  return transport({ url, headers: signed?.headers ?? headers, body, signal, limits, identity, ...hears });
}

function finish(whom: Correspondent, end: HttpEnd, reader: WireReader): ModelResult {
  // A server that states the end of its answer and then says nothing, or loses the connection, has answered.
  if (end.kind === "failed" && end.reason !== "aborted" && reader.isWhole?.()) {
    const whole = reader.reply();
    if (whole && !("kind" in whole)) return { ok: true, reply: whole };
  }
  if (end.kind === "failed") return { ok: false, fault: faultOfFailure(whom, end.reason, end.error) };
  if (end.kind === "answered") return { ok: false, fault: faultOfAnswer(whom, end) };
  const reply = reader.reply() ?? faultOfFailure(whom, "cut");
  return "kind" in reply ? { ok: false, fault: reply } : { ok: true, reply };
}

/** Whether the provider refused the request itself, in words that fit `pattern` (a fault quotes them). */
export function refusedWith(result: ModelResult, pattern: RegExp): boolean {
  return !result.ok && result.fault.kind === "request" && pattern.test(result.fault.message);
}

/** Whether the provider says that it takes such a request on its Responses API alone. */
export function wantsResponses(result: ModelResult): boolean {
  return refusedWith(result, /\/v1\/responses|responses api/i);
}
