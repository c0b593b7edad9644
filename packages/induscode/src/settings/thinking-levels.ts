// The one list of thinking levels, for the flag, the settings and the commands. It is a value here because the gateway,
// which has the type, is not loaded until a model is needed.

import type { ThinkingLevel } from "indusagi/llmgateway";

export const THINKING_LEVELS = [
  "off",
  "low",
  "medium",
  "high",
  "xhigh",
  "max",
] as const satisfies readonly ThinkingLevel[];

export function isThinkingLevel(text: string): text is ThinkingLevel {
  return THINKING_LEVELS.some((level) => level === text);
}
