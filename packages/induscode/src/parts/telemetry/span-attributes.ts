// What spans say of models, usage and messages, by the semantic conventions for generative AI.

import { beginningOf } from "indusagi/core";
import type { Usage } from "indusagi/llmgateway";
import type { Entry } from "../../conductor/contract.ts";
import type { Attributes, Span } from "./span.ts";

export type EntryOf<Type extends Entry["type"]> = Extract<Entry, { readonly type: Type }>;

/** What all spans of a session share. */
export interface SpanFacts {
  readonly sessionId: () => string;
  /** `provider/model` that a request goes to now. */
  readonly model: () => string;
  /** What was said, written and returned is part of the spans. */
  readonly holdsContent: boolean;
  /** The span of whoever started this process. */
  readonly parent: { readonly traceId: string; readonly spanId: string } | undefined;
  /** Takes a span that has ended. */
  readonly done: (span: Span) => void;
}

/** Of one text that a span holds. */
const MAX_CONTENT_CHARS = 32_768;
/** How the conventions name a provider, where that is not its name here. */
const PROVIDERS: Readonly<Record<string, string>> = {
  google: "gcp.gemini",
  vertex: "gcp.vertex_ai",
  bedrock: "aws.bedrock",
  azure: "azure.ai.openai",
  mistral: "mistral_ai",
  xai: "x_ai",
};

export function contentIn(
  { holdsContent }: Pick<SpanFacts, "holdsContent">,
  value: unknown,
): string | undefined {
  return holdsContent ? beginningOf(JSON.stringify(value), MAX_CONTENT_CHARS) : undefined;
}

/** Of `provider/model`. */
export function modelIn(name: string): string {
  return name.slice(name.indexOf("/") + 1);
}

export function modelAttributes(name: string): Attributes {
  const provider = name.slice(0, Math.max(0, name.indexOf("/")));
  return { "gen_ai.provider.name": PROVIDERS[provider] ?? provider, "gen_ai.request.model": modelIn(name) };
}

/** By the conventions what came from a cache, and went to it, is part of the input. */
export function usageAttributes(usage: Usage): Attributes {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage;
  return {
    "gen_ai.usage.input_tokens": inputTokens + cacheReadTokens + cacheWriteTokens,
    "gen_ai.usage.output_tokens": outputTokens,
    "gen_ai.usage.cache_read.input_tokens": cacheReadTokens,
    "gen_ai.usage.cache_creation.input_tokens": cacheWriteTokens,
  };
}

type Part = string | EntryOf<"assistant">["message"]["content"][number] | EntryOf<"user">["content"][number];

/** A message as the conventions write it; of pictures and thoughts it has nothing. */
export function messageOf(role: "user" | "assistant", parts: readonly Part[]): object {
  return {
    role,
    parts: parts.flatMap((part): readonly object[] => {
      if (typeof part === "string") return [{ type: "text", content: part }];
      if (part.kind === "text") return [{ type: "text", content: part.text }];
      if (part.kind !== "tool_call") return [];
      return [{ type: "tool_call", id: part.id, name: part.name, arguments: part.input }];
    }),
  };
}
