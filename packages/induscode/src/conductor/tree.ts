// A session's turns as a tree, for a person who looks for one of them.

import { branchOf, jumpsIn, saidText } from "./branch.ts";
import type { Entry } from "./contract.ts";

/** A place in the tree that a person can go to. */
export interface TreeNode {
  /** Its position in the log, from 1. */
  readonly number: number;
  readonly kind: "line" | "summary" | "blank" | "clear";
  /** What the person said; for a summary, its beginning. */
  readonly text: string;
  readonly at: number;
  /** The entry to continue after to keep all of it. */
  readonly end: number;
  /** The entry to continue after to keep nothing of it. */
  readonly before: number;
  /** 0 for the beginning. */
  readonly parent: number;
  /** It is on the branch in force. */
  readonly isInForce: boolean;
}

/** What was said, in log order. */
export function treeOf(entries: readonly Entry[]): readonly TreeNode[] {
  const jumps = jumpsIn(entries);
  const inForce = new Set(branchOf(entries));
  const nodes: TreeNode[] = [];
  const nodeAt: number[] = []; // for each entry the number of the node it belongs to
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
    // Whatever follows the end of a turn belongs to the next one.
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
