// Why a file cannot be read before it is changed: then "read it first" is no advice.

import { errorCode } from "../../core/faults.ts";
import type { Fs } from "../kernel/contract.ts";
import { describeFsFailure, describeNonFile } from "./describe-failure.ts";
import { pictureIn } from "./picture.ts";
import { encodingOf } from "./text-encoding.ts";

export type GatedAction = "edit" | "write";

const OPENING_BYTES = 4_194_304;

/** Undefined if `read` would show the file at `path`, which was given as `asked`. */
export async function describeUnreadable(
  fs: Fs,
  path: string,
  { action, asked }: { readonly action: GatedAction; readonly asked: string },
): Promise<string | undefined> {
  try {
    const nonFile = describeNonFile(action, asked, await fs.stat(path));
    if (nonFile) return nonFile;
    const opening = await fs.readBytes(path, { start: 0, maxBytes: OPENING_BYTES });
    const verdict = encodingOf(opening, opening.length < OPENING_BYTES);
    if (verdict.kind === "text" || pictureIn(opening)) return undefined;
    const advice = action === "write" ? " To replace it, remove it first." : "";
    return `Cannot ${action} ${asked}: ${verdict.reason}.${advice}`;
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return describeFsFailure(action, asked, error);
  }
}
