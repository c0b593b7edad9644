import { createHash } from "node:crypto";
import type { Message } from "../contract.ts";

/** One key per session, so that its requests share a provider's cache. A session's first message is the same in all of them. */
export function cacheKey(first: Message): string {
  return `indus-${createHash("sha256").update(JSON.stringify(first)).digest("hex").slice(0, 32)}`;
}
