// What a Gemini stream may state at its end.

import type { ModelFaultKind, StopReason } from "../../contract.ts";

/** Reasons that leave the answer valid. An unknown reason does so too. */
export const STOPS: Readonly<Record<string, StopReason>> = {
  STOP: "complete",
  MAX_TOKENS: "max_output",
  SAFETY: "refusal",
  RECITATION: "refusal",
  BLOCKLIST: "refusal",
  PROHIBITED_CONTENT: "refusal",
  SPII: "refusal",
  LANGUAGE: "refusal",
  IMAGE_SAFETY: "refusal",
};

/** Reasons that make the answer unusable; asked again, the model writes another. */
export const FAILED_GENERATIONS: Readonly<Record<string, ModelFaultKind>> = {
  MALFORMED_FUNCTION_CALL: "server",
  UNEXPECTED_TOOL_CALL: "server",
  TOO_MANY_TOOL_CALLS: "server",
  MISSING_THOUGHT_SIGNATURE: "request",
  OTHER: "server",
};
