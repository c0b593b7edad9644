// What keeps a conversation valid, whatever a feature changes: providers refuse one in which a call has no outcome, and a
// model that never sees its outcomes repeats the calls until the turns run out.

import { isSameJson } from "indusagi/core";
import type { AssistantMessage, Message, ToolCallBlock, UserMessage } from "./payloads.ts";

/** Why `after` cannot replace `before` in a request; undefined when it can. */
export function conversationProblem(
  before: readonly Message[],
  after: readonly Message[],
): string | undefined {
  const problem = brokenPlace(after);
  if (problem !== undefined && brokenPlace(before) === undefined) return problem;
  const answered = new Set(after.flatMap((message) => (message.role === "tool" ? message.callId : [])));
  const lost = unseenOutcomes(before).find((callId) => !answered.has(callId));
  if (lost !== undefined)
    return `the outcome of the call ${JSON.stringify(lost)} is missing, and the model has not seen it yet`;
  if (after.at(-1)?.role === "assistant" && before.at(-1)?.role !== "assistant")
    return "the last message must not be from the model";
  return undefined;
}

/** The first call of `after` that is not in `before` unchanged; a transform of a message may only leave calls out. */
export function foreignCall(before: AssistantMessage, after: AssistantMessage): ToolCallBlock | undefined {
  const own = callsOf(before);
  return callsOf(after).find((call) => {
    const at = own.findIndex((each) => isSameJson(each, call));
    if (at >= 0) own.splice(at, 1); // a duplicated call counts as foreign
    return at < 0;
  });
}

function callsOf({ content }: AssistantMessage): ToolCallBlock[] {
  return content.filter((block) => block.kind === "tool_call");
}

/** A tool name that every provider accepts. */
const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;

function brokenPlace(messages: readonly Message[]): string | undefined {
  if (messages[0]?.role !== "user") return "the first message must be from the user";
  const open = new Set<string>();
  const first = (): string => JSON.stringify([...open][0]);
  for (const [at, message] of messages.entries()) {
    if (message.role === "tool") {
      if (!open.delete(message.callId))
        return `messages[${at}] is the outcome of ${JSON.stringify(message.callId)}, which no earlier message calls`;
      continue;
    }
    if (open.size > 0) return `messages[${at}] must be the outcome of the call ${first()}`;
    if (message.role === "user" && !message.content.some(says))
      return `messages[${at}] is from the user and is empty`;
    if (message.role !== "assistant") continue;
    for (const { id, name } of callsOf(message)) {
      if (id === "" || open.has(id))
        return `messages[${at}] has a call with ${id === "" ? "an empty id" : `the duplicate id ${JSON.stringify(id)}`}`;
      if (!TOOL_NAME.test(name))
        return `messages[${at}] calls ${JSON.stringify(name)}, which is not a valid tool name`;
      open.add(id);
    }
  }
  return open.size > 0 ? `the outcome of the call ${first()} is missing` : undefined;
}

/** Providers drop or refuse blank text. */
function says(block: UserMessage["content"][number]): boolean {
  return block.kind === "image" || block.text.trim() !== "";
}

/** The calls answered after the model's last message. */
function unseenOutcomes(messages: readonly Message[]): readonly string[] {
  const last = messages.findLastIndex((message) => message.role === "assistant");
  return messages.slice(last + 1).flatMap((message) => (message.role === "tool" ? message.callId : []));
}
