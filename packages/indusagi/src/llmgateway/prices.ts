// What a model call costs. Prices are data with a date (see the catalogue); the actual bill is the provider's.

import type { Price, Rates, Usage } from "./contract.ts";
import { knownPrice } from "./models.ts";

const MILLION = 1_000_000;

/** Writes for an hour cost twice the input price (Anthropic's price list, November 2026). */
const HOUR_WRITE = 2;

/** Dollars. */
export function costOf(price: Price, usage: Usage): number {
  const { input, output, cacheRead, cacheWrite } = ratesFor(price, usage);
  const hourWriteTokens = Math.min(usage.hourWriteTokens ?? 0, usage.cacheWriteTokens);
  const dollars =
    (usage.inputTokens * input +
      usage.outputTokens * output +
      usage.cacheReadTokens * (cacheRead || input) +
      (usage.cacheWriteTokens - hourWriteTokens) * (cacheWrite || input) +
      hourWriteTokens * input * HOUR_WRITE) /
    MILLION;
  return Math.round(dollars * 1e8) / 1e8; // no more digits in the log than prices have
}

function ratesFor(price: Price, { inputTokens, cacheReadTokens, cacheWriteTokens }: Usage): Rates {
  const tokens = inputTokens + cacheReadTokens + cacheWriteTokens;
  const exceeded = (price.above ?? []).filter((rates) => tokens > rates.tokens);
  return exceeded.sort((a, b) => b.tokens - a.tokens)[0] ?? price;
}

/** The dollars that a reply cost. */
export type Pricing = (usage: Usage) => number;

/**
 * The price of a model's replies: as the person says, otherwise from the
 * catalogue; undefined if unknown. Models on this machine cost nothing.
 */
export function pricingOf(provider: string, id: string, said?: Price): Pricing | undefined {
  const price = said ?? (provider === "local" ? FREE : knownPrice(provider, id));
  return price && ((usage) => costOf(price, usage));
}

const FREE: Price = { input: 0, output: 0 };
