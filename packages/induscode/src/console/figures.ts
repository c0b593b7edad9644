// Figures as people read them: one unit, no more digits than needed.

import { formatCount } from "indusagi/core";
import type { SubmitTotals } from "../view/contract.ts";

export { formatCount };

/**
 * What was paid for, over all requests: `2.1k tokens in + 110k cached, 340 out`. A request sends the conversation so far again, so
 * what a provider's cache had is counted apart: it is the same text, at a fraction of the price.
 */
export function formatUsage(usage: SubmitTotals["usage"], unit = " tokens"): string {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage;
  const cached = cacheReadTokens > 0 ? ` + ${formatCount(cacheReadTokens)} cached` : "";
  return `${formatCount(inputTokens + cacheWriteTokens)}${unit} in${cached}, ${formatCount(outputTokens)} out`;
}

/** `3 ms`, `1.2 s`, `2 min 5 s`, `1 h 3 min`. */
export function formatDuration(ms: number): string {
  if (ms < 999.5) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  const minutes = Math.round(ms / 60_000);
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** A wait in whole seconds, rounded up: `2 s`. */
export function formatWait(ms: number): string {
  return `${Math.max(1, Math.ceil(ms / 1000))} s`;
}

/** Exact: `1 turn`, `2 turns`, `2,992 more lines`. */
export function plural(count: number, noun: string): string {
  return `${count.toLocaleString("en-US")} ${noun}${count === 1 ? "" : "s"}`;
}
