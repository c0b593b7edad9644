// Writes a conversation as a Messages API request. Each message is serialised once; a body is made of those texts.

import type {
  ImageBlock,
  Message,
  ModelRequest,
  TextBlock,
  ThinkingBlock,
  ToolCallBlock,
  ToolDescriptor,
  ToolMessage,
} from "../../contract.ts";
import { kindOf } from "../../has-picture.ts";
import { asObject } from "../../loose-json.ts";
import { createUniqueCalls } from "../../unique-calls.ts";
import { bytesOnce, lastText, onceEach, type Pieces, wireJson } from "../../wire-json.ts";
import type { MessagesLesson } from "./messages-refusals.ts";
import { answerFields } from "./thinking.ts";

export interface MessagesWriter {
  readonly body: (request: ModelRequest, learnt?: ReadonlySet<MessagesLesson>) => Pieces;
  /** Leaves the thinking out of these messages from now on (their proofs are no longer valid). */
  readonly withoutThinking: (messages: readonly Message[]) => void;
}

/**
 * Writes the requests of one provider; `provider` is the one whose thinking is sent
 * back. On Google Cloud the body names the API's version instead of the model.
 */
export function createMessagesWriter(provider: string, isVertex = false): MessagesWriter {
  let thoughtless = new WeakSet<Message>();
  const writeBlocks =
    (signs: boolean) =>
    (message: Message): string =>
      blocksOf(message, { provider, withThinking: !thoughtless.has(message), signs })
        .map(wireJson)
        .join(",");
  const blocksFor = () => ({ signing: bytesOnce(writeBlocks(true)), other: bytesOnce(writeBlocks(false)) });
  let blocks = blocksFor();
  const tool = onceEach(writeTool);
  const system = lastText();
  const unique = createUniqueCalls();

  return {
    body: (request, learnt = NOTHING) => {
      const isLong = request.cachesForAnHour && !learnt.has("ttl");
      const mark = learnt.has("cache_control") ? undefined : isLong ? HOUR_MARK : CACHE_MARK;
      const first = isVertex ? VERTEX_VERSION : `"model":${wireJson(request.model)}`;
      const parts: (string | Buffer)[] = [`{${first},"stream":true`];
      for (const [name, value] of Object.entries(answerFields(provider, request.model, request.params))) {
        if (isLeftOut(name, learnt)) continue;
        parts.push(`,"${name}":${wireJson(value)}`);
      }
      if (request.tools.length > 0) parts.push(',"tools":[', request.tools.map(tool).join(","), "]");
      if (request.system !== "")
        parts.push(`,"system":[{"type":"text","text":${system(request.system)}${mark ? `,${mark}` : ""}}]`);
      parts.push(',"messages":[');
      const messages = unique(request.messages);
      pushTurns(parts, messages, SIGNS.test(request.model) ? blocks.signing : blocks.other, mark);
      parts.push("]}");
      return parts;
    },
    withoutThinking: (messages) => {
      thoughtless = new WeakSet(unique(messages));
      blocks = blocksFor();
    },
  };
}

const VERTEX_VERSION = '"anthropic_version":"vertex-2023-10-16"';

const NOTHING: ReadonlySet<MessagesLesson> = new Set();

function isLeftOut(field: string, learnt: ReadonlySet<MessagesLesson>): boolean {
  if (field === "output_config") return learnt.has("effort") || learnt.has("thinking");
  return (field === "temperature" || field === "thinking") && learnt.has(field);
}

// Claude signs every thought and accepts none back without its proof; other servers' models on this wire sign none.
const SIGNS = /(^|[/.])claude-/;

const CACHE_MARK = '"cache_control":{"type":"ephemeral"}';
const HOUR_MARK = '"cache_control":{"type":"ephemeral","ttl":"1h"}';

/**
 * The messages as alternating turns. Outcomes and what the person says next form one user turn: the API
 * wants the results of a turn's calls together and first. The last block of each of the last two user
 * turns carries a cache mark: the newest to cache this request, the one before because the API looks back
 * only twenty blocks for what the previous request cached, and ten parallel calls add more.
 */
function pushTurns(
  parts: (string | Buffer)[],
  messages: readonly Message[],
  blocks: (message: Message) => Buffer,
  mark: string | undefined,
): void {
  const userEnds: number[] = []; // the positions in `parts` of the last blocks of each user turn
  let role: "user" | "assistant" | undefined;
  for (const message of messages) {
    const text = blocks(message);
    if (text.length === 0) continue;
    const next = message.role === "assistant" ? "assistant" : "user";
    if (next === role) parts.push(",", text);
    else parts.push(role === undefined ? "" : "]},", `{"role":"${next}","content":[`, text);
    if (next === "user" && role === "user") userEnds.pop();
    if (next === "user") userEnds.push(parts.length - 1);
    role = next;
  }
  if (role !== undefined) parts.push("]}");
  if (mark) for (const at of userEnds.slice(-2)) parts[at] = marked(String(parts[at]), mark);
}

/** A block is a JSON object, so a mark is inserted before its closing brace: nothing is serialised again. */
function marked(blocks: string, mark: string): string {
  return `${blocks.slice(0, -1)},${mark}}`;
}

function blocksOf(
  message: Message,
  how: { readonly provider: string; readonly withThinking: boolean; readonly signs: boolean },
): unknown[] {
  switch (message.role) {
    case "user":
      return message.content.flatMap((block): unknown[] =>
        block.kind === "text" ? textBlock(block) : [imageBlock(block)],
      );
    case "tool":
      return [
        {
          type: "tool_result",
          tool_use_id: wireId(message.callId),
          content: outcomeContent(message),
          is_error: message.isError ? true : undefined,
        },
      ];
    case "assistant":
      return message.content.flatMap((block): unknown[] => {
        if (block.kind === "text") return textBlock(block);
        if (block.kind === "tool_call") return [callBlock(block)];
        return how.withThinking && block.provider === how.provider ? thinkingBlock(block, how.signs) : [];
      });
  }
}

function outcomeContent({ text, images = [] }: ToolMessage): unknown {
  return images.length === 0 ? text : [...textBlock({ kind: "text", text }), ...images.map(imageBlock)];
}

function imageBlock(block: ImageBlock): unknown {
  const source = { type: "base64", media_type: block.mediaType, data: block.data };
  return { type: kindOf(block) === "document" ? "document" : "image", source };
}

// The API refuses an empty text block.
function textBlock({ text }: TextBlock): unknown[] {
  return text.trim() === "" ? [] : [{ type: "text", text }];
}

function callBlock({ id, name, input }: ToolCallBlock): unknown {
  return { type: "tool_use", id: wireId(id), name, input: asObject(input) ?? {} };
}

function thinkingBlock({ text, signature, redacted }: ThinkingBlock, signs: boolean): unknown[] {
  if (redacted !== undefined) return [{ type: "redacted_thinking", data: redacted }];
  if (signature === undefined && signs) return []; // a thought without its proof is refused
  return [{ type: "thinking", thinking: text, signature: signature ?? "" }];
}

// Other providers make ids (`functions.bash:0`) that this API refuses.
function wireId(id: string): string {
  return id.replace(/[^A-Za-z0-9_-]/g, "_");
}

function writeTool({ name, description, parameters }: ToolDescriptor): string {
  return wireJson({ name, description, input_schema: parameters });
}
