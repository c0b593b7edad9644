// Compaction: the model writes a summary, and from then on the summary stands for everything before it. The log keeps
// every line; only the model's view is replaced.

import type { Message, Usage } from "indusagi/llmgateway";
import type { HookDispatch } from "../feature/contract.ts";
import type { ConductorFault } from "./contract.ts";
import type { ResolvedModel } from "./model-in-use.ts";
import type { SessionRecord } from "./record.ts";
import { buildSummary, mayCompact } from "./session-hooks.ts";

/** The share of the window that may fill before a session compacts itself. */
export const COMPACT_AT_SHARE = 0.8;

const INSTRUCTION = [
  "Write a summary of this session that lets you go on with the work after everything above is gone.",
  "Use these headings: Goal, Decisions, Files read and changed, State of the work, Open problems, Next step.",
  "Keep exact paths, names, commands, error messages and numbers. Do not call a tool.",
].join("\n");

export interface CompactionFacts {
  readonly record: SessionRecord;
  readonly hooks: HookDispatch;
  readonly model: ResolvedModel;
  readonly reason: "asked" | "full";
  /** What the person wants kept; may be empty. */
  readonly focus: string;
  readonly signal: AbortSignal;
}

/** Condenses a session whose prompt is logged and whose calls are closed. Says what kept it from that. */
export async function compactSession(facts: CompactionFacts): Promise<ConductorFault | undefined> {
  const { record, hooks, reason, signal } = facts;
  if (record.fold().messages.length === 0)
    return { kind: "config", message: "There is nothing to compact yet." };
  const veto = await mayCompact(hooks, reason, signal);
  if (veto) {
    record.append({ type: "veto", event: "compact:before", ...veto });
    return { kind: "vetoed", message: `The session was not compacted: ${veto.reason} (${veto.by.feature})` };
  }
  const written = await askForSummary(facts);
  if (!written.ok)
    return { kind: "model", message: `The session could not be compacted: ${written.message}` };
  const summary = await buildSummary(hooks, { reason, summary: written.text }, signal);
  record.append({ type: "summary", origin: "host", usage: written.usage, ...summary });
  record.emit({ kind: "alert", text: "The session was compacted: the model now works from a summary." });
  return undefined;
}

type Written =
  | { readonly ok: true; readonly text: string; readonly usage: Usage }
  | { readonly ok: false; readonly message: string };

/** This request is explained by the log like any other: the question is a context entry that holds for it alone. */
async function askForSummary({ record, model, focus, signal }: CompactionFacts): Promise<Written> {
  const text = focus === "" ? INSTRUCTION : `${INSTRUCTION}\nKeep above all: ${focus}`;
  const ask: Message = { role: "user", content: [{ kind: "text", text }] };
  record.append({ type: "context", from: record.fold().messages.length, remove: 0, insert: [ask] });
  record.append({ type: "request", digest: record.fold().digest() });
  const result = await model.provider.stream(record.fold().request(model.model), { signal, onDelta: ignore });
  if (!result.ok) return { ok: false, message: result.fault.message };
  const summary = result.reply.message.content
    .map((block) => (block.kind === "text" ? block.text : ""))
    .join("")
    .trim();
  return summary === ""
    ? { ok: false, message: "the model wrote no summary" }
    : { ok: true, text: summary, usage: result.reply.usage };
}

function ignore(): void {
  // a summary is shown when it is whole
}
