// The words for a call that does not run, or ends before its tool does.

import type { ToolResult } from "indusagi/capabilities";
import { nearest } from "indusagi/core";
import type { ToolCall, ToolState } from "indusagi/runtime";
import type { Attribution, GateDecision } from "../../feature/handler.ts";
import type { BoundaryOutcome } from "../contract.ts";

/** How a call ends that does not run. */
export interface Stop {
  readonly state: ToolState;
  readonly message: string;
}

const MAX_SHOWN_NAMES = 40;

/** A call whose tool said nothing: this is what the model reads instead. */
export function ended(call: ToolCall, state: ToolState, message: string): BoundaryOutcome {
  return { id: call.id, output: message, text: message, isError: true, state };
}

export function errorResult(message: string): ToolResult {
  return { content: [{ kind: "text", text: message }], isError: true };
}

/** `reason` completes "was not run, because …". */
export function refusedStop(call: ToolCall, reason: string): Stop {
  return { state: "refused", message: `Refused: ${call.name} was not run, because ${reason}` };
}

/** Why a feature stopped it, and which one. */
export function stopReason({ reason, by }: GateDecision & { readonly by: Attribution }): string {
  return `${reason ?? "it was blocked"} (${by.feature})`;
}

/** Run as written, it would put the placeholder where the secret was. */
export function placeholderProblem(tool: string, placeholder: string): string {
  return (
    `${tool} was not run: its arguments contain ${placeholder}. That is not text of a file or of a command: it replaces ` +
    "the value of a secret, which is hidden from you. Leave such lines unchanged and edit around them, use the " +
    "variable by its name, or ask the person to do it."
  );
}

/** `owner` is the feature that the tool belonged to, if there was one; `names` are the tools that there are. */
export function noSuchTool(name: string, owner: string | undefined, names: readonly string[] = []): string {
  if (owner !== undefined)
    return `This session exposes no tool called "${name}" any more: its owner, ${owner}, was removed or changed.`;
  const near = nearest(name, names);
  const hints = [
    `This session exposes no tool called "${name}".`,
    ...(near === undefined ? [] : [`Did you mean "${near}"?`]),
    ...(names.length === 0 ? [] : [`It has ${listed(names)}.`]),
  ];
  return hints.join(" ");
}

function listed(names: readonly string[]): string {
  const more = names.length - MAX_SHOWN_NAMES;
  return names.slice(0, MAX_SHOWN_NAMES).join(", ") + (more > 0 ? ` and ${more} more` : "");
}
