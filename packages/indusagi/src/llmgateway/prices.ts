// What a model call costs. Prices are data with a date (see the catalogue); a bill is the provider's.

import type { Price, Usage } from "./contract.ts";
import { knownPrice } from "./models.ts";

const MILLION = 1_000_000;

/** What is written for an hour costs twice the input (Anthropic's price list, November 2026). */
const HOUR_WRITE = 2;

/** Dollars. */
export function costOf({ input, output, cacheRead, cacheWrite }: Price, usage: Usage): number {
  const hourWriteTokens = Math.min(usage.hourWriteTokens ?? 0, usage.cacheWriteTokens);
  const dollars =
    (usage.inputTokens * input +
      usage.outputTokens * output +
      usage.cacheReadTokens * (cacheRead || input) +
      (usage.cacheWriteTokens - hourWriteTokens) * (cacheWrite || input) +
      hourWriteTokens * input * HOUR_WRITE) /
    MILLION;
  return Math.round(dollars * 1e8) / 1e8; // no more digits than prices have, in the log
}

/** Dollars that a reply cost. */
export type Pricing = (usage: Usage) => number;

/**
 * What a model's replies cost: by what the person says, else by the catalogue; undefined where that is not known. What runs
 * on this machine costs nothing.
 */
export function pricingOf(provider: string, id: string, said?: Price): Pricing | undefined {
  const price = said ?? (provider === "local" ? FREE : knownPrice(provider, id));
  return price && ((usage) => costOf(price, usage));
}

const FREE: Price = { input: 0, output: 0 };
