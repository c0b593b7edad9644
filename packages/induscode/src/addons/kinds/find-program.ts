import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";

/** Where programs are looked for when no PATH of the person's is used. */
export const SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin";

/**
 * The absolute path of a program; undefined where there is none. Relative entries of a PATH are left out, because they
 * would lead into whatever folder the product was started in.
 */
export function findProgram(name: string, path: string = SYSTEM_PATH): string | undefined {
  return path
    .split(delimiter)
    .filter(isAbsolute)
    .map((folder) => join(folder, name))
    .find(isProgram);
}

/** Whether it is there, and may be run. */
export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false; // not there, or not to be run: the next folder may have it
  }
}
