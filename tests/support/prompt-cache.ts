// A provider's prompt cache, simulated on what a model server received: which bytes of a request it has seen before.

import { createHash } from "node:crypto";
import type { RecordedRequest } from "./model-server.ts";

export interface CacheUse {
  /** Bytes that were in the cache when the request came. */
  readonly read: number;
  /** Bytes of tools, system prompt and messages together. */
  readonly total: number;
}

export interface PromptCache {
  /** Takes a request in and answers what of it was there already. */
  readonly take: (request: RecordedRequest) => CacheUse;
}

/** One part of a prompt in the order in which a provider caches it; `isMarked` where the client asks to keep it so far. */
interface Part {
  readonly bytes: string;
  readonly isMarked: boolean;
}

/**
 * Anthropic keeps a prefix only where the client marks its end; an OpenAI-compatible server keeps every prefix. Both read
 * the longest one that begins the request. A mark is not part of what is compared.
 */
export function createPromptCache(): PromptCache {
  const kept = new Set<string>();
  return {
    take(request) {
      const parts = request.wire === "anthropic" ? anthropicParts(request.body) : openAiParts(request.body);
      const hash = createHash("sha256");
      let read = 0;
      let total = 0;
      const fresh: string[] = [];
      for (const { bytes, isMarked } of parts) {
        total += Buffer.byteLength(bytes);
        const prefix = hash.update(bytes).update("\0").copy().digest("hex");
        if (kept.has(prefix)) read = total;
        if (isMarked) fresh.push(prefix);
      }
      for (const prefix of fresh) kept.add(prefix);
      return { read, total };
    },
  };
}

type Loose = Readonly<Record<string, unknown>>;

function anthropicParts({ tools = [], system = [], messages = [] }: Loose): readonly Part[] {
  const turns = (
    messages as readonly { readonly role: string; readonly content: readonly Loose[] }[]
  ).flatMap(({ role, content }) => content.map((block) => partOf(block, role)));
  const head = [...(tools as readonly Loose[]), ...(system as readonly Loose[])].map((block) =>
    partOf(block, "head"),
  );
  return [...head, ...turns];
}

function partOf({ cache_control, ...block }: Loose, role: string): Part {
  return { bytes: role + JSON.stringify(block), isMarked: cache_control !== undefined };
}

function openAiParts({ tools = [], messages = [] }: Loose): readonly Part[] {
  return [...(tools as readonly Loose[]), ...(messages as readonly Loose[])].map((part) => ({
    bytes: JSON.stringify(part),
    isMarked: true,
  }));
}
