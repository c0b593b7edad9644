// The files that a typed line names with `@`: they are sent with it.

import { type Stats, statSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { describeError, printable } from "indusagi/core";
import { mentionsIn } from "../tui/complete/files.ts";
import type { Submission } from "../tui/contract.ts";
import type { Desk } from "../tui/desk.ts";
import { readAttachments } from "./attachments.ts";

export const IMAGE = /\.(?:png|jpe?g|gif|webp)$/i;

/** Of larger files the model gets only the names; it reads the parts it needs. */
const MOST_ATTACHED_BYTES = 256 * 1024;
const MOST_ATTACHED = 20;

/** Undefined if it is not a file that can be attached: most words after an `@` are not. */
export function fileAt(path: string): Stats | undefined {
  try {
    const found = statSync(path);
    return found.isFile() ? found : undefined;
  } catch {
    return undefined;
  }
}

interface TypedPlaces {
  readonly cwd: string;
  readonly personHome: string;
  /** Images from the clipboard that have not been sent, by name. */
  readonly clips?: Map<string, Buffer>;
}

/** The content sent for a line: its text, and the files that it names; `images` come first. */
export async function contentOf(
  { text, images }: Pick<Submission, "text" | "images">,
  { clips, ...places }: TypedPlaces,
): ReturnType<Desk["contentOf"]> {
  const problems: string[] = [];
  const mentioned = mentionsIn(text).filter((path) => {
    const absolute = isAbsolute(path)
      ? path
      : path.startsWith("~/")
        ? join(places.personHome, path.slice(2))
        : join(places.cwd, path);
    const found = fileAt(absolute);
    if (found === undefined) return false;
    if (found.size <= MOST_ATTACHED_BYTES || IMAGE.test(path)) return true;
    problems.push(`@${path} is larger than ${MOST_ATTACHED_BYTES / 1024} KiB: the model gets only its name`);
    return false;
  });
  if (mentioned.length > MOST_ATTACHED)
    problems.push(
      `only the first ${MOST_ATTACHED} of ${mentioned.length} files are attached; of the others, the model gets only the names`,
    );
  const content: Awaited<ReturnType<Desk["contentOf"]>>["content"][number][] = [{ kind: "text", text }];
  const attach = async (path: string): Promise<void> => {
    try {
      content.push(...(await readAttachments([path], places)));
    } catch (error) {
      problems.push(describeError(error));
    }
  };
  for (const image of images) {
    const clip = clips?.get(image);
    if (clip) content.push({ kind: "image", mediaType: "image/png", data: clip.toString("base64") });
    else await attach(image);
  }
  for (const image of images) clips?.delete(image);
  for (const path of mentioned.slice(0, MOST_ATTACHED)) await attach(path);
  return { content, problems: problems.map((problem) => printable(problem)) };
}
