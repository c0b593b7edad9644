// Summaries that the person asks for: of the session, and of the branch that a jump leaves.

import type { TurnDeps } from "../conductor-deps.ts";
import type { ConductorFault } from "../contract.ts";
import { budgetProblem } from "../cost.ts";
import type { BranchSummary } from "./branch-summary.ts";
import { closeOpenCalls } from "./close-open-calls.ts";
import type { CompactionFacts } from "./compaction.ts";
import { ensurePrompt } from "./prompt.ts";

/** Replaces the model's view with a summary; `focus` is what the person wants kept. */
export async function compactAsked(
  deps: TurnDeps,
  focus: string,
  signal: AbortSignal,
): Promise<ConductorFault | undefined> {
  const asked = await readyToAsk(deps, signal);
  if (!asked.ok) return asked.fault;
  const { compactSession } = await import("./compaction.ts");
  const fault = await compactSession({ ...asked.facts, focus });
  return typeof fault === "object" ? fault : undefined;
}

/** What came after the entry `to`. */
export async function summariseAfter(
  deps: TurnDeps,
  to: number,
  signal: AbortSignal,
): Promise<BranchSummary | { readonly fault: ConductorFault }> {
  const asked = await readyToAsk(deps, signal);
  if (!asked.ok) return asked;
  const { summariseBranch } = await import("./branch-summary.ts");
  return summariseBranch(asked.facts, to);
}

/** What asking for a summary requires: a session whose prompt is logged and whose calls are closed. */
async function readyToAsk(
  deps: TurnDeps,
  signal: AbortSignal,
): Promise<
  | { readonly ok: true; readonly facts: Omit<CompactionFacts, "focus"> }
  | { readonly ok: false; readonly fault: ConductorFault }
> {
  const { record, hooks, models, budget } = deps;
  const found = await models.resolved();
  if (!found.ok) return found;
  const { model } = found;
  const problem = budgetProblem(model, budget);
  if (problem !== undefined) return { ok: false, fault: { kind: "model", message: problem } };
  closeOpenCalls(record);
  if (record.fold().messages.length > 0) await ensurePrompt(deps, signal);
  return { ok: true, facts: { record, hooks, model, budget, reason: "asked", signal } };
}
