// What a script's shebang line needs, and why that fails: the system's own error is a number, or names the script.

import { closeSync, openSync, readSync } from "node:fs";
import { basename, isAbsolute } from "node:path";
import { findProgram, isProgram } from "./find-program.ts";

/** Linux reads no more of a first line. */
const MAX_LINE_BYTES = 256;

/** A sentence about the script at `path`; undefined if its first line works, or if it is not a script. */
export function interpreterProblem(path: string): string | undefined {
  const line = firstLine(path);
  if (!line.startsWith("#!")) return undefined;
  const shown = JSON.stringify(line);
  if (line.endsWith("\r"))
    return `its shebang line ${shown} ends with a carriage return: save it with Unix line endings`;
  const [interpreter = "", ...words] = line
    .slice(2)
    .trim()
    .split(/[ \t]+/);
  if (!isAbsolute(interpreter))
    return `its shebang line ${shown} must specify the interpreter by its absolute path`;
  if (!isProgram(interpreter)) return missing(shown, interpreter);
  const program = words.find((word) => !word.startsWith("-") && !word.includes("="));
  if (basename(interpreter) !== "env" || program === undefined || findProgram(program) !== undefined)
    return undefined;
  return missing(shown, program);
}

function missing(line: string, interpreter: string): string {
  return `its shebang line ${line} needs ${interpreter}, which is not installed`;
}

function firstLine(path: string): string {
  const file = openSync(path, "r");
  try {
    const bytes = Buffer.alloc(MAX_LINE_BYTES);
    const text = bytes.toString("latin1", 0, readSync(file, bytes, 0, MAX_LINE_BYTES, 0));
    return text.split("\n", 1)[0] ?? "";
  } finally {
    closeSync(file);
  }
}
