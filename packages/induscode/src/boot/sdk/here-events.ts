// What a session in this process reports, as events of a task.

import type { ConductorEvent } from "../../conductor/contract.ts";
import type { TaskEvent } from "./task-events.ts";

/** None for what a program that follows a task need not know. */
export function hereEvents(event: ConductorEvent): readonly TaskEvent[] {
  switch (event.kind) {
    case "delta": {
      const { delta } = event;
      if (delta.kind !== "text" && delta.kind !== "thinking") return [];
      return [{ type: "piece", of: delta.kind, text: delta.text }];
    }
    case "entry":
      return entryEvents(event.entry);
    case "alert":
      return [notice("info", event.text, event.owner)];
    case "diagnostic":
      return [notice(event.severity, event.text, event.owner)];
    case "fault":
      return [notice("error", event.fault.message)];
    default:
      return [];
  }
}

function entryEvents(entry: Extract<ConductorEvent, { kind: "entry" }>["entry"]): readonly TaskEvent[] {
  if (entry.type === "tool") {
    const { callId: id, name: tool, state, text } = entry;
    return [{ type: "outcome", id, tool, state, text }];
  }
  if (entry.type !== "assistant") return [];
  return entry.message.content.flatMap((block): readonly TaskEvent[] => {
    if (block.kind === "text" || block.kind === "thinking") return [{ type: block.kind, text: block.text }];
    if (block.kind !== "tool_call") return [];
    return [{ type: "call", id: block.id, tool: block.name, input: block.input }];
  });
}

function notice(level: "info" | "warning" | "error", text: string, owner?: string): TaskEvent {
  return { type: "notice", level, text: owner === undefined ? text : `${owner}: ${text}` };
}
