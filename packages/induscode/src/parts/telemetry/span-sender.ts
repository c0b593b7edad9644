// Sends spans in batches, beside everything else: whatever the collector does, nobody waits for it, except the end for two seconds.

import { describeError, nowMs } from "indusagi/core";
import type { SpanWish } from "./otel-variables.ts";
import { otlpBody, type Span } from "./span.ts";

export interface SpanSender {
  readonly add: (span: Span) => void;
  /** Sends what is left, within two seconds. Never rejects. */
  readonly close: () => Promise<void>;
}

interface SenderFacts {
  readonly wish: Pick<SpanWish, "url" | "headers" | "timeoutMs" | "resource">;
  readonly version: string;
  /** Hides the known secrets. */
  readonly mask: <Value>(value: Value) => Value;
  /** Hears once that spans are lost. */
  readonly tell: (text: string) => void;
}

const BATCH = 512;
const MAX_QUEUED = 2048;
const DELAY_MS = 5_000;
/** After a failure; what is queued meanwhile is sent then. */
const PAUSE_MS = 30_000;
const CLOSE_MS = 2_000;

export function createSpanSender({ wish, version, mask, tell }: SenderFacts): SpanSender {
  const { url, headers, timeoutMs, resource } = wish;
  const queued: Span[] = [];
  const end = new AbortController();
  let sending: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let pausedUntil = 0;
  let isTold = false;

  function lose(why: string): void {
    pausedUntil = nowMs() + PAUSE_MS;
    if (!isTold)
      tell(
        `OpenTelemetry: spans are not sent to ${url.origin}${url.pathname}: ${why}. indus continues without them.`,
      );
    isTold = true;
  }

  async function post(spans: readonly Span[]): Promise<void> {
    const body = JSON.stringify(mask(otlpBody(spans, resource, { name: "indus", version })));
    const signal = AbortSignal.any([end.signal, AbortSignal.timeout(timeoutMs)]);
    try {
      const status = await postJson(url, { headers, body, signal });
      if (status < 200 || status > 299) lose(`the collector answered with status ${status}`);
    } catch (error) {
      lose(signal.aborted ? "the collector did not answer in time" : describeError(error));
    }
  }

  function send(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    sending ??= post(queued.splice(0, BATCH)).finally(() => {
      sending = undefined;
    });
    return sending;
  }

  return {
    add(span) {
      if (queued.length >= MAX_QUEUED) return lose(`more than ${MAX_QUEUED} wait for the collector`);
      queued.push(span);
      if (queued.length >= BATCH && nowMs() >= pausedUntil) void send();
      else timer ??= setTimeout(() => void send(), Math.max(DELAY_MS, pausedUntil - nowMs())).unref();
    },
    async close() {
      clearTimeout(timer);
      const late = setTimeout(() => end.abort(), CLOSE_MS);
      await sending;
      while (queued.length > 0 && !end.signal.aborted) await send();
      clearTimeout(late);
    },
  };
}

/** Resolves to the status. Not `fetch`, which takes 40 ms to load and would follow a redirect with the headers. */
async function postJson(
  url: URL,
  {
    headers,
    body,
    signal,
  }: { readonly headers: SpanWish["headers"]; readonly body: string; readonly signal: AbortSignal },
): Promise<number> {
  const { request } = url.protocol === "https:" ? await import("node:https") : await import("node:http");
  const sent = { ...headers, "content-type": "application/json", "content-length": Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    request(url, { method: "POST", headers: sent, signal, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    })
      .on("error", reject)
      .end(body);
  });
}
