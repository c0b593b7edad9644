// The tool boundary: everything that stands between a call the model made and the tool that runs it, in one place and
// one order. Refused, failed, cancelled and succeeded calls all end as an outcome (design, "The flow").

import { coerceInput, type ToolContext } from "indusagi/capabilities";
import { Aborted, compileSchema, describeError, monotonicMs } from "indusagi/core";
import type { ToolCall } from "indusagi/runtime";
import type { ToolContribution } from "../feature/contract.ts";
import { createCallOrder } from "./call-order.ts";
import type { Boundary, BoundaryOutcome } from "./contract.ts";
import { outcomeText } from "./outcome-text.ts";
import type { Permissions } from "./permissions/permissions.ts";

export interface BoundaryDeps {
  readonly tools: ReadonlyMap<string, ToolContribution>;
  readonly permissions: Permissions;
  /** A fresh context for one dispatch, under this signal. */
  readonly context: (signal: AbortSignal) => ToolContext;
}

/** The boundary of one session. Calls that write keep their place among the others (see `call-order.ts`). */
export function createBoundary({ tools, permissions, context }: BoundaryDeps): Boundary {
  const order = createCallOrder();
  return async (call, signal) => {
    try {
      return await pass(call, signal);
    } catch (error) {
      if (error instanceof Aborted || signal.aborted)
        return ended(call, "cancelled", `Cancelled before ${call.name} could begin.`);
      return ended(call, "failed", `The tool ${call.name} failed: ${describeError(error)}`);
    }
  };

  async function pass(call: ToolCall, signal: AbortSignal): Promise<BoundaryOutcome> {
    const contribution = tools.get(call.name);
    if (!contribution) return ended(call, "failed", `This session exposes no tool called "${call.name}".`);
    const toolContext = context(signal);
    const input = coerceInput(call.input);
    const touched = contribution.accesses(input, toolContext.cwd);
    const leave = await order.enter(touched.some((access) => access.kind === "write"));
    try {
      return await passInTurn({ ...call, input }, contribution, toolContext);
    } finally {
      leave();
    }
  }

  async function passInTurn(
    call: ToolCall,
    { tool, accesses }: ToolContribution,
    toolContext: ToolContext,
  ): Promise<BoundaryOutcome> {
    const { input } = call;
    const { signal } = toolContext;
    if (signal.aborted) throw new Aborted();
    const early = await permissions.deny({ tool: call.name, accesses: accesses(input, toolContext.cwd) });
    if (early.kind === "refuse") return refused(call, early.reason);

    const problem = (await compileSchema(tool.parameters))(input);
    if (problem) return ended(call, "failed", `The arguments do not fit the tool ${call.name}: ${problem}.`);
    const decision = await permissions.check(
      { tool: call.name, accesses: accesses(input, toolContext.cwd) },
      signal,
    );
    if (decision.kind === "refuse") return refused(call, decision.reason);

    const startedMs = monotonicMs();
    const outcome = await tool.invoke(call, toolContext);
    const ranMs = monotonicMs() - startedMs;
    const state = !outcome.isError ? "ok" : signal.aborted ? "cancelled" : "failed";
    return { ...outcome, text: outcomeText(outcome.output, toolContext.budget), state, ranMs };
  }
}

function refused(call: ToolCall, reason: string): BoundaryOutcome {
  return ended(call, "refused", `Refused: ${call.name} was not run, because ${reason}`);
}

function ended(call: ToolCall, state: "failed" | "refused" | "cancelled", message: string): BoundaryOutcome {
  return { id: call.id, output: message, text: message, isError: true, state };
}
