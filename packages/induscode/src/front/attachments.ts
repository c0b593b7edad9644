// `@file` arguments: files that the person attached to a task, read before anything is sent.

import { stat } from "node:fs/promises";
import { pictureIn } from "indusagi/capabilities";
import { describeError, errorCode, readBoundedFile, resolvePath } from "indusagi/core";
import { fileFrame } from "../briefing/file-frame.ts";
import { Problem } from "../cli/problem.ts";
import type { UserContent } from "../conductor/contract.ts";

const MAX_TEXT_BYTES = 10 * 1024 * 1024;
const MAX_SHOWN_BYTES = 20 * 1024 * 1024;

const SHOWN_NAME = /\.(?:png|jpe?g|gif|webp|pdf)$/i;
const SHOWN = "a PNG, JPEG, GIF or WebP image nor a PDF";

export interface AttachmentPlaces {
  readonly cwd: string;
  /** What `~` stands for. */
  readonly personHome: string;
}

/** The blocks of the attached files, in order. Throws a {@link Problem} that names the file that cannot be attached. */
export async function readAttachments(
  paths: readonly string[],
  places: AttachmentPlaces,
): Promise<UserContent> {
  return Promise.all(paths.map((path) => readAttachment(path, places)));
}

async function readAttachment(
  path: string,
  { cwd, personHome }: AttachmentPlaces,
): Promise<UserContent[number]> {
  const absolute = resolvePath(cwd, path, personHome);
  const bytes = await readBounded(absolute, path);
  // Not by its extension: a provider refuses an image whose type is wrong, and every later request that contains it.
  const mediaType = pictureIn(bytes)?.mediaType;
  if (mediaType !== undefined) return { kind: "image", mediaType, data: bytes.toString("base64") };
  const isNamedShown = SHOWN_NAME.test(path);
  if (isNamedShown && bytes.length === 0) throw new Problem(`@${path} is empty`);
  const text = textOf(bytes);
  if (text === undefined) throw new Problem(`@${path} is neither UTF-8 text nor ${SHOWN}`);
  if (isNamedShown)
    throw new Problem(
      `@${path} does not match its extension: it is text, neither ${SHOWN}; rename it to attach it`,
    );
  return { kind: "text", text: fileFrame(path, text) };
}

function textOf(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

async function readBounded(absolute: string, path: string): Promise<Buffer> {
  try {
    const info = await stat(absolute);
    if (info.isDirectory())
      throw new Problem(`@${path} is a directory; attach files, or mention the directory in the task`);
    if (!info.isFile()) throw new Problem(`@${path} is not a regular file`);
    const limit = SHOWN_NAME.test(path) ? MAX_SHOWN_BYTES : MAX_TEXT_BYTES;
    if (info.size > limit)
      throw new Problem(`@${path} is too large: ${info.size} bytes, the limit is ${limit}`);
    return readBoundedFile(absolute, limit, { followsLinks: true });
  } catch (error) {
    if (error instanceof Problem) throw error;
    if (errorCode(error) === "ENOENT") throw new Problem(`@${path} does not exist (looked at ${absolute})`);
    throw new Problem(`@${path} could not be read: ${describeError(error)}`);
  }
}
