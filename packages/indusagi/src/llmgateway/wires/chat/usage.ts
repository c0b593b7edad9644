// The token counts of a Chat Completions stream, wherever a server puts them.

import type { Usage } from "../../contract.ts";
import { asCount, asObject, type Loose } from "../../loose-json.ts";

/** Where a chunk may state its counts: itself, its choice (Moonshot), or a field of Groq's. */
export function statedUsage(chunk: Loose, choice: Loose | undefined): readonly Loose[] {
  const places = [asObject(chunk.x_groq)?.usage, choice?.usage, chunk.usage];
  return places.map(asObject).filter((place) => place !== undefined);
}

/** Merges earlier and current counts: a later number replaces an earlier one, and null states nothing. */
export function mergedUsage(before: Loose, stated: Loose, names: ReadonlySet<string> = NAMES): Loose {
  const merged: Record<string, unknown> = { ...before };
  for (const [name, value] of Object.entries(stated)) {
    if (!names.has(name)) continue; // a server may use any number of other names
    const details = asObject(value);
    if (details) merged[name] = mergedUsage(asObject(before[name]) ?? {}, details, DETAILS);
    else if (typeof value === "number") merged[name] = value;
  }
  return merged;
}

const NAMES: ReadonlySet<string> = new Set([
  ...["prompt_tokens", "completion_tokens", "total_tokens", "cached_tokens", "prompt_cache_hit_tokens"],
  ...["prompt_tokens_details", "completion_tokens_details"],
]);
const DETAILS: ReadonlySet<string> = new Set(["cached_tokens", "cache_write_tokens", "reasoning_tokens"]);

/** The counts in our terms: cached tokens, read and written, separate from the rest of the prompt; thinking included in the output. */
export function usageOf(stated: Loose): Usage {
  const prompt = asObject(stated.prompt_tokens_details) ?? {};
  const read =
    asCount(prompt.cached_tokens) || asCount(stated.prompt_cache_hit_tokens) || asCount(stated.cached_tokens);
  const written = asCount(prompt.cache_write_tokens);
  const input = asCount(stated.prompt_tokens);
  const output = asCount(stated.completion_tokens);
  const thought = asCount(asObject(stated.completion_tokens_details)?.reasoning_tokens);
  // OpenAI includes thinking in the output; xAI adds it on top, which its total shows.
  const isBeside = thought > 0 && asCount(stated.total_tokens) === input + output + thought;
  return {
    inputTokens: Math.max(0, input - read - written),
    outputTokens: output + (isBeside ? thought : 0),
    cacheReadTokens: read,
    cacheWriteTokens: written,
    thinkingTokens: thought > 0 ? thought : undefined,
  };
}
