// The one list of the levels, for the flag, the settings and the commands. A value of its own: the gateway, where the type
// stands, is not loaded before a model is needed.

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
