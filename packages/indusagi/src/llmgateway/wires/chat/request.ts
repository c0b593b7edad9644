// Writes a conversation as a Chat Completions request. Each message is serialised once; a body is made of those texts.

import type {
  AssistantMessage,
  ImageBlock,
  Message,
  ModelRequest,
  ToolCallBlock,
  ToolDescriptor,
  ToolMessage,
  UserMessage,
} from "../../contract.ts";
import { kindOf, lineFor } from "../../has-picture.ts";
import { type Loose, parseObject } from "../../loose-json.ts";
import { effortsOf } from "../../models.ts";
import { createUniqueCalls } from "../../unique-calls.ts";
import { bytesOnce, lastText, onceEach, type Pieces, wireJson } from "../../wire-json.ts";
import { cacheKey } from "../cache-key.ts";
import { fittingEffort } from "../efforts.ts";
import type { ChatLesson } from "./chat-refusals.ts";
import { RETURNED_FIELDS, RETURNED_PART } from "./thoughts.ts";

export interface ChatDialect {
  /** OpenAI's own servers, which differ from their imitators. */
  readonly isOpenAi: boolean;
  /** What the model refuses, and what it requires. */
  readonly learnt: ReadonlySet<ChatLesson>;
}

const BRIDGE = '{"role":"assistant","content":"I have the outcomes."}';

/** Writes the requests of one provider; `provider` is the one whose thinking is sent back. */
export function createChatWriter(provider: string): (request: ModelRequest, dialect: ChatDialect) => Pieces {
  const writers = new Map<string, (message: Message) => Buffer>();
  // One cache for each form in which thinking is sent back; learning another form costs nothing until it happens.
  const writerFor = (dialect: ChatDialect): ((message: Message) => Buffer) => {
    const left = [...RETURNED_FIELDS, "reasoning_details" as const].filter((field) =>
      dialect.learnt.has(field),
    );
    const wantsThoughts = dialect.learnt.has("wants thoughts");
    const key = `${left.join()} ${wantsThoughts}`;
    const known = writers.get(key);
    if (known) return known;
    const how = { provider, left: new Set<string>(left), wantsThoughts };
    const made = bytesOnce((each: Message) => writeMessage(each, how));
    writers.set(key, made);
    return made;
  };
  const tool = onceEach(writeTool);
  const pictures = onceEach(writePictures);
  const system = lastText();
  const unique = createUniqueCalls();
  const key = onceEach(cacheKey);

  return (request, dialect) => {
    const message = writerFor(dialect);
    const parts: (string | Buffer)[] = [`{"model":${wireJson(request.model)},"stream":true`];
    for (const [name, value] of Object.entries(optionalFields(provider, request, dialect))) {
      parts.push(`,"${name}":${wireJson(value)}`);
    }
    const [first] = request.messages;
    if (dialect.isOpenAi && first && !dialect.learnt.has("prompt_cache_key"))
      parts.push(`,"prompt_cache_key":"${key(first)}"`);
    if (request.tools.length > 0) parts.push(',"tools":[', request.tools.map(tool).join(","), "]");
    parts.push(',"messages":[');
    let comma = "";
    if (request.system !== "") {
      parts.push(`{"role":"system","content":${system(request.system)}}`);
      comma = ",";
    }
    let before: Message["role"] | undefined;
    const push = (role: Message["role"], text: string | Buffer): void => {
      if (role === "user" && before === "tool" && dialect.learnt.has("wants bridges"))
        parts.push(comma, BRIDGE);
      parts.push(comma, text);
      comma = ",";
      before = role;
    };
    let shown = ""; // pictures of outcomes, which are text-only on this wire: a user message after them carries these
    const show = (): void => {
      if (shown !== "") push("user", `{"role":"user","content":[${shown}]}`);
      shown = "";
    };
    for (const each of unique(request.messages)) {
      if (each.role !== "tool") show();
      else if (each.images) shown += `${shown === "" ? "" : ","}${pictures(each)}`;
      const text = message(each);
      if (text.length > 0) push(each.role, text);
    }
    show();
    parts.push("]}");
    return parts;
  };
}

function optionalFields(
  provider: string,
  request: ModelRequest,
  dialect: ChatDialect,
): Record<string, unknown> {
  const { isOpenAi, learnt: refused } = dialect;
  const { model, params } = request;
  const { maxOutputTokens, temperature } = params;
  const fields: Record<string, unknown> = {};
  if (!refused.has("stream_options")) fields.stream_options = { include_usage: true };
  if (maxOutputTokens !== undefined) {
    const renamed = isOpenAi || refused.has("max_tokens");
    fields[renamed ? "max_completion_tokens" : "max_tokens"] = maxOutputTokens;
  }
  const effort = refused.has("reasoning_effort") ? undefined : reasoningEffort(provider, request, dialect);
  if (effort !== undefined) fields.reasoning_effort = effort;
  // Claude behind a reseller (OpenRouter) caches only what it is asked to.
  if (model.startsWith("anthropic/claude-") && !refused.has("cache_control"))
    fields.cache_control = { type: "ephemeral" };
  // OpenAI's thinking models refuse a temperature together with an effort.
  if (temperature !== undefined && effort === undefined && !refused.has("temperature"))
    fields.temperature = temperature;
  return fields;
}

/** What nearly every server takes, for models without a catalogue row for their provider. */
const EFFORTS = ["off", "low", "medium", "high"];

// OpenAI's models from 5.2 on refuse tools with any effort except "none" here (they require the Responses API for that), and they
// have a default effort: a request with tools but without the field is refused.
const TOOLS_WITHOUT_EFFORT = /^gpt-(5\.[2-9]|[6-9])/;

function reasoningEffort(
  provider: string,
  { model, params: { thinking }, tools }: ModelRequest,
  { isOpenAi, learnt }: ChatDialect,
): string | undefined {
  const isKnown = isOpenAi && TOOLS_WITHOUT_EFFORT.test(model);
  if (tools.length > 0 && (isKnown || learnt.has("thinking beside tools"))) return "none";
  if (thinking === undefined) return undefined;
  const efforts = effortsOf(provider, model) ?? EFFORTS;
  const isOffUnsaid = thinking === "off" && efforts.includes("off") && !efforts.includes("none");
  return isOffUnsaid ? undefined : fittingEffort(efforts, thinking);
}

interface ThoughtsBack {
  readonly provider: string;
  /** Fields that the server refuses. */
  readonly left: ReadonlySet<string>;
  readonly wantsThoughts: boolean;
}

function writeMessage(message: Message, how: ThoughtsBack): string {
  switch (message.role) {
    case "user":
      return writeUser(message);
    case "tool":
      return wireJson({ role: "tool", tool_call_id: message.callId, content: message.text });
    case "assistant":
      return writeAssistant(message, how);
  }
}

function writePictures(message: Message): string {
  const { images = [], callId } = message as ToolMessage;
  return wireJson([{ type: "text", text: `What the call ${callId} shows:` }, ...images.map(imagePart)]).slice(
    1,
    -1,
  );
}

function imagePart(block: ImageBlock): unknown {
  if (kindOf(block) === "document") return { type: "text", text: lineFor(block, "a model on this API") };
  const { mediaType, data } = block;
  return { type: "image_url", image_url: { url: `data:${mediaType};base64,${data}` } };
}

// A single text is sent as a plain string: some servers do not support parts.
function writeUser({ content }: UserMessage): string {
  const [first] = content;
  if (first === undefined) return "";
  if (first.kind === "text" && content.length === 1) return wireJson({ role: "user", content: first.text });
  const parts = content.map((block) =>
    block.kind === "text" ? { type: "text", text: block.text } : imagePart(block),
  );
  return wireJson({ role: "user", content: parts });
}

function writeAssistant({ content }: AssistantMessage, how: ThoughtsBack): string {
  const text = content.flatMap((block) => (block.kind === "text" ? block.text : [])).join("");
  const calls: unknown[] = [];
  const fields: Record<string, unknown> = {};
  const thoughts: unknown[] = []; // those that are sent as parts of the content
  let proof: Loose = {}; // of the call that follows
  for (const block of content) {
    if (block.kind === "tool_call") {
      calls.push({ ...writeCall(block), ...proof });
      proof = {};
    }
    if (block.kind !== "thinking" || block.provider !== how.provider) continue;
    const { signature = "" } = block;
    if (signature === RETURNED_PART)
      thoughts.push({ type: "thinking", thinking: [{ type: "text", text: block.text }] });
    else if (RETURNED_FIELDS.some((field) => field === signature))
      fields[signature] = `${fields[signature] ?? ""}${block.text}`;
    else if (signature.startsWith("{")) {
      const stated = parseObject(signature) ?? {};
      if (block.text === "" && stated.extra_content !== undefined) proof = stated;
      else Object.assign(fields, stated);
    }
  }
  if (text === "" && calls.length === 0) return "";
  const [wanted] = RETURNED_FIELDS;
  // A server that wants a thought with every answer accepts a blank one; it refuses an empty text.
  if (how.wantsThoughts) fields[wanted] ||= fields.reasoning ?? " ";
  const words =
    thoughts.length === 0 ? text : [...thoughts, ...(text === "" ? [] : [{ type: "text", text }])];
  return wireJson({
    role: "assistant",
    content: words === "" ? null : words,
    ...Object.fromEntries(Object.entries(fields).filter(([name]) => !how.left.has(name))),
    tool_calls: calls.length === 0 ? undefined : calls,
  });
}

function writeCall({ id, name, input }: ToolCallBlock): Loose {
  return { id, type: "function", function: { name, arguments: wireJson(input) } };
}

function writeTool({ name, description, parameters }: ToolDescriptor): string {
  return wireJson({ type: "function", function: { name, description, parameters } });
}
