// What a Chat Completions stream may state at its end: a reason to stop, or that the generation failed.

import type { ModelFaultKind, StopReason } from "../../contract.ts";

/** Reasons that leave the answer valid. An unknown reason does so too. */
export const STOPS: Readonly<Record<string, StopReason>> = {
  stop: "complete",
  tool_calls: "tool_calls",
  function_call: "tool_calls",
  length: "max_output",
  max_tokens: "max_output",
  model_length: "max_output", // Mistral: the window is full
  model_context_window_exceeded: "max_output", // Z.ai
  content_filter: "refusal",
  sensitive: "refusal", // Z.ai
  safety: "refusal", // Gemini's compatible endpoint
  prohibited_content: "refusal",
  recitation: "refusal",
  refusal: "refusal",
};

/** Reasons that make the answer unusable, and the kind of fault for each. */
export const FAILED_GENERATIONS: Readonly<Record<string, ModelFaultKind>> = {
  error: "server", // OpenRouter
  network_error: "server", // Z.ai
  insufficient_system_resource: "overloaded", // DeepSeek
  engine_overloaded: "overloaded",
  malformed_function_call: "server", // Gemini: asked again, it writes a different one
  unexpected_tool_call: "server",
  abort: "server", // vLLM, SGLang
};
