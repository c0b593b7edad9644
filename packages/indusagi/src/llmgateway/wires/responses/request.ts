// Writes a conversation as a Responses API request. Nothing is stored at the provider (`store: false`): its thinking is sent back
// as the encrypted items that it sent. Each message is serialised once; a body is made of those texts.

import type {
  AssistantMessage,
  ImageBlock,
  Message,
  ModelRequest,
  ThinkingBlock,
  ToolDescriptor,
  ToolMessage,
  UserMessage,
} from "../../contract.ts";
import { kindOf } from "../../has-picture.ts";
import type { Lesson } from "../../lessons.ts";
import { asText, parseObject } from "../../loose-json.ts";
import { createUniqueCalls } from "../../unique-calls.ts";
import { bytesOnce, lastText, onceEach, type Pieces, wireJson } from "../../wire-json.ts";
import { cacheKey } from "../cache-key.ts";
import { effortFor } from "./efforts.ts";

/** Fields that a server may refuse; which ones is learnt per model. */
export type OptionalField =
  | "prompt_cache_key"
  | "parallel_tool_calls"
  | "temperature"
  | "reasoning.summary"
  | "reasoning.effort"
  | "include";

/** A server names the field that it does not take. */
export const RESPONSES_LESSONS: readonly Lesson<OptionalField>[] = [
  { name: "prompt_cache_key", when: /\bprompt_cache_key\b/ },
  { name: "parallel_tool_calls", when: /\bparallel_tool_calls\b/ },
  { name: "temperature", when: /\btemperature\b/, loses: "a temperature" },
  { name: "reasoning.summary", when: /\breasoning\.summary\b/ },
  { name: "reasoning.effort", when: /\breasoning\.effort\b/, loses: "a thinking level" },
  { name: "include", when: /\binclude\b/ },
];

/** Writes the requests of one provider; `provider` is the one whose thinking is sent back. */
export function createResponsesWriter(
  provider: string,
): (request: ModelRequest, refused: ReadonlySet<OptionalField>) => Pieces {
  const items = bytesOnce((message: Message) => writeMessage(message, provider).map(wireJson).join(","));
  const tool = onceEach(writeTool);
  const system = lastText();
  const unique = createUniqueCalls();
  const key = onceEach(cacheKey);

  return (request, refused) => {
    const parts: (string | Buffer)[] = [`{"model":${wireJson(request.model)},"stream":true,"store":false`];
    for (const [name, value] of Object.entries(fieldsOf(request, refused)))
      parts.push(`,"${name}":${wireJson(value)}`);
    const [first] = request.messages;
    if (first && !refused.has("prompt_cache_key")) parts.push(`,"prompt_cache_key":"${key(first)}"`);
    if (request.system !== "") parts.push(`,"instructions":${system(request.system)}`);
    if (request.tools.length > 0) parts.push(',"tools":[', request.tools.map(tool).join(","), "]");
    parts.push(',"input":[');
    let comma = "";
    for (const message of unique(request.messages)) {
      const text = items(message);
      if (text.length === 0) continue;
      parts.push(comma, text);
      comma = ",";
    }
    parts.push("]}");
    return parts;
  };
}

function fieldsOf(
  { model, params, tools }: ModelRequest,
  refused: ReadonlySet<OptionalField>,
): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  const { effort, thinks } = effortFor(model, params.thinking);
  if (thinks) {
    const reasoning = {
      ...(effort === undefined || refused.has("reasoning.effort") ? {} : { effort }),
      ...(refused.has("reasoning.summary") ? {} : { summary: "auto" }),
    };
    if (Object.keys(reasoning).length > 0) fields.reasoning = reasoning;
    if (!refused.has("include")) fields.include = ["reasoning.encrypted_content"];
  } else if (params.temperature !== undefined && !refused.has("temperature"))
    fields.temperature = params.temperature; // models that think do not take one
  if (params.maxOutputTokens !== undefined) fields.max_output_tokens = Math.max(16, params.maxOutputTokens);
  if (tools.length > 0 && !refused.has("parallel_tool_calls")) fields.parallel_tool_calls = true;
  return fields;
}

function writeMessage(message: Message, provider: string): readonly unknown[] {
  switch (message.role) {
    case "user":
      return writeUser(message);
    case "tool":
      return [{ type: "function_call_output", call_id: message.callId, output: outputOf(message) }];
    case "assistant":
      return writeAssistant(message, provider);
  }
}

function outputOf({ text, images = [] }: ToolMessage): unknown {
  return images.length === 0 ? text : [{ type: "input_text", text }, ...images.map(inputImage)];
}

function inputImage(block: ImageBlock): unknown {
  const url = `data:${block.mediaType};base64,${block.data}`;
  if (kindOf(block) === "document") return { type: "input_file", filename: "document.pdf", file_data: url };
  return { type: "input_image", image_url: url };
}

function writeUser({ content }: UserMessage): readonly unknown[] {
  if (content.length === 0) return [];
  const parts = content.map((block) =>
    block.kind === "text" ? { type: "input_text", text: block.text } : inputImage(block),
  );
  return [{ type: "message", role: "user", content: parts }];
}

function writeAssistant({ content }: AssistantMessage, provider: string): readonly unknown[] {
  const items: unknown[] = [];
  let phase: string | undefined;
  for (const block of content) {
    if (block.kind === "text" && block.text !== "") {
      const said = { type: "output_text", text: block.text, annotations: [] };
      const marked = phase === undefined ? {} : { phase };
      items.push({ type: "message", role: "assistant", content: [said], ...marked });
      phase = undefined;
    } else if (block.kind === "tool_call") {
      const { id, name, input } = block;
      items.push({ type: "function_call", call_id: id, name, arguments: wireJson(input) });
    } else if (block.kind === "thinking" && block.provider === provider) {
      const proof = parseObject(block.signature ?? "");
      phase = asText(proof?.phase) ?? phase;
      if (asText(proof?.encrypted_content)) items.push(reasoningItem(block, proof ?? {}));
    }
  }
  // The API refuses a thought without what it led to, which is missing from an answer that was cut off.
  while ((items.at(-1) as { readonly type?: string } | undefined)?.type === "reasoning") items.pop();
  return items;
}

function reasoningItem({ text }: ThinkingBlock, { id, encrypted_content }: Record<string, unknown>): unknown {
  const summary = text === "" ? [] : [{ type: "summary_text", text }];
  return { type: "reasoning", id: asText(id) ? id : undefined, summary, encrypted_content };
}

function writeTool({ name, description, parameters }: ToolDescriptor): string {
  return wireJson({ type: "function", name, description, parameters, strict: false });
}
