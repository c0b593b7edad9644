// Whether the last run of a session was cut off, and in the middle of what: the process was killed, or the machine went down.

import { beginningOf, printable } from "indusagi/core";
import { branchOf } from "../branch.ts";
import { toolTitle } from "../call-facts.ts";
import type { Entry } from "../contract.ts";

/** Other entries are written between turns: a session that was renamed, rewound or compacted after its answer was not interrupted. */
const OF_A_TURN: ReadonlySet<Entry["type"]> = new Set(["user", "assistant", "tool", "end"]);
const MAX_CALL = 80;

/** The last entry of a turn: unless it is an `end`, the turn had none. Undefined if no turn began. */
export function lastStep(entries: readonly Entry[]): Entry | undefined {
  return entries.findLast(({ type }) => OF_A_TURN.has(type));
}

/**
 * In words for the person; undefined if the last run ended. What a fork took over is not judged: the session that it was forked
 * from may still be running.
 */
export function cutOff(entries: readonly Entry[]): string | undefined {
  const branch = branchOf(entries);
  const step = lastStep(branch);
  const [first] = entries;
  const inherited = first?.type === "session" ? (first.parent?.entry ?? -1) : -1;
  if (step === undefined || step.type === "end" || step.n <= inherited) return undefined;
  const at = branch.findLastIndex(({ type }) => type === "assistant" || type === "user");
  const said = branch[at];
  const after = branch.slice(at + 1);
  const calls = said?.type === "assistant" ? said.message.content : [];
  const open = calls.flatMap((block) =>
    block.kind === "tool_call" && !after.some((entry) => isOutcomeOf(entry, block.id)) ? [block] : [],
  );
  const [call, ...others] = open;
  if (call === undefined) return "The last run was cut off while the model worked on its answer.";
  const hasPassed = after.some((entry) => entry.type === "decision" && entry.decision.callId === call.id);
  const what = beginningOf(printable(toolTitle(call.input)).replaceAll(/\s+/g, " ").trim(), MAX_CALL);
  const more = others.length === 0 ? "" : ` and ${others.length} more`;
  const named = `${printable(call.name)}${what === "" ? "" : ` \`${what}\``}${more}`;
  // Without a decision it may not have begun: perhaps the person was being asked about it.
  return `The last run was cut off ${hasPassed ? `while ${named} ran` : `before ${named} ended`}.`;
}

function isOutcomeOf(entry: Entry, callId: string): boolean {
  return entry.type === "tool" && entry.callId === callId;
}
