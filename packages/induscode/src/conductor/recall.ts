// What a conversation goes on with besides the model's view, read from its log: nothing of it is kept anywhere else.

import type { JsonValue } from "indusagi/core";
import type { SeenFile, SessionApproval } from "../deck/contract.ts";
import { branchOf } from "./branch.ts";
import type { Entry, ShownDocument, UserContent } from "./contract.ts";

/** What the entries of one session say of it. */
export interface Recalled {
  /** The files that the model has seen, each as it was last, and when that was logged. */
  readonly files: ReadonlyMap<string, SeenFile & { readonly at: number }>;
  readonly approvals: readonly SessionApproval[];
  /** The documents in the model's view next to its prompt, by path. */
  readonly documents: ReadonlyMap<string, ShownDocument>;
}

/** A pure fold: what was cleared is gone, and what a summary stands for is no longer in view. Answers hold on every branch. */
export function recallSession(entries: readonly Entry[]): Recalled {
  const files = new Map<string, SeenFile & { readonly at: number }>();
  const documents = new Map<string, ShownDocument>();
  const approvals = entries.flatMap((entry) => (entry.type === "approval" ? [entry.approval] : []));
  for (const entry of branchOf(entries)) {
    if (entry.type === "tool")
      for (const file of entry.files ?? []) files.set(file.path, { ...file, at: entry.at });
    if (entry.type === "notice")
      for (const document of entry.documents ?? []) documents.set(document.path, document);
    if (entry.type === "clear") files.clear();
    if (entry.type === "clear" || entry.type === "summary") documents.clear();
  }
  return { files, approvals, documents };
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
  // An id may come again in a later answer: the call is the nearest one before its outcome.
  for (const entry of since.slice(0, at).reverse()) {
    if (entry.type !== "assistant") continue;
    const call = entry.message.content.find(
      (block) => block.kind === "tool_call" && block.id === outcome.callId && block.name === tool,
    );
    if (call?.kind === "tool_call") return call.input;
  }
  return undefined;
}

/** The lines that were typed while the session worked and that no request has shown yet, in their order. */
export function pendingLines(
  entries: readonly Entry[],
): readonly { readonly content: UserContent; readonly n: number }[] {
  const waiting = new Map<number, UserContent>();
  let inherited = -1; // lines that wait in the session that this one is a fork of are that one's
  for (const entry of entries) {
    if (entry.type === "session") inherited = entry.parent?.entry ?? -1;
    if (entry.type === "queued" && entry.n > inherited) waiting.set(entry.n, entry.content);
    if ((entry.type === "user" || entry.type === "veto") && entry.queued !== undefined)
      waiting.delete(entry.queued);
  }
  return [...waiting].map(([n, content]) => ({ n, content }));
}
