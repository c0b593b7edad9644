// What a call passes before the interceptors. Whatever stops it here ends it at once.

import { coerceInput, fitInput } from "indusagi/capabilities";
import { Aborted } from "indusagi/core";
import { refusedStop, type Stop, stopReason } from "./ended.ts";
import { leavesByChoice, type Passage, type Stage } from "./passage.ts";

/** In this order. */
export const BEFORE: readonly Stage[] = [
  { name: "fit", pass: fitArguments },
  { name: "place", pass: takePlace },
  { name: "deny", pass: applyDenyRules },
  { name: "tool:before", applies: ({ hooks }) => hooks.dispatcher.has("tool:before"), pass: askFeatures },
];

/** To the tool's schema, so that everything after it sees one form. */
function fitArguments(passage: Passage): undefined {
  const { call, sender } = passage;
  const { input, ignored } = fitInput(coerceInput(call.input), sender.contribution.tool.parameters);
  passage.call = { ...call, input };
  passage.args = input;
  passage.ignored = ignored;
}

/** Among the other calls: one that writes, or leaves the sandbox, runs alone. */
async function takePlace(passage: Passage): Promise<undefined> {
  const { contribution, order, signal } = passage.sender;
  const touched = passage.touched(passage.args);
  passage.isAlone =
    leavesByChoice(touched) ||
    (contribution.alone?.(passage.args) ?? touched.some(({ kind }) => kind === "write"));
  passage.leave = await order?.enter(passage.isAlone);
  if (signal.aborted) throw new Aborted();
}

/** On the arguments as they were sent: no feature sees a call that a rule denies. */
async function applyDenyRules(passage: Passage): Promise<Stop | undefined> {
  const { call, session, responsible: by } = passage;
  const accesses = passage.touched(passage.args);
  const decision = await session.permissions.deny({ tool: call.name, callId: call.id, accesses, by });
  if (decision.kind === "allow") {
    passage.notDenied = accesses;
    return undefined;
  }
  passage.tell(decision);
  return refusedStop(call, decision.reason);
}

/** They may rewrite the arguments, or stop the call. */
async function askFeatures(passage: Passage): Promise<Stop | undefined> {
  const { call, hooks, time, sender } = passage;
  const asked = { name: call.name, callId: call.id, args: passage.args };
  const { payload, changedBy, gate } = await hooks.dispatcher.dispatch("tool:before", asked, {
    signal: sender.signal,
    time,
  });
  passage.args = payload.args;
  passage.changedBy.push(...changedBy);
  passage.note("tool:before", changedBy);
  return gate && refusedStop(call, stopReason(gate));
}
