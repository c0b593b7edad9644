// A question with yes or no, before a console is there.

import { createInterface } from "node:readline/promises";
import { EXIT_REFUSED, Problem } from "./problem.ts";

/** Asks on the terminal; no is the default. Throws a {@link Problem} if nobody can be asked. */
export async function askYes(question: string): Promise<boolean> {
  const { stdin, stdout } = process;
  if (stdin.isTTY !== true || stdout.isTTY !== true)
    throw new Problem(`${question} indus cannot ask you here, so nothing was kept: pass --yes`, EXIT_REFUSED);
  const lines = createInterface({ input: stdin, output: stdout });
  try {
    return /^y(?:es)?$/i.test((await lines.question(`${question} [y/N] `)).trim());
  } catch (error) {
    if ((error as Error).name !== "AbortError") throw error;
    stdout.write("\n"); // Ctrl+C or Ctrl+D
    return false;
  } finally {
    lines.close();
  }
}
