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
        `OpenTelemetry: spans are not sent to ${url.origin}${url.pathname}: ${why}. Work goes on without.`,
      );
    isTold = true;
  }

  async function post(spans: readonly Span[]): Promise<void> {
    const body = JSON.stringify(mask(otlpBody(spans, resource, { name: "indus", version })));
    const signal = AbortSignal.any([end.signal, AbortSignal.timeout(timeoutMs)]);
    try {
      const sent = { ...headers, "content-type": "application/json" };
      const response = await fetch(url, { method: "POST", headers: sent, body, signal, redirect: "error" });
      await response.body?.cancel();
      if (!response.ok) lose(`the collector answered with status ${response.status}`);
    } catch (error) {
      lose(end.signal.aborted ? "the collector did not answer in time" : causeOf(error));
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

/** What fetch says is only that it failed. */
function causeOf(error: unknown): string {
  return describeError(error instanceof Error && error.cause !== undefined ? error.cause : error);
}
