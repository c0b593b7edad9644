// A summary of a branch that a person leaves: the model writes it while the whole branch is still in view.

import type { Usage } from "indusagi/llmgateway";
import { foldEntries } from "../branch.ts";
import type { Changed, ConductorFault } from "../contract.ts";
import { pricedReply } from "../cost.ts";
import { buildSummary } from "../session-hooks.ts";
import { type Asked, askForSummary, type CompactionFacts } from "./compaction.ts";
import { shortenedView } from "./shortened-view.ts";

const BRANCH_INSTRUCTION = [
  "The conversation returns to an earlier point and continues there. Write a summary of what was done after that point: its result,",
  "what was learnt, what failed, which files were changed. Its reader knows everything before that point, but of what came after it",
  "only your summary. Keep exact paths, names and error messages. Do not call a tool. That point is just after this: ",
].join("\n");

/** What happened on an abandoned branch, for a `jump`. */
export interface BranchSummary extends Changed {
  readonly summary: string;
  readonly usage: Usage;
  readonly cost?: number;
}

/** Asks the model, which still has the whole branch in view, to summarise everything after the entry `to`. */
export async function summariseBranch(
  facts: Asked & Pick<CompactionFacts, "hooks" | "budget" | "reason">,
  to: number,
): Promise<BranchSummary | { readonly fault: ConductorFault }> {
  const { record, hooks, model, budget, reason, signal } = facts;
  const kept = foldEntries([...record.entries()].filter(({ n }) => n <= to)).messages.at(-1);
  const place = kept === undefined ? "the beginning" : shortenedView([kept], MAX_PLACE_CHARS);
  const written = await askForSummary(facts, BRANCH_INSTRUCTION + place);
  if (!written.ok)
    return { fault: { kind: "model", message: `The branch was not summarised: ${written.message}` } };
  const { text: summary, changes } = await buildSummary(hooks, { reason, summary: written.text }, signal);
  const { usage } = written;
  return { summary, usage, ...pricedReply(model, usage, budget), changes };
}

const MAX_PLACE_CHARS = 400;
