// What a subcommand writes to the file that a flag of it names.

import { statSync } from "node:fs";
import { join } from "node:path";
import { describeError } from "indusagi/core";
import { asWord } from "../deck/shell-quote.ts";
import { writeNamed } from "../store/replace-file.ts";
import { Problem } from "./problem.ts";

/** `name` is what the file is called in a folder. Throws a {@link Problem}. */
export function writeOutput(path: string, text: string, name: string, flag = "-o"): void {
  try {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory())
      throw new Error(`it is a folder, and a file was expected. Write ${flag} ${asWord(join(path, name))}`);
    writeNamed(path, text);
  } catch (error) {
    throw new Problem(`${path} cannot be written: ${describeError(error)}`);
  }
}
