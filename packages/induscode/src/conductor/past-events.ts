// The contents of a log as the events that were sent when it was written, for whoever shows a resumed session. Calls have only what
// is logged; deltas, waits and alerts are missing.

import { branchOf } from "./branch.ts";
import { toolDetails, toolTitle } from "./call-facts.ts";
import type { ConductorEvent, Entry } from "./contract.ts";

/** Shows a person the conversation that continues from these entries. */
export type Retell = (entries: readonly Entry[]) => void;

/** Events of the last `tasks` submits in force, from at most `most` entries; `before` counts earlier user and assistant entries. */
export function pastEvents(
  all: readonly Entry[],
  { tasks, most }: { readonly tasks: number; readonly most: number },
): { readonly events: readonly ConductorEvent[]; readonly before: number } {
  const entries = branchOf(all);
  const from = beginning(entries, tasks, most);
  const shown = entries.slice(from);
  const folder = all.find((entry) => entry.type === "session")?.cwd;
  const events = shown.flatMap((entry, at): readonly ConductorEvent[] => {
    if (entry.type === "tool") return [];
    const event = { kind: "entry", entry } as const;
    return entry.type === "assistant"
      ? [event, ...callsOf(entry, outcomesAfter(shown, at), folder)]
      : [event];
  });
  return { events, before: entries.slice(0, from).filter(isSaid).length };
}

const isSaid = ({ type }: Entry): boolean => type === "user" || type === "assistant";

function beginning(entries: readonly Entry[], tasks: number, most: number): number {
  const least = Math.max(0, entries.length - most);
  let found = 0;
  for (let at = entries.length - 1; at > least; at--) {
    const entry = entries[at];
    if (entry?.type === "user" && entry.via === "submit" && ++found === tasks) return at;
  }
  return least;
}

type Outcome = Extract<Entry, { readonly type: "tool" }>;

/** By call id; up to the next answer, because some providers restart their call ids with each answer. */
function outcomesAfter(entries: readonly Entry[], at: number): ReadonlyMap<string, Outcome> {
  const outcomes = new Map<string, Outcome>();
  for (let i = at + 1; i < entries.length; i++) {
    const entry = entries[i];
    if (entry?.type === "assistant") break;
    if (entry?.type === "tool") outcomes.set(entry.callId, entry);
  }
  return outcomes;
}

/** A call without an outcome never ended. */
function callsOf(
  { message }: Extract<Entry, { readonly type: "assistant" }>,
  outcomes: ReadonlyMap<string, Outcome>,
  folder: string | undefined,
): readonly ConductorEvent[] {
  return message.content.flatMap((block): readonly ConductorEvent[] => {
    const entry = block.kind === "tool_call" ? outcomes.get(block.id) : undefined;
    if (block.kind !== "tool_call" || !entry) return [];
    const { callId, name, state, status, durationMs, diff } = entry;
    const title = toolTitle(entry.input ?? block.input, folder);
    const details = toolDetails(entry.output);
    return [
      { kind: "tool_start", callId, name, title, input: block.input },
      { kind: "entry", entry },
      {
        kind: "tool_end",
        callId,
        name,
        title,
        state,
        durationMs,
        input: entry.input,
        status,
        details,
        diff,
      },
    ];
  });
}
