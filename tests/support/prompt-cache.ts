// A simulated prompt cache of a provider, based on what a model server received: which bytes of a request it has seen before.

import { createHash } from "node:crypto";

export interface CacheUse {
  /** Bytes that were in the cache when the request came. */
  readonly read: number;
  /** Bytes of tools, system prompt and messages together. */
  readonly total: number;
}

/** What is sent on each wire, in the order in which it is cached. */
export type CachedWire = "anthropic" | "openai" | "responses" | "gemini";

export interface PromptCache {
  /** Takes a request and returns how much of it was already cached. */
  readonly take: (request: { readonly wire: CachedWire; readonly body: Loose }) => CacheUse;
}

/** One part of a prompt, in the order in which a provider caches it; `isMarked`: the client asks to cache up to here. */
interface Part {
  readonly bytes: string;
  readonly isMarked: boolean;
}

/**
 * Anthropic keeps a prefix only if the client marks its end; the others keep every prefix, the Responses API separately for
 * each cache key. All use the longest one that the request begins with. Marks are not part of the comparison.
 */
export function createPromptCache(): PromptCache {
  const kept = new Set<string>();
  return {
    take({ wire, body }) {
      const hash = createHash("sha256").update(String(body.prompt_cache_key ?? ""));
      let read = 0;
      let total = 0;
      const fresh: string[] = [];
      for (const { bytes, isMarked } of PARTS[wire](body)) {
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

const PARTS: Readonly<Record<CachedWire, (body: Loose) => readonly Part[]>> = {
  anthropic: ({ tools = [], system = [], messages = [] }) => {
    const turns = (
      messages as readonly { readonly role: string; readonly content: readonly Loose[] }[]
    ).flatMap(({ role, content }) => content.map((block) => partOf(block, role)));
    const head = [...(tools as readonly Loose[]), ...(system as readonly Loose[])].map((block) =>
      partOf(block, "head"),
    );
    return [...head, ...turns];
  },
  openai: ({ tools = [], messages = [] }) => kept([...(tools as Loose[]), ...(messages as Loose[])]),
  responses: ({ tools = [], instructions, input = [] }) =>
    kept([...(tools as Loose[]), instructions, ...(input as Loose[])]),
  gemini: ({ tools = [], systemInstruction, contents = [] }) => {
    const turns = contents as readonly { readonly role: string; readonly parts: readonly Loose[] }[];
    const parts = turns.flatMap(({ role, parts }) => parts.map((part) => ({ role, ...part })));
    return kept([...(tools as Loose[]), systemInstruction, ...parts]);
  },
};

function partOf({ cache_control, ...block }: Loose, role: string): Part {
  return { bytes: role + JSON.stringify(block), isMarked: cache_control !== undefined };
}

function kept(parts: readonly unknown[]): readonly Part[] {
  return parts.map((part) => ({ bytes: JSON.stringify(part) ?? "", isMarked: true }));
}
