// What a Chat Completions server's refusals teach: the fields that a model does not take, and what it requires in addition to what
// it was sent.

import type { Lesson } from "../../lessons.ts";

/** Fields that some servers refuse, and things that some require. */
export type ChatLesson =
  | "stream_options"
  | "max_tokens"
  | "temperature"
  | "thinking beside tools"
  | "reasoning_effort"
  | "cache_control"
  | "prompt_cache_key"
  | "reasoning_details"
  | "reasoning_content"
  | "reasoning"
  | "wants thoughts"
  | "wants bridges";

/** A server names the field that it does not know. */
export const CHAT_LESSONS: readonly Lesson<ChatLesson>[] = [
  {
    // DeepSeek and Moonshot, after an answer without thinking or from another model.
    name: "wants thoughts",
    when: /reasoning_content\b.{0,80}(missing|required|must be (passed|provided|present|included))|missing.{0,40}reasoning_content/i,
  },
  // Mistral accepts only an answer after an outcome.
  { name: "wants bridges", when: /role 'user' after role 'tool'/i },
  { name: "stream_options", when: /\bstream_options\b/ },
  { name: "max_tokens", when: /\bmax_tokens\b/ },
  { name: "temperature", when: /\btemperature\b/, loses: "a temperature" },
  {
    // OpenAI's models from 5.4 on, on a server without a Responses API.
    name: "thinking beside tools",
    when: /tools with reasoning_effort|reasoning_effort\b.{0,80}\/v1\/responses/i,
    loses: "thinking with tools over Chat Completions",
  },
  { name: "reasoning_effort", when: /\breasoning_effort\b/, loses: "a thinking level" },
  { name: "cache_control", when: /\bcache_control\b/ },
  { name: "prompt_cache_key", when: /\bprompt_cache_key\b/ },
  { name: "reasoning_details", when: /\breasoning_details\b/ },
  { name: "reasoning_content", when: /\breasoning_content\b/ },
  { name: "reasoning", when: /\breasoning\b/ },
];
