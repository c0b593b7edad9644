// `/tree`: the turns of a session on all its branches, and the way to each of them.

import { nowMs, printable } from "indusagi/core";
import type { Conductor } from "../conductor/contract.ts";
import { counted, readEntries } from "../conductor/log-reader.ts";
import { type TreeNode, treeOf } from "../conductor/tree.ts";
import { ageOf } from "./age.ts";

const USAGE =
  "Write: /tree, /tree N to go on after turn N, /tree before N to go on as if it had not been said, and behind either: summary, " +
  "to keep a summary of what is left.";
const ASKED = /^(before )?(\d{1,6})( summary)?$/;
const MAX_ROWS = 200;
const MAX_TEXT = 100;

/** Answers `/tree` with these words; `left` is the line that it went back before, for the person to write anew. */
export async function treeCommand(
  words: string,
  conductor: Conductor,
): Promise<{ readonly text: string; readonly left?: string }> {
  const { logPath, sessionId } = conductor.status();
  const nodes = nodesOf(logPath);
  if (nodes.length === 0) return { text: "Nothing was said in this session yet." };
  if (words === "") return { text: [`The turns of ${sessionId}:`, ...treeRows(nodes), USAGE].join("\n") };
  const [, before, number, summary] = ASKED.exec(words) ?? [];
  if (number === undefined) return { text: USAGE };
  const node = nodes[Number(number) - 1];
  if (number !== "0" && !node)
    return { text: `There is no turn ${number}: this session has ${nodes.length}.` };
  return jumpTo(conductor, {
    node,
    isBefore: before !== undefined || !node,
    summarise: summary !== undefined,
  });
}

/** Goes to a turn; without one to the beginning. */
export async function jumpTo(
  conductor: Conductor,
  {
    node,
    isBefore,
    summarise,
  }: { readonly node: TreeNode | undefined; readonly isBefore: boolean; readonly summarise: boolean },
): Promise<{ readonly text: string; readonly left?: string }> {
  const [first] = nodesOf(conductor.status().logPath);
  const to = node ? (isBefore ? node.before : node.end) : first?.before;
  if (to === undefined) return { text: "Nothing was said in this session yet." };
  const fault = await conductor.jump(to, { summarise });
  if (fault) return { text: fault.message };
  const place = node
    ? `${isBefore ? "before" : "after"} turn ${node.number}, "${shortOf(node)}"`
    : "from the beginning";
  const kept = summarise ? " The model has a summary of what was left." : "";
  const text = `The conversation goes on ${place}.${kept} What came since stays on its branch: /tree. Files stay as they are.`;
  return { text, ...(isBefore && node?.kind === "line" ? { left: node.text } : {}) };
}

function nodesOf(logPath: string): readonly TreeNode[] {
  try {
    return treeOf(readEntries(logPath).entries);
  } catch {
    return []; // a session in which nothing was said has no file
  }
}

/** One row for each turn: the branch in force is marked, and what stands on others is set in below the turn that it left. */
export function treeRows(nodes: readonly TreeNode[]): readonly string[] {
  const here = nodes.findLast(({ isInForce }) => isInForce)?.number;
  const rows = inOrder(nodes).map(({ node, depth }) => {
    const mark = node.isInForce ? "●" : "○";
    const end = node.number === here ? "  ← here" : "";
    return `  ${String(node.number).padStart(3)} ${"  ".repeat(depth)}${mark} ${shortOf(node)}  (${ageOf(node.at, nowMs())})${end}`;
  });
  const more = rows.length - MAX_ROWS;
  return more > 0 ? [`  (${counted(more, "earlier turn")} not shown)`, ...rows.slice(more)] : rows;
}

interface Placed {
  readonly node: TreeNode;
  readonly depth: number;
}

const MAX_DEPTH = 12;

/** Depth first; of several ways on from a turn the one in force comes last and is not set in. */
export function inOrder(nodes: readonly TreeNode[]): readonly Placed[] {
  const children = new Map<number, TreeNode[]>();
  for (const node of nodes) {
    const siblings = children.get(node.parent) ?? [];
    siblings.push(node);
    children.set(node.parent, siblings);
  }
  const placed: Placed[] = [];
  const open: Placed[] = [];
  const put = (parent: number, depth: number): void => {
    const ways = children.get(parent) ?? [];
    const main = ways.find(({ isInForce }) => isInForce) ?? ways.at(-1);
    const aside = ways.filter((node) => node !== main);
    if (main) open.push({ node: main, depth });
    for (const node of aside.reverse()) open.push({ node, depth: Math.min(MAX_DEPTH, depth + 1) });
  };
  put(0, 0);
  for (let next = open.pop(); next; next = open.pop()) {
    placed.push(next);
    put(next.node.number, next.depth);
  }
  return placed;
}

export function shortOf({ kind, text }: TreeNode): string {
  if (kind === "clear") return "[the view was emptied]";
  const line = printable(text).replaceAll(/\s+/g, " ").trim().slice(0, MAX_TEXT) || "[a picture]";
  return kind === "summary" ? `[summary] ${line}` : line;
}
