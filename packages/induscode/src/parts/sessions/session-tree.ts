// `/tree`: the turns of a session on all its branches, and how to get to each of them.

import { beginningOf, nowMs, printable } from "indusagi/core";
import type { Conductor } from "../../conductor/contract.ts";
import { counted } from "../../conductor/log-reader.ts";
import type { Retell } from "../../conductor/past-events.ts";
import { type TreeNode, treeOf } from "../../conductor/tree.ts";
import type { ConsoleList, PickItem } from "../../feature/command.ts";
import { loggedEntries } from "../../session/logs/logged-entries.ts";
import { ageOf } from "./age.ts";

const USAGE =
  "Usage: /tree, /tree N to continue after turn N, /tree before N to continue as if turn N had not been said; append the " +
  "word summary to keep a summary of the turns that you leave.";
const ASKED = /^(before )?(\d{1,6})( summary)?$/;
const MAX_ROWS = 200;
const MAX_TEXT = 100;
const MAX_DEPTH = 12;
const NOTHING_SAID = "Nothing has been said in this session yet.";
const STAYS = "The conversation continues where it is.";

/** What `/tree` operates on. */
interface TreeFacts {
  readonly conductor: Conductor;
  readonly list: ConsoleList | undefined;
  readonly retell: Retell | undefined;
}

/** Replies to `/tree` with these words; if it goes back to before a line, that line is put into the editor. */
export async function treeCommand(words: string, facts: TreeFacts): Promise<string> {
  const { conductor, list } = facts;
  const { sessionId, busy } = conductor.status();
  const nodes = nodesOf(conductor);
  const [first] = nodes;
  if (!first) return NOTHING_SAID;
  if (words === "" && list && !busy) return choose(nodes, facts, list);
  if (words === "") return [`The turns of ${sessionId}:`, ...treeRows(nodes), USAGE].join("\n");
  const [, before, number, summary] = ASKED.exec(words) ?? [];
  if (number === undefined) return USAGE;
  const isFirst = Number(number) === 0;
  const node = isFirst ? first : nodes[Number(number) - 1];
  if (!node) return `Turn ${number} not found: this session has ${nodes.length}.`;
  const isBefore = before !== undefined || isFirst;
  return jumpTo(facts, { node, isBefore, summarise: summary !== undefined });
}

interface Jump {
  readonly node: TreeNode;
  readonly isBefore: boolean;
  readonly summarise: boolean;
}

const WAYS: readonly (Omit<Jump, "node"> & PickItem)[] = [
  { label: "continue after this turn", isBefore: false, summarise: false },
  { label: "go back before this turn, and rewrite it", isBefore: true, summarise: false },
  { label: "continue after this turn, with a summary of the later turns", isBefore: false, summarise: true },
  {
    label: "go back before this turn, with a summary of this turn and the later turns",
    isBefore: true,
    summarise: true,
  },
];

async function choose(nodes: readonly TreeNode[], facts: TreeFacts, list: ConsoleList): Promise<string> {
  const rows = inOrder(nodes).map(({ node, depth }) => ({
    node,
    label: labelOf(node, depth, nodes),
    detail: ageOf(node.at, nowMs()),
  }));
  const chosen = await list.pick(
    "Where should the conversation continue?",
    (typed) => rows.filter(({ node }) => holdsAll(node.text, typed)),
    rows.findLastIndex(({ node }) => node.isInForce),
  );
  if (!chosen) return STAYS;
  const { node } = chosen;
  const way = await list.pick(`Turn ${node.number}:`, (typed) =>
    WAYS.filter(({ label }) => holdsAll(label, typed)),
  );
  return way ? jumpTo(facts, { ...way, node }) : STAYS;
}

/** Whether it contains every word of `typed`, ignoring case. */
function holdsAll(text: string, typed: string): boolean {
  const lower = text.toLowerCase();
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every((word) => lower.includes(word));
}

async function jumpTo(
  { conductor, list, retell }: TreeFacts,
  { node, isBefore, summarise }: Jump,
): Promise<string> {
  const fault = await conductor.jump(isBefore ? node.before : node.end, { summarise });
  if (fault) return fault.message;
  retell?.(loggedEntries(conductor));
  const place = `${isBefore ? "before" : "after"} turn ${node.number}, "${shortOf(node)}"`;
  const kept = summarise ? " The model has a summary of the turns that you left." : "";
  const text = `The conversation continues ${place}.${kept} Later turns stay on their branch: /tree. Files are unchanged.`;
  if (!isBefore || node.kind !== "line") return text;
  if (!list) return `${text}\nThe line was: ${node.text}`;
  list.write(node.text);
  return text;
}

/** `/compact undo`: back to before the summary, as long as nothing was said after it. */
export async function undoCompaction(conductor: Conductor): Promise<string> {
  const inForce = nodesOf(conductor).filter((node) => node.isInForce);
  const summary = inForce.findLast(({ kind }) => kind === "summary" || kind === "blank");
  if (!summary) return "No summary to undo.";
  if (summary !== inForce.at(-1))
    return `The conversation has continued since then, and undoing would hide the later turns. To go back anyway: /tree before ${summary.number}`;
  const fault = await conductor.jump(summary.before);
  const what = summary.kind === "blank" ? "Clearing old tool results" : "The summary";
  return fault?.message ?? `${what} is undone: the model sees everything again.`;
}

function nodesOf(conductor: Conductor): readonly TreeNode[] {
  return treeOf(loggedEntries(conductor)); // one that cannot be read is a fault of the command
}

/** One row per turn: the branch in force is marked, and other branches are indented below the turn where they left it. */
function treeRows(nodes: readonly TreeNode[]): readonly string[] {
  const rows = inOrder(nodes).map(
    ({ node, depth }) => `  ${labelOf(node, depth, nodes)}  (${ageOf(node.at, nowMs())})`,
  );
  const more = rows.length - MAX_ROWS;
  return more > 0 ? [`  (${counted(more, "earlier turn")} not shown)`, ...rows.slice(more)] : rows;
}

function labelOf(node: TreeNode, depth: number, nodes: readonly TreeNode[]): string {
  const mark = node.isInForce ? "●" : "○";
  const end = node === nodes.findLast(({ isInForce }) => isInForce) ? "  ← here" : "";
  return `${String(node.number).padStart(3)} ${"  ".repeat(depth)}${mark} ${shortOf(node)}${end}`;
}

interface Placed {
  readonly node: TreeNode;
  readonly depth: number;
}

/** Depth first; of several turns that follow one, the one in force comes last and is not indented. */
function inOrder(nodes: readonly TreeNode[]): readonly Placed[] {
  const children = new Map<number, TreeNode[]>();
  for (const node of nodes) {
    const ways = children.get(node.parent);
    if (ways) ways.push(node);
    else children.set(node.parent, [node]);
  }
  const placed: Placed[] = [];
  const open: Placed[] = [];
  const put = (parent: number, depth: number): void => {
    const ways = children.get(parent) ?? [];
    const main = ways.find(({ isInForce }) => isInForce) ?? ways.at(-1);
    if (main) open.push({ node: main, depth });
    for (const node of ways.toReversed())
      if (node !== main) open.push({ node, depth: Math.min(MAX_DEPTH, depth + 1) });
  };
  put(0, 0);
  for (let next = open.pop(); next; next = open.pop()) {
    placed.push(next);
    put(next.node.number, next.depth);
  }
  return placed;
}

function shortOf({ kind, text }: TreeNode): string {
  if (kind === "clear") return "[view cleared]";
  if (kind === "blank") return "[old tool results cleared]";
  const line = beginningOf(printable(text).replaceAll(/\s+/g, " ").trim(), MAX_TEXT) || "[a picture]";
  return kind === "summary" ? `[summary] ${line}` : line;
}
