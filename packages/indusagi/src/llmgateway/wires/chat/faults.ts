// What a Chat Completions stream may say at its end: a reason to stop, or that the generation failed.

import type { ModelFaultKind, StopReason } from "../../contract.ts";

/** Reasons under which the answer stands. One that nobody knows stands as well. */
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

/** Reasons under which nothing that came is an answer, with the kind of fault that each is. */
export const FAILED_GENERATIONS: Readonly<Record<string, ModelFaultKind>> = {
  error: "server", // OpenRouter
  network_error: "server", // Z.ai
  insufficient_system_resource: "overloaded", // DeepSeek
  engine_overloaded: "overloaded",
  malformed_function_call: "server", // Gemini: asked again, it writes another
  unexpected_tool_call: "server",
  abort: "server", // vLLM, SGLang
};
