// What a call that needs approval would overwrite: nobody should agree to a loss without seeing it.

import { decodeUtf8, type Fs, renderUnifiedDiff } from "indusagi/capabilities";
import { isTable } from "indusagi/core";
import type { AskedCall, PermissionQuestion } from "../../feature/permission.ts";

const MAX_SHOWN_BYTES = 262_144;

type Files = Pick<Fs, "stat" | "readBytes">;

/** The question, with what the one file its call would write loses. `mask` hides secrets; lines of a diff would cut them apart. */
export async function withOverwritten(
  question: PermissionQuestion,
  files: Files,
  mask: (text: string) => string,
): Promise<PermissionQuestion> {
  const { call, accesses } = question;
  const [written, ...more] = accesses.filter((access) => access.kind === "write");
  if (!call || !written || more.length > 0) return question;
  const held = await contentOf(written.path, files);
  return held === undefined ? question : { ...question, call: { ...call, ...lossOf(call, held, mask) } };
}

function lossOf(
  { input }: AskedCall,
  held: string | { readonly bytes: number },
  mask: (text: string) => string,
): Pick<AskedCall, "overwrites" | "places"> {
  if (!isTable(input)) return {};
  const { content, oldText, replaceAll } = input;
  if (typeof content === "string")
    return { overwrites: typeof held === "string" ? renderUnifiedDiff(mask(held), mask(content)) : held };
  if (replaceAll !== true || typeof held !== "string" || typeof oldText !== "string" || oldText === "")
    return {};
  return { places: held.split(oldText).length - 1 };
}

async function contentOf(
  path: string,
  files: Files,
): Promise<string | { readonly bytes: number } | undefined> {
  try {
    const { isFile, size: bytes } = await files.stat(path);
    if (!isFile) return undefined;
    if (bytes > MAX_SHOWN_BYTES) return { bytes };
    const held = await files.readBytes(path);
    try {
      return decodeUtf8(held);
    } catch {
      return { bytes };
    }
  } catch {
    return undefined; // there is none, or it cannot be read, which the tool itself will report
  }
}
