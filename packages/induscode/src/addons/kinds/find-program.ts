import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { SYSTEM_PATH } from "../sandbox/system-places.ts";

/**
 * The absolute path of a program; undefined if there is none. Relative PATH entries are ignored, because they would depend
 * on the folder the product was started in.
 */
export function findProgram(name: string, path: string = SYSTEM_PATH): string | undefined {
  return path
    .split(delimiter)
    .filter(isAbsolute)
    .map((folder) => join(folder, name))
    .find(isProgram);
}

/** Whether it exists and can be executed. */
export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false; // missing or not executable: the next folder may have it
  }
}
