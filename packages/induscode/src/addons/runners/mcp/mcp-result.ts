// What an MCP server answers to a call, for the model: what cannot be shown as text is named, not dropped.

import { isSameJson, type JsonObject, type JsonValue, problemHere } from "indusagi/core";
import type { AddonToolResult } from "../../kit/contract.ts";
import { isTable, isTooDeep, kindOf, MAX_DEPTH, type Table } from "../table-value.ts";

type Blocks = Exclude<AddonToolResult["content"], string>;

const MAX_SHOWN = 100;

/** `outputSchema` is the tool's own: what does not fit it is shown all the same. */
export async function toolResultOf(
  answer: unknown,
  outputSchema: JsonObject | undefined,
): Promise<AddonToolResult> {
  if (!isTable(answer))
    return { content: [text(`[the server's answer is ${kindOf(answer)}, not a result]`)] };
  const { content, structuredContent: structured, isError } = answer;
  const isDeep = isTooDeep(structured);
  const structuredContent = isDeep ? undefined : structured;
  const value = structuredContent as JsonValue;
  const shown = contentBlocks(content);
  const misfit =
    structuredContent === undefined || outputSchema === undefined
      ? undefined
      : await problemHere(outputSchema, structuredContent);
  const isMissing = structuredContent !== undefined && (misfit !== undefined || !isTold(shown, value));
  const blocks: Blocks[number][] = [
    ...shown,
    ...(isMissing ? [misfit === undefined && shown.length > 0 ? beside(value) : json(value)] : []),
    ...(misfit === undefined
      ? []
      : [text(`[its structured content does not fit its outputSchema: ${misfit}]`)]),
  ];
  if (isDeep)
    blocks.push(text(`[its structured content is nested deeper than ${MAX_DEPTH} levels, not shown]`));
  return {
    content: blocks.length === 0 ? [text("[the server's answer has no content]")] : blocks,
    isError: isError === true || isError === "true",
  };
}

/**
 * Whether the other content says the same, as the specification wants of a tool with structured content: the value as JSON. Libraries also wrap
 * what is no table into one of a single key, and tell it as it is, a list item by item.
 */
function isTold(shown: Blocks, structured: JsonValue): boolean {
  const words = shown.flatMap((block) => (block.kind === "text" ? [block.text] : []));
  const values = words.map(jsonOrWords);
  const inner = typeof structured === "object" ? Object.values(structured ?? {}) : [structured];
  if (inner.length === 0) return shown.length > 0;
  const meant = isTable(structured) && inner.length === 1 ? [structured, inner[0]] : [structured];
  return meant.some((value) => [values, words, ...values, ...words].some((told) => isSameJson(told, value)));
}

function jsonOrWords(words: string): unknown {
  try {
    return JSON.parse(words);
  } catch {
    return words; // for people
  }
}

/** In bytes, of structured content that is shown beside other content: it may be the same in other words. */
const MAX_BESIDE = 16 * 1024;

/** Structured content that other content leaves out. */
function beside(structured: JsonValue): Blocks[number] {
  const bytes = Buffer.byteLength(JSON.stringify(structured));
  return bytes <= MAX_BESIDE
    ? json(structured)
    : text(`[its structured content (${bytes} bytes) says something else than this, not shown]`);
}

/** As base64, of all pictures of an answer: with them it still fits into one message to the host. */
const MAX_PICTURES = 7_000_000;

/** The parts of an answer, whatever they are. */
export function contentBlocks(content: unknown): Blocks {
  if (content === undefined || content === null) return [];
  const items = Array.isArray(content) ? content : [content];
  let left = MAX_PICTURES;
  return items.map((item) => {
    const data = pictureOf(item);
    if (data === undefined || data.length > left)
      return text(typeof item === "string" ? item : wordsOf(item));
    left -= data.length;
    return { kind: "image", data };
  });
}

/** What is to be seen: a picture, or a resource that is one. */
function pictureOf(item: unknown): string | undefined {
  if (!isTable(item)) return undefined;
  const { data, mimeType } =
    item.type === "resource" && isTable(item.resource) ? blobOf(item.resource) : item;
  // What a server sends is anything: an object may not even become a text.
  const type = typeof mimeType === "string" ? mimeType : "";
  const isPicture = item.type === "image" || /^image\/(?!svg)|^application\/pdf$/.test(type);
  return isPicture && typeof data === "string" && data !== "" ? data : undefined;
}

function blobOf({ blob, mimeType }: Table): Table {
  return { data: blob, mimeType };
}

function wordsOf(item: unknown): string {
  if (!isTable(item)) return `[a part of the answer is ${kindOf(item)}, not shown]`;
  switch (item.type) {
    case "text":
      return typeof item.text === "string"
        ? item.text
        : `[a text block whose text is ${kindOf(item.text)}, not shown]`;
    case "resource_link":
      return `${label(item.name ?? item.title)}: ${label(item.uri)}`;
    case "resource":
      return resourceWords(isTable(item.resource) ? item.resource : {});
    case "image":
    case "audio":
      return `[${item.type} of ${label(item.mimeType)}, ${sizeOf(item.data)}, not shown]`;
    default:
      return unknownWords(item);
  }
}

function resourceWords({ uri, mimeType, text: words, blob }: Table): string {
  if (typeof words === "string") return `${label(uri)}:\n${words}`;
  return `[${label(uri)}: ${label(mimeType ?? "of no type")}, ${sizeOf(blob)}, not shown]`;
}

function sizeOf(base64: unknown): string {
  return typeof base64 === "string" ? `${Buffer.byteLength(base64, "base64")} bytes` : "without data";
}

function unknownWords(item: Table): string {
  const name =
    item.type === undefined ? "without a type" : `of the unknown type ${JSON.stringify(item.type)}`;
  const what = `content ${name}`.slice(0, MAX_SHOWN);
  return typeof item.text === "string" ? `[${what}] ${item.text}` : `[${what}, not shown]`;
}

function label(value: unknown): string {
  return typeof value === "string" ? value : `(${kindOf(value)})`;
}

function json(value: JsonValue): Blocks[number] {
  return { kind: "json", value };
}

function text(words: string): Blocks[number] {
  return { kind: "text", text: words };
}
