// `indus` without a model: a page that says where it looked and how to add one, and starts the rehearsal at a keypress.

import { printable } from "indusagi/core";
import type { Invocation } from "../cli/invocation.ts";
import { EXIT_FAULT } from "../cli/problem.ts";
import { type ModelSearch, searchPage } from "../session/models/model-search.ts";

const EXIT_INTERRUPTED = 130;
const CTRL_C = "\u0003";

/** Returns the exit code: the rehearsal's, or the one for no work done. Without a terminal, the page goes to stderr. */
export async function offerRehearsal(search: ModelSearch, line: Invocation): Promise<number> {
  const { stdin, stdout, stderr } = process;
  const isTerminal = stdin.isTTY === true && stdout.isTTY === true;
  const page = printable(searchPage(search).join("\n"));
  if (!isTerminal) {
    stderr.write(`${page}\n  indus --rehearse\n`);
    return EXIT_FAULT;
  }
  const key = await oneKey(`${page}\nPress Enter to start that rehearsal, or any other key to quit: `);
  stdout.write("\n\n");
  if (key === CTRL_C) return EXIT_INTERRUPTED;
  if (key !== "\r" && key !== "\n") return EXIT_FAULT;
  return (await import("../parts/rehearsal/run-rehearsal.ts")).runRehearsal(line);
}

/** Asks, and resolves to the next key; to an empty string if the terminal goes away. */
function oneKey(question: string): Promise<string> {
  const { stdin, stdout } = process;
  return new Promise((resolve) => {
    const settle = (key: string): void => {
      stdin.off("data", onData).off("end", onEnd).off("error", onEnd);
      if (!stdin.destroyed) stdin.setRawMode(false);
      stdin.pause();
      resolve(key);
    };
    const onData = (keys: Buffer): void => settle(keys.toString().slice(0, 1));
    const onEnd = (): void => settle("");
    stdin.on("data", onData).on("end", onEnd).on("error", onEnd);
    // Before asking: a key pressed at once is an answer too, and Ctrl+C must not signal the whole foreground group.
    stdin.setRawMode(true);
    stdin.resume();
    stdout.write(question);
  });
}
