// What a Messages server's refusals teach about a model. Anthropic's own are
// described in `thinking.ts`; other servers support less of this wire.

import type { Lesson } from "../../lessons.ts";

export type MessagesLesson = "temperature" | "thinking" | "effort" | "ttl" | "cache_control" | "interleaved";

export const MESSAGES_LESSONS: readonly Lesson<MessagesLesson>[] = [
  { name: "temperature", when: /\btemperature\b/, loses: "a temperature" },
  { name: "effort", when: /\b(output_config|effort)\b/, loses: "a thinking level" },
  {
    name: "thinking",
    when: /\bthinking(\.type|\.enabled|\.adaptive)?\b.{0,60}(not (supported|permitted|available)|unsupported|unknown|extra inputs)|(adaptive|extended) thinking is not|does(n't| not) support.{0,20}thinking/i,
    loses: "thinking",
  },
  { name: "interleaved", when: /anthropic-beta/i },
  { name: "ttl", when: /\bttl\b/, loses: "caching a prompt for an hour" },
  {
    name: "cache_control",
    when: /\bcache_control\b.{0,60}(not (supported|permitted)|unsupported|unknown|extra inputs)/i,
  },
];
