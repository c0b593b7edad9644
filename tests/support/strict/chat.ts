// Chat Completions (OpenAI's reference, with DeepSeek's rule that the thinking of open calls must be sent back).

import { type Issued, isBase64, type Loose, PICTURES, TOOL_NAME, unknownKey } from "./rules.ts";

const FIELDS =
  "model messages stream stream_options tools tool_choice parallel_tool_calls max_tokens max_completion_tokens temperature reasoning_effort";
const MESSAGE_FIELDS: Readonly<Record<string, string>> = {
  system: "role content",
  user: "role content",
  assistant: "role content tool_calls reasoning_content",
  tool: "role tool_call_id content",
};
const EFFORTS: readonly unknown[] = [undefined, "none", "minimal", "low", "medium", "high", "xhigh"];

export function chatRefusal(body: Loose, issued: Issued): string | undefined {
  const isClaude = String(body.model).startsWith("anthropic/claude-"); // OpenRouter's field
  const unknown = unknownKey(body, isClaude ? `${FIELDS} cache_control` : FIELDS);
  if (unknown !== undefined) return `Unrecognized request argument supplied: ${unknown}`;
  if (!EFFORTS.includes(body.reasoning_effort)) return "Unsupported value: 'reasoning_effort'";
  const names = new Set<unknown>();
  for (const [at, tool] of ((body.tools ?? []) as readonly Loose[]).entries()) {
    const made = tool.function as Loose;
    if (tool.type !== "function" || !TOOL_NAME.test(String(made.name)))
      return `Invalid 'tools[${at}].function.name'`;
    if (names.has(made.name)) return `Tool names must be unique: ${String(made.name)}`;
    names.add(made.name);
  }
  const messages = body.messages as readonly Loose[];
  let open: readonly string[] = [];
  for (const [at, message] of messages.entries()) {
    const role = String(message.role);
    const fields = MESSAGE_FIELDS[role];
    if (fields === undefined) return `Invalid value: '${role}'`;
    const stray = unknownKey(message, fields);
    if (stray !== undefined) return `Additional properties are not allowed: messages[${at}].${stray}`;
    if (role === "system" && at > 0) return `messages[${at}]: the system message must come first`;
    if (role === "tool") {
      const id = String(message.tool_call_id);
      if (!open.includes(id))
        return `messages[${at}]: 'tool' must be a response to a preceding message with 'tool_calls'`;
      open = open.toSpliced(open.indexOf(id), 1);
      if (
        typeof message.content !== "string" &&
        (message.content as readonly Loose[]).some(({ type }) => type !== "text")
      )
        return `Invalid value for messages[${at}].content: tool messages take texts alone`;
      continue;
    }
    if (open.length > 0) return `messages[${at}]: tool_call_ids did not have response messages: ${open[0]}`;
    const problem = role === "assistant" ? answerRefusal(message, issued) : contentRefusal(message.content);
    if (problem !== undefined) return `messages[${at}]: ${problem}`;
    open = ((message.tool_calls ?? []) as readonly Loose[]).map(({ id }) => String(id));
  }
  if (open.length > 0) return `messages: tool_call_ids did not have response messages: ${open[0]}`;
  return messages.at(-1)?.role === "assistant" ? "the last message must not be the assistant's" : undefined;
}

function answerRefusal(message: Loose, issued: Issued): string | undefined {
  const calls = (message.tool_calls ?? []) as readonly { readonly id: string; readonly function: Loose }[];
  if (calls.length === 0 && !message.content) return "expected content or tool_calls";
  if (message.tool_calls !== undefined && calls.length === 0) return "[] is too short - 'tool_calls'";
  if (new Set(calls.map(({ id }) => id)).size < calls.length) return "Duplicate value for 'tool_call_id'";
  for (const { id, function: made } of calls) {
    if (!isObjectText(made.arguments)) return "function.arguments must be valid JSON";
    const proof = issued.proofOfCall.get(id);
    if (proof !== undefined && message.reasoning_content !== issued.thoughts.get(proof))
      return "The reasoning_content in the thinking mode must be passed back to the API unaltered";
  }
  return undefined;
}

function isObjectText(text: unknown): boolean {
  try {
    return typeof JSON.parse(String(text)) === "object";
  } catch {
    return false;
  }
}

function contentRefusal(content: unknown): string | undefined {
  if (typeof content === "string") return content === "" ? "empty content" : undefined;
  const parts = content as readonly Loose[];
  if (parts.length === 0) return "empty content";
  for (const part of parts) {
    if (part.type === "text") {
      if (part.text === "") return "an empty text";
      continue;
    }
    if (part.type !== "image_url") return `Invalid value: '${String(part.type)}'`;
    const [, mediaType = "", data] =
      /^data:([^;]+);base64,(.*)$/.exec(String((part.image_url as Loose).url)) ?? [];
    if (!PICTURES.includes(mediaType) || !isBase64(data)) return "You uploaded an unsupported image.";
  }
  return undefined;
}
