import { basename, dirname, join } from "node:path";
import { errorCode } from "../../core/faults.ts";
import type { Fs } from "../kernel/contract.ts";

/**
 * The path of the only sibling whose name looks like `path`'s, for a name that does not exist as written: macOS puts U+202F
 * into screenshot names and stores accents decomposed, and models write neither. Undefined if none or several match. For
 * reading only: a write must name its file exactly.
 */
export async function findSpelling(fs: Fs, path: string): Promise<string | undefined> {
  const folder = dirname(path);
  const wanted = plainName(basename(path));
  try {
    const names = (await fs.readDir(folder)).map((child) => child.name);
    const [only, ...others] = names.filter((name) => plainName(name) === wanted);
    return only !== undefined && others.length === 0 ? join(folder, only) : undefined;
  } catch (error) {
    if (errorCode(error) === "ENOENT" || errorCode(error) === "ENOTDIR") return undefined;
    throw error;
  }
}

function plainName(name: string): string {
  return name.normalize("NFC").replaceAll(/[\u00a0\u202f]/g, " ");
}
