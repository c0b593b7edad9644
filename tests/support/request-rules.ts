// What a provider refuses in a conversation, as rules over the body of a request: those of the two wires, written
// independently of the code that writes such bodies.

import type { Wire } from "./model-server.ts";

type Loose = Readonly<Record<string, unknown>>;

/** Why a provider would answer 400; undefined for a body that it accepts. */
export function refusalOf(wire: Wire, body: Loose): string | undefined {
  const messages = body.messages as readonly Loose[];
  return wire === "anthropic" ? anthropicRefusal(messages) : openAiRefusal(messages);
}

function anthropicRefusal(messages: readonly Loose[]): string | undefined {
  if (messages[0]?.role !== "user") return "the first message is not the user's";
  let open: readonly string[] = [];
  let before: unknown;
  for (const [at, { role, content }] of messages.entries()) {
    const blocks = content as readonly Loose[];
    if (role === before) return `message ${at}: two ${String(role)} messages in a row`;
    before = role;
    if (blocks.length === 0) return `message ${at}: no content`;
    if (blocks.some(({ type, text }) => type === "text" && String(text).trim() === ""))
      return `message ${at}: an empty text`;
    const results = blocks
      .filter(({ type }) => type === "tool_result")
      .map((block) => String(block.tool_use_id));
    if (blocks.slice(0, results.length).some(({ type }) => type !== "tool_result"))
      return `message ${at}: a result behind something else`;
    for (const id of results) if (!open.includes(id)) return `message ${at}: a result without its call ${id}`;
    for (const id of open) if (!results.includes(id)) return `message ${at}: no result for the call ${id}`;
    open = blocks.filter(({ type }) => type === "tool_use").map((block) => String(block.id));
  }
  return open.length > 0 ? "calls without results at the end" : undefined;
}

function openAiRefusal(messages: readonly Loose[]): string | undefined {
  let open: readonly string[] = [];
  for (const [at, message] of messages.entries()) {
    if (message.role === "tool") {
      const id = String(message.tool_call_id);
      if (!open.includes(id)) return `message ${at}: an outcome without its call ${id}`;
      open = open.toSpliced(open.indexOf(id), 1);
      continue;
    }
    if (open.length > 0) return `message ${at}: no outcome for the call ${open[0]}`;
    if (message.role === "assistant") {
      const calls = (message.tool_calls ?? []) as readonly Loose[];
      if (calls.length === 0 && !message.content) return `message ${at}: an empty answer`;
      open = calls.map(({ id }) => String(id));
    }
  }
  return open.length > 0 ? "calls without outcomes at the end" : undefined;
}
