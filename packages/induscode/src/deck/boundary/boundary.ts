// The tool boundary: everything between a model's call and the tool that runs it, in one place and one order. Refused, failed, cancelled
// and succeeded calls all end as an outcome.

import type { ToolContext, ToolResult } from "indusagi/capabilities";
import { Aborted, describeError, type JsonValue } from "indusagi/core";
import type { ToolCall } from "indusagi/runtime";
import type { Attribution } from "../../feature/handler.ts";
import type { BoundaryOutcome, Deck } from "../contract.ts";
import { AFTER } from "./after.ts";
import { BEFORE } from "./before.ts";
import type { BoundaryDeps } from "./boundary-deps.ts";
import { createCallOrder } from "./call-order.ts";
import { ended, errorResult, noSuchTool, refusedStop, stopReason } from "./ended.ts";
import { createExec } from "./exec-command.ts";
import { INSIDE } from "./inside.ts";
import { outcomeOf, stoppedOutcome } from "./outcome.ts";
import { resultOf } from "./outcome-text.ts";
import { outlineOf } from "./outline.ts";
import { type BoundarySession, Passage, passThrough, type Sender } from "./passage.ts";
import { runTool } from "./run-tool.ts";

/** All that a call passes, by name. ARCHITECTURE.md quotes it. */
export const ORDER: readonly string[] = [
  ...BEFORE.map(({ name }) => name),
  "interceptors enter",
  ...INSIDE.map(({ name }) => name),
  "tool",
  "interceptors exit",
  ...AFTER.map(({ name }) => name),
];

/** The boundary of one session. Calls that write keep their place in the call order (see `call-order.ts`). */
export function createBoundary(deps: BoundaryDeps): Pick<Deck, "run" | "exec"> {
  const order = createCallOrder();
  const known = new Set<string>();
  const session: BoundarySession = {
    ...deps,
    isNews(name) {
      const isNew = !known.has(name);
      known.add(name);
      return isNew;
    },
  };
  return {
    exec: createExec(deps, (call, sender) => runCall(call, sender, session)),
    async run(call, signal) {
      const contribution = deps.find(call.name);
      if (!contribution)
        return ended(call, "failed", noSuchTool(call.name, deps.ownerOf?.(call.name), deps.names?.()));
      const run: Sender["run"] = async (args, context) => {
        const final = { ...call, input: args };
        const invoke = (within: ToolContext) => contribution.tool.invoke(final, within);
        const tool = { feature: contribution.feature ?? "", context, run: invoke };
        return resultOf(await (deps.perform?.(final, tool) ?? invoke(context)));
      };
      const named = { ...call, name: contribution.tool.name };
      return runCall(named, { contribution, run, signal, order, sandbox: deps.sandbox }, session);
    },
  };
}

/** Never rejects. */
async function runCall(call: ToolCall, sender: Sender, session: BoundarySession): Promise<BoundaryOutcome> {
  const release = session.hooks.hold();
  let passage: Passage | undefined;
  try {
    passage = new Passage(call, sender, session);
    return await pass(passage);
  } catch (error) {
    if (error instanceof Aborted || sender.signal.aborted)
      return ended(call, "cancelled", `Cancelled before ${call.name} could begin.`);
    return ended(call, "failed", `The tool ${call.name} failed: ${describeError(error)}`);
  } finally {
    passage?.leave?.();
    release();
  }
}

async function pass(passage: Passage): Promise<BoundaryOutcome> {
  const early = await passThrough(BEFORE, passage);
  if (early) return stoppedOutcome(passage, early);
  const { call, hooks, sender, time } = passage;
  const crossed = await hooks.chain.runWith(
    { tool: call.name, callId: call.id, args: passage.args },
    (args, changedBy) => passInside(passage, args, changedBy),
    sender.signal,
    // A refusal contains only the host's words.
    {
      time,
      view: (feature, result) => (passage.stop || passage.maySee(feature) ? result : outlineOf(result)),
    },
  );
  passage.note("intercept:enter", crossed.argsChangedBy);
  passage.note("intercept:exit", crossed.resultChangedBy);
  if (crossed.blocked) return stoppedOutcome(passage, refusedStop(call, stopReason(crossed.blocked)));
  passage.args = crossed.args;
  passage.isRewritten = crossed.resultChangedBy.length > 0;
  if (passage.stop) passage.result = errorResult(passage.stop.message);
  else if (crossed.result) passage.result = crossed.result;
  await passThrough(AFTER, passage);
  return outcomeOf(passage);
}

/** What the interceptors are around: the checks, and the tool. */
async function passInside(
  passage: Passage,
  args: JsonValue,
  changedBy: readonly Attribution[],
): Promise<ToolResult> {
  passage.args = args;
  passage.changedBy.push(...changedBy);
  passage.stop = await passThrough(INSIDE, passage);
  return passage.stop ? errorResult(passage.stop.message) : runTool(passage);
}
