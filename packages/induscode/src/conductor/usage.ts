import type { Usage } from "indusagi/llmgateway";

export const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

export function sumUsage(one: Usage, other: Usage): Usage {
  const hour = (one.hourWriteTokens ?? 0) + (other.hourWriteTokens ?? 0);
  const thinking = (one.thinkingTokens ?? 0) + (other.thinkingTokens ?? 0);
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    cacheReadTokens: one.cacheReadTokens + other.cacheReadTokens,
    cacheWriteTokens: one.cacheWriteTokens + other.cacheWriteTokens,
    ...(thinking > 0 ? { thinkingTokens: thinking } : {}),
    ...(hour > 0 ? { hourWriteTokens: hour } : {}),
  };
}
