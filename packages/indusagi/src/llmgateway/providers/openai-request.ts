// A conversation as a Chat Completions request. Each message becomes text once; a body is joined from those texts.

import type {
  AssistantMessage,
  Message,
  ModelRequest,
  ThinkingBlock,
  ToolCallBlock,
  ToolDescriptor,
  UserMessage,
} from "../contract.ts";
import { lastText, onceEach, wireJson } from "../wire-json.ts";

/** Fields that some servers refuse. The provider learns which ones and leaves them out from then on. */
export type OptionalField = "stream_options" | "max_tokens" | "temperature" | "reasoning_effort";

export interface OpenAiDialect {
  /** OpenAI's own servers, which differ from those that imitate them. */
  readonly isOpenAi: boolean;
  readonly refused: ReadonlySet<OptionalField>;
}

/** The `signature` of a thought that goes back, as the field it came in (some servers refuse a turn without it). */
export const RETURNED_THOUGHT = "reasoning_content";

/** Writes the requests of one provider; `provider` is the one whose thinking goes back. */
export function createOpenAiRequestWriter(
  provider: string,
): (request: ModelRequest, dialect: OpenAiDialect) => string {
  const message = onceEach((each: Message) => writeMessage(each, provider));
  const tool = onceEach(writeTool);
  const system = lastText();

  return (request, dialect) => {
    const parts = [`{"model":${wireJson(request.model)},"stream":true`];
    for (const [name, value] of Object.entries(optionalFields(request, dialect))) {
      parts.push(`,"${name}":${wireJson(value)}`);
    }
    if (request.tools.length > 0) parts.push(',"tools":[', request.tools.map(tool).join(","), "]");
    parts.push(',"messages":[');
    let comma = "";
    if (request.system !== "") {
      parts.push(`{"role":"system","content":${system(request.system)}}`);
      comma = ",";
    }
    for (const each of request.messages) {
      const text = message(each);
      if (text === "") continue;
      parts.push(comma, text);
      comma = ",";
    }
    parts.push("]}");
    return parts.join("");
  };
}

function optionalFields(
  request: ModelRequest,
  { isOpenAi, refused }: OpenAiDialect,
): Record<string, unknown> {
  const { maxOutputTokens, temperature } = request.params;
  const fields: Record<string, unknown> = {};
  if (!refused.has("stream_options")) fields.stream_options = { include_usage: true };
  if (maxOutputTokens !== undefined) {
    const renamed = isOpenAi || refused.has("max_tokens");
    fields[renamed ? "max_completion_tokens" : "max_tokens"] = maxOutputTokens;
  }
  const effort = refused.has("reasoning_effort") ? undefined : reasoningEffort(request, isOpenAi);
  if (effort !== undefined) fields.reasoning_effort = effort;
  // OpenAI's thinking models refuse a temperature beside an effort.
  if (temperature !== undefined && effort === undefined && !refused.has("temperature"))
    fields.temperature = temperature;
  return fields;
}

const EFFORTS = { low: "low", medium: "medium", high: "high", max: "high" } as const;

// OpenAI's models from 5.2 on refuse tools beside any effort but "none" here (they want the Responses API for that),
// and they have a default effort: without the field a request with tools is refused.
const TOOLS_WITHOUT_EFFORT = /^gpt-(5\.[2-9]|[6-9])/;

function reasoningEffort({ model, params, tools }: ModelRequest, isOpenAi: boolean): string | undefined {
  if (isOpenAi && tools.length > 0 && TOOLS_WITHOUT_EFFORT.test(model)) return "none";
  return params.thinking === undefined || params.thinking === "off" ? undefined : EFFORTS[params.thinking];
}

function writeMessage(message: Message, provider: string): string {
  switch (message.role) {
    case "user":
      return writeUser(message);
    case "tool":
      return wireJson({ role: "tool", tool_call_id: message.callId, content: message.text });
    case "assistant":
      return writeAssistant(message, provider);
  }
}

// A lone text as a plain string: some servers know no parts.
function writeUser({ content }: UserMessage): string {
  const [first] = content;
  if (first === undefined) return "";
  if (first.kind === "text" && content.length === 1) return wireJson({ role: "user", content: first.text });
  const parts = content.map((block) =>
    block.kind === "text"
      ? { type: "text", text: block.text }
      : { type: "image_url", image_url: { url: `data:${block.mediaType};base64,${block.data}` } },
  );
  return wireJson({ role: "user", content: parts });
}

function writeAssistant({ content }: AssistantMessage, provider: string): string {
  const text = content.flatMap((block) => (block.kind === "text" ? block.text : [])).join("");
  const calls = content.filter((block): block is ToolCallBlock => block.kind === "tool_call");
  if (text === "" && calls.length === 0) return "";
  const thoughts = content
    .filter((block): block is ThinkingBlock => block.kind === "thinking")
    .filter((block) => block.provider === provider && block.signature === RETURNED_THOUGHT)
    .map((block) => block.text)
    .join("");
  return wireJson({
    role: "assistant",
    content: text === "" ? null : text,
    ...(thoughts === "" ? {} : { [RETURNED_THOUGHT]: thoughts }),
    ...(calls.length === 0 ? {} : { tool_calls: calls.map(writeCall) }),
  });
}

function writeCall({ id, name, input }: ToolCallBlock): unknown {
  return { id, type: "function", function: { name, arguments: wireJson(input) } };
}

function writeTool({ name, description, parameters }: ToolDescriptor): string {
  return wireJson({ type: "function", function: { name, description, parameters } });
}
