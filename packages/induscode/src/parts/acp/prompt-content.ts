// What an editor sends with a prompt, as what the model is sent.

import { fileURLToPath } from "node:url";
import type { ContentBlock } from "@agentclientprotocol/sdk/unstable";
import { pictureIn } from "indusagi/capabilities";
import { describeError } from "indusagi/core";
import { fileFrame, isFileFrame } from "../../briefing/file-frame.ts";
import type { UserContent } from "../../conductor/contract.ts";
import { type AttachmentPlaces, readAttachments } from "../../front/attachments.ts";
import { fileAt } from "../../front/mentioned-files.ts";

/** Of larger linked files the model gets only the names; it reads the parts that it needs. */
const MAX_LINKED_BYTES = 256 * 1024;

export interface PromptPlaces extends AttachmentPlaces {
  /** The text of a file as the editor has it, which may not be saved; undefined if it has none. */
  readonly read: (path: string) => Promise<string | undefined>;
}

export interface PromptContent {
  readonly content: UserContent;
  /** What was not sent as it was given, one line each. */
  readonly problems: readonly string[];
}

export async function promptContent(
  blocks: readonly ContentBlock[],
  places: PromptPlaces,
): Promise<PromptContent> {
  const problems: string[] = [];
  const content: UserContent[number][] = [];
  for (const block of blocks) {
    try {
      content.push(...(await contentOf(block, places)));
    } catch (error) {
      problems.push(describeError(error));
    }
  }
  return { content: joined(content).filter((block) => !isBlank(block)), problems };
}

async function contentOf(block: ContentBlock, places: PromptPlaces): Promise<UserContent> {
  switch (block.type) {
    case "text":
      return [{ kind: "text", text: block.text }];
    case "image":
      return picture(Buffer.from(block.data, "base64"), block.uri ?? "the picture");
    case "resource": {
      const { resource } = block;
      if ("text" in resource) return [fileText(nameOf(resource.uri, places), resource.text)];
      return picture(Buffer.from(resource.blob, "base64"), resource.uri);
    }
    case "resource_link":
      return linked(block.uri, places);
    default:
      throw new Error(`not sent: ${block.type} is not a kind that indus sends to a model`);
  }
}

/** Not by what the editor says that it is: a provider refuses a request with a picture of another kind, and every later one. */
function picture(bytes: Buffer, name: string): UserContent {
  const mediaType = pictureIn(bytes)?.mediaType;
  if (mediaType === undefined)
    throw new Error(`not sent: ${name} is neither text nor a PNG, JPEG, GIF or WebP image`);
  return [{ kind: "image", mediaType, data: bytes.toString("base64") }];
}

async function linked(uri: string, places: PromptPlaces): Promise<UserContent> {
  const path = fileOf(uri);
  if (path === undefined) return [{ kind: "text", text: uri }];
  const buffer = await places.read(path);
  if (buffer !== undefined && Buffer.byteLength(buffer) <= MAX_LINKED_BYTES)
    return [fileText(nameOf(uri, places), buffer)];
  const found = fileAt(path);
  if (found === undefined || found.size > MAX_LINKED_BYTES)
    return [{ kind: "text", text: `@${nameOf(uri, places)}` }];
  return readAttachments([path], places);
}

function fileText(name: string, text: string): UserContent[number] {
  return { kind: "text", text: fileFrame(name, text) };
}

/** A file of the workspace by its path from there, as everywhere. */
function nameOf(uri: string, { cwd }: PromptPlaces): string {
  const path = fileOf(uri) ?? uri;
  return path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path;
}

function fileOf(uri: string): string | undefined {
  if (!uri.startsWith("file://")) return undefined;
  try {
    return fileURLToPath(uri.split("#", 1)[0] ?? uri);
  } catch {
    return undefined; // of another machine, or of another kind of machine
  }
}

/** A provider refuses a request with a blank text, and every later one that contains it. */
function isBlank(block: UserContent[number]): boolean {
  return block.kind === "text" && block.text.trim() === "";
}

/** Editors cut a line at each mention; the model reads it as it was typed. */
function joined(content: readonly UserContent[number][]): UserContent {
  const all: UserContent[number][] = [];
  for (const block of content) {
    const last = all.at(-1);
    const isInLine =
      block.kind === "text" && last?.kind === "text" && !isFileFrame(block.text) && !isFileFrame(last.text);
    if (isInLine) all.splice(-1, 1, { kind: "text", text: last.text + block.text });
    else all.push(block);
  }
  return all;
}
