import { isSameJson } from "indusagi/core";
import type { Message } from "indusagi/llmgateway";

/** What turns one list of messages into another: `remove` messages from `from` on are replaced by `insert`. */
export interface MessagePatch {
  readonly from: number;
  readonly remove: number;
  readonly insert: readonly Message[];
}

/** The smallest single patch from `before` to `after`, compared by value; undefined if they are the same. */
export function patchMessages(
  before: readonly Message[],
  after: readonly Message[],
): MessagePatch | undefined {
  const shorter = Math.min(before.length, after.length);
  let from = 0;
  while (from < shorter && isSameJson(before[from], after[from])) from++;
  let kept = 0;
  while (kept < shorter - from && isSameJson(before.at(-1 - kept), after.at(-1 - kept))) kept++;
  const remove = before.length - from - kept;
  const insert = after.slice(from, after.length - kept);
  return remove === 0 && insert.length === 0 ? undefined : { from, remove, insert };
}
