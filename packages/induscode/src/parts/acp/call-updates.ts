// A tool call as an editor shows it: its kind, its files, what it changed.

import { resolve } from "node:path";
import type {
  PlanEntry,
  ToolCallContent,
  ToolCallLocation,
  ToolKind,
} from "@agentclientprotocol/sdk/unstable";
import { isTable, type JsonValue, printable } from "indusagi/core";
import { EXIT_PLAN } from "../../deck/builtins/person-desk.ts";

const KINDS: Readonly<Record<string, ToolKind>> = {
  read: "read",
  ls: "search",
  grep: "search",
  find: "search",
  write: "edit",
  edit: "edit",
  bash: "execute",
  process: "execute",
  webfetch: "fetch",
  websearch: "fetch",
  todo_set: "think",
  todo_read: "think",
  [EXIT_PLAN]: "switch_mode",
};

export function kindOf(tool: string): ToolKind {
  return Object.hasOwn(KINDS, tool) ? (KINDS[tool] ?? "other") : "other";
}

/** `read src/a.ts`; a command stands for itself. */
export function titleOf(tool: string, title: string): string {
  const line = printable(title).replace(/\s+/g, " ").trim();
  if (tool === "bash" && line !== "") return line;
  return line === "" ? printable(tool) : `${printable(tool)} ${line}`;
}

/** The file that a call names, so that an editor can follow it. */
export function locationsOf(tool: string, input: JsonValue, cwd: string): ToolCallLocation[] {
  const isOfFiles = ["read", "search", "edit"].includes(kindOf(tool));
  if (!isOfFiles || !isTable(input) || typeof input.path !== "string") return [];
  const line = typeof input.offset === "number" ? { line: Math.max(1, Math.trunc(input.offset)) } : {};
  return [{ path: resolve(cwd, input.path), ...line }];
}

/** Each hunk of a unified diff with its text before and after. */
export function diffContent(path: string, diff: string): ToolCallContent[] {
  const hunks: { before: string[]; after: string[] }[] = [];
  for (const line of diff.replace(/\n$/, "").split("\n")) {
    if (line.startsWith("@@")) hunks.push({ before: [], after: [] });
    const hunk = hunks.at(-1);
    if (hunk === undefined || line.startsWith("@@") || line.startsWith("\\")) continue;
    const text = line.slice(1);
    if (!line.startsWith("+")) hunk.before.push(text);
    if (!line.startsWith("-")) hunk.after.push(text);
  }
  return hunks.map(({ before, after }) => ({
    type: "diff",
    path,
    oldText: before.length === 0 ? null : before.join("\n"),
    newText: after.join("\n"),
  }));
}

export function textContent(text: string): ToolCallContent {
  return { type: "content", content: { type: "text", text: printable(text) } };
}

const PLAN_STATES = { pending: "pending", active: "in_progress", done: "completed" } as const;

/** The checklist that a call of `todo_set` makes; undefined for any other call. */
export function planOf(tool: string, input: JsonValue): PlanEntry[] | undefined {
  if (tool !== "todo_set" || !isTable(input) || !Array.isArray(input.items)) return undefined;
  return input.items.flatMap((item): PlanEntry[] => {
    if (!isTable(item) || typeof item.text !== "string") return [];
    const state = Object.entries(PLAN_STATES).find(([name]) => name === item.status)?.[1];
    return [{ content: printable(item.text), priority: "medium", status: state ?? "pending" }];
  });
}
