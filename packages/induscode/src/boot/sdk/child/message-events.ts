// The messages of another process as events of a task.

import { isTable, type JsonObject } from "indusagi/core";
import type { Usage } from "indusagi/llmgateway";
import type { ToolState } from "indusagi/runtime";
import type { TaskEvent, TaskFacts, TaskResult } from "../task-events.ts";

type Table = Readonly<Record<string, unknown>>;

/** None for what a program that follows a task need not know. */
export function messageEvents(message: Table): readonly TaskEvent[] {
  const { type, subtype, event } = message;
  if (type === "assistant") return contentOf(message).flatMap(blockEvents);
  if (type === "user") return contentOf(message).flatMap((block) => outcome(block, message));
  if (type === "stream_event" && isTable(event)) return pieces(event);
  if (type !== "system" || subtype !== "notice") return [];
  return [
    { type: "notice", level: message.level as "info" | "warning" | "error", text: text(message.message) },
  ];
}

function contentOf({ message }: Table): readonly Table[] {
  const content = isTable(message) ? message.content : undefined;
  return Array.isArray(content) ? content.filter(isTable) : [];
}

function blockEvents(block: Table): readonly TaskEvent[] {
  if (block.type === "text") return [{ type: "text", text: text(block.text) }];
  if (block.type === "thinking") return [{ type: "thinking", text: text(block.thinking) }];
  if (block.type !== "tool_use") return [];
  return [{ type: "call", id: text(block.id), tool: text(block.name), input: block.input as JsonObject }];
}

function outcome(block: Table, { tool_name: tool, state }: Table): readonly TaskEvent[] {
  const { type, tool_use_id: id, content } = block;
  if (type !== "tool_result") return [];
  const shown = Array.isArray(content)
    ? content.find((each) => isTable(each) && each.type === "text")
    : content;
  return [
    {
      ...{ type: "outcome", id: text(id), tool: text(tool) },
      ...{ state: state as ToolState, text: text(isTable(shown) ? shown.text : shown) },
    },
  ];
}

function pieces({ delta }: Table): readonly TaskEvent[] {
  if (!isTable(delta)) return [];
  if (delta.type === "text_delta") return [{ type: "piece", of: "text", text: text(delta.text) }];
  if (delta.type === "thinking_delta") return [{ type: "piece", of: "thinking", text: text(delta.thinking) }];
  return [];
}

/** The last message of a task. */
export function resultOf<Output>(message: Table): TaskResult<Output> {
  const facts: TaskFacts = {
    type: "result",
    sessionId: text(message.session_id),
    cost: Number(message.total_cost_usd),
    usage: usageOf(message.usage),
  };
  if (message.end === "complete")
    return {
      ...facts,
      kind: "complete",
      text: text(message.result),
      output: message.structured_output as Output,
    };
  if (message.end === "aborted") return { ...facts, kind: "aborted" };
  return {
    ...facts,
    kind: "faulted",
    fault: { kind: text(message.fault_kind), message: text(message.result) },
  };
}

function usageOf(usage: unknown): Usage {
  const count = (name: string): number => Number((isTable(usage) ? usage[name] : undefined) ?? 0);
  return {
    inputTokens: count("input_tokens"),
    outputTokens: count("output_tokens"),
    cacheReadTokens: count("cache_read_input_tokens"),
    cacheWriteTokens: count("cache_creation_input_tokens"),
  };
}

/** What an older command does not say is empty. */
function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
