// A session's turns as a tree, for a person who looks for one of them.

import { branchOf, jumpsIn, saidText } from "./branch.ts";
import type { Entry } from "./contract.ts";

/** A place of the tree that a person may go to. */
export interface TreeNode {
  /** Its place in the order of the log, from 1. */
  readonly number: number;
  readonly kind: "line" | "summary" | "blank" | "clear";
  /** What the person said; of a summary its beginning. */
  readonly text: string;
  readonly at: number;
  /** The entry after which a conversation goes on that keeps all of it. */
  readonly end: number;
  /** The entry after which one goes on that keeps nothing of it. */
  readonly before: number;
  /** 0 at the beginning. */
  readonly parent: number;
  /** The conversation came through it. */
  readonly isInForce: boolean;
}

/** What was said, in the order of the log. */
export function treeOf(entries: readonly Entry[]): readonly TreeNode[] {
  const jumps = jumpsIn(entries);
  const inForce = new Set(branchOf(entries));
  const nodes: TreeNode[] = [];
  const nodeAt: number[] = []; // of each entry the number of the node that it belongs to
  const ended = new Set<number>();
  for (const [at, entry] of entries.entries()) {
    const parentAt = jumps.get(at) ?? at - 1;
    const parent = nodeAt[parentAt] ?? 0;
    const kind = kindOf(entry);
    if (kind !== undefined)
      nodes.push({
        number: nodes.length + 1,
        kind,
        text: textOf(entry),
        at: entry.at,
        end: entry.n,
        before: entries[parentAt]?.n ?? 0,
        parent,
        isInForce: inForce.has(entry),
      });
    const number = kind === undefined ? parent : nodes.length;
    nodeAt.push(number);
    const node = nodes[number - 1];
    // What comes after the end of a turn is already of the next.
    if (node && !ended.has(number) && entry.type !== "jump" && entry.type !== "session")
      nodes[number - 1] = { ...node, end: entry.n };
    if (entry.type === "end") ended.add(number);
  }
  return nodes;
}

function kindOf(entry: Entry): TreeNode["kind"] | undefined {
  if (entry.type === "user") return entry.via === "submit" ? "line" : undefined;
  return entry.type === "summary" || entry.type === "blank" || entry.type === "clear"
    ? entry.type
    : undefined;
}

function textOf(entry: Entry): string {
  if (entry.type === "summary") return entry.text;
  return entry.type === "user" ? saidText(entry) : "";
}
