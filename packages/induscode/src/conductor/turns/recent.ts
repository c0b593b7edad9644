// Chooses what stays unchanged when the rest of a view makes room: the newest messages, cut where no call is separated from its outcome.

import type { Message } from "indusagi/llmgateway";
import type { ContextFold } from "../fold.ts";

/** The most that counts as recent, in characters of the view for each token of the model's window. */
const RECENT_CHARS_PER_TOKEN = 0.6;
/** A summary must be worth its price, so most of the view gives way. */
const RECENT_SHARE = 0.25;
/** Blanking a shorter outcome frees too little room. */
const MIN_STALE_CHARS = 600;

type View = Pick<ContextFold, "messages" | "places" | "chars">;

/**
 * The index of the first message that stays; what stays is short enough for the window, except a line that waits for its answer.
 * `messages.length`: nothing stays.
 */
export function recentFrom({ messages, places, chars }: View, contextWindow: number): number {
  const room = Math.min(contextWindow * RECENT_CHARS_PER_TOKEN, chars * RECENT_SHARE);
  let first = messages.length;
  let taken = 0;
  for (let at = messages.length - 1; at > 0; at--) {
    taken += places[at]?.chars ?? 0;
    if (taken > room) break;
    if (messages[at]?.role !== "tool") first = at;
  }
  // Messages that belong together begin with the person's line.
  const line = messages.findIndex(({ role }, at) => at >= first && role === "user");
  return Math.min(line < 0 ? first : line, unanswered({ messages, places }));
}

/** The index of the person's newest line if only notices came after it: it stays whatever its length. Otherwise `places.length`. */
export function unanswered({ messages, places }: Pick<View, "messages" | "places">): number {
  for (let at = places.length - 1; messages[at]?.role === "user"; at--) if (places[at]?.isLine) return at;
  return places.length;
}

/**
 * The entries of outcomes that the model has processed and moved on from, and how many characters they take. Outcomes of its last
 * answer's calls are never included, whatever their length.
 */
export function staleOutcomes(
  view: View,
  contextWindow: number,
): { readonly outcomes: readonly number[]; readonly chars: number } {
  const { messages, places } = view;
  const end = Math.min(recentFrom(view, contextWindow), lastAnswer(messages));
  const outcomes: number[] = [];
  let chars = 0;
  for (const [at, { n, chars: own, isBlank }] of places.slice(0, end).entries()) {
    if (messages[at]?.role !== "tool" || isBlank || own < MIN_STALE_CHARS) continue;
    outcomes.push(n);
    chars += own;
  }
  return { outcomes, chars };
}

function lastAnswer(messages: readonly Message[]): number {
  const at = messages.findLastIndex(({ role }) => role === "assistant");
  return at < 0 ? messages.length : at;
}
