// What a resumed conversation needs besides the model's view, read from its log: it is kept nowhere else.

import type { JsonValue } from "indusagi/core";
import type { SeenFile, SessionApproval } from "../deck/contract.ts";
import { branchOf, once } from "./branch.ts";
import type { Entry, ShownDocument, UserContent } from "./contract.ts";

/** What the entries of one session tell about it. */
export interface Recalled {
  /** The files that the model has seen, each in its latest version, and when that was logged. */
  readonly files: ReadonlyMap<string, SeenFile & { readonly at: number }>;
  readonly approvals: readonly SessionApproval[];
  /** The documents in the model's view next to its prompt, by path. */
  readonly documents: ReadonlyMap<string, ShownDocument>;
}

/** A pure fold: cleared content is gone, and what a summary replaced is no longer in view. Answers hold on every branch. */
export function recallSession(entries: readonly Entry[]): Recalled {
  const files = new Map<string, SeenFile & { readonly at: number }>();
  const documents = new Map<string, ShownDocument>();
  const approvals = entries.reduce(withApprovalsOf, []);
  const recall = (entry: Entry): void => {
    if (entry.type === "tool")
      for (const file of entry.files ?? []) files.set(file.path, { ...file, at: entry.at });
    if (entry.type === "notice")
      for (const document of entry.documents ?? []) documents.set(document.path, document);
    if (entry.type === "clear") files.clear();
    if (entry.type === "clear" || entry.type === "summary") documents.clear();
  };
  branchOf(entries).forEach(recall);
  return { files, approvals, documents };
}

/** What the names of their tools begin with. */
const OF_SERVERS = "mcp__";

/** Without those of an MCP server's tool that became another one since, or went. */
function withApprovalsOf(before: readonly SessionApproval[], entry: Entry): readonly SessionApproval[] {
  if (entry.type === "approval") return [...before, entry.approval];
  if (entry.type !== "prompt" || entry.toolChanges === undefined) return before;
  const others = entry.toolChanges.flatMap(({ tool, how }) =>
    how !== "added" && tool.startsWith(OF_SERVERS) ? tool : [],
  );
  return before.filter(({ tool }) => !others.includes(tool));
}

/** The arguments of the last call of `tool` that succeeded since the view was last cleared. */
export function lastInputOf(entries: readonly Entry[], tool: string): JsonValue | undefined {
  const branch = branchOf(entries);
  const since = branch.slice(branch.findLastIndex(({ type }) => type === "clear") + 1);
  const at = since.findLastIndex(
    (entry) => entry.type === "tool" && entry.name === tool && entry.state === "ok",
  );
  const outcome = since[at];
  if (outcome?.type !== "tool") return undefined;
  if (outcome.input !== undefined) return outcome.input;
  // A later answer may reuse an id: the matching call is the nearest one before its outcome.
  for (const entry of since.slice(0, at).reverse()) {
    if (entry.type !== "assistant") continue;
    const call = entry.message.content.find(
      (block) => block.kind === "tool_call" && block.id === outcome.callId && block.name === tool,
    );
    if (call?.kind === "tool_call") return call.input;
  }
  return undefined;
}

const ENDED = "Ended with the process that ran this session before: ";
const MAX_ENDED = 8;
const MAX_COMMAND = 80;

/**
 * The background commands and delegates that an earlier process of the session began, in a line for the person and the model;
 * undefined if there are none they have not been told about. Delegates that had already ended are not included.
 */
export const endedWithProcess: (entries: readonly Entry[]) => string | undefined = once((entries) => {
  const ended = new Map<string, string>();
  const calls = new Map<string, JsonValue>();
  let inherited = -1; // what the forked session began may still be running
  for (const entry of branchOf(entries)) {
    if (entry.type === "session") inherited = Math.max(inherited, entry.parent?.entry ?? -1);
    if (entry.n <= inherited) continue;
    if (entry.type === "notice" && entry.text.startsWith(ENDED)) ended.clear();
    if (entry.type === "delegate" && entry.status !== "working") ended.delete(entry.id);
    else if (entry.type === "delegate") ended.set(entry.id, `${entry.id} (${entry.agent})`);
    if (entry.type === "assistant")
      for (const block of entry.message.content)
        if (block.kind === "tool_call" && block.name === "process") calls.set(block.id, block.input);
    if (entry.type !== "tool" || entry.name !== "process" || entry.state !== "ok") continue;
    const { action, command } = { ...((entry.input ?? calls.get(entry.callId)) as object) } as {
      readonly action?: unknown;
      readonly command?: unknown;
    };
    if (action === "start" && typeof command === "string")
      ended.set(`process ${entry.n}`, JSON.stringify(command.slice(0, MAX_COMMAND)));
  }
  if (ended.size === 0) return undefined;
  const more = ended.size - MAX_ENDED;
  const named = [...ended.values()].slice(-MAX_ENDED).join(", ");
  return `${ENDED}${named}${more > 0 ? `, and ${more} more` : ""}. Restart what you still need.`;
});

/** The lines typed while the session worked that no request has shown yet, in order. */
export const pendingLines: (
  entries: readonly Entry[],
) => readonly { readonly content: UserContent; readonly n: number }[] = once((entries) => {
  const waiting = new Map<number, UserContent>();
  let inherited = -1; // lines that wait in the forked session belong to that session
  for (const entry of entries) {
    if (entry.type === "session") inherited = entry.parent?.entry ?? -1;
    if (entry.type === "queued" && entry.n > inherited) waiting.set(entry.n, entry.content);
    if ((entry.type === "user" || entry.type === "veto") && entry.queued !== undefined)
      waiting.delete(entry.queued);
  }
  return [...waiting].map(([n, content]) => ({ n, content }));
});
