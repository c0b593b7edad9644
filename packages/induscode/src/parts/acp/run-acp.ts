// `indus acp`: the protocol on this process's stdin and stdout, until the editor closes its end.

import { deferred } from "indusagi/core";
import { boundedLines } from "../../channels/bounded-lines.ts";
import type { Flags } from "../../cli/flags.ts";
import type { Invocation } from "../../cli/invocation.ts";
import { noticeLine } from "../../cli/notice-line.ts";
import { EXIT_OK } from "../../cli/problem.ts";
import { stopOnSignals } from "../../cli/signals.ts";
import { answerToHello } from "./hello.ts";

/** The longest message that is read: a prompt with several pictures. A longer one is refused, and the connection stays. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;

const WAITS =
  "waiting for an editor that speaks the Agent Client Protocol on stdin (Ctrl+D ends this). For a conversation here, run indus without a command";
const NOBODY =
  "received nothing from an editor: an editor is meant to start indus acp; docs/guide/editors.md shows its settings";

export async function runAcp(line: Invocation<Flags>): Promise<number> {
  const { stdin, stdout } = process;
  if (stdin.isTTY) process.stderr.write(noticeLine(WAITS));
  const stopped = deferred<undefined>();
  const signals = stopOnSignals(() => stopped.resolve(undefined));
  const lines = boundedLines(stdin, MAX_MESSAGE_BYTES);
  const first = await Promise.race([lines.next(), stopped.promise]);
  let isAsked = false;
  if (first?.done === false) {
    const answered = answerToHello(first.value);
    if (answered) stdout.write(`${JSON.stringify(answered)}\n`);
    const { serveEditor } = await import("./serve-editor.ts");
    const read = { first: first.value, answered, lines, maxBytes: MAX_MESSAGE_BYTES };
    isAsked = await serveEditor(line, { ...read, output: stdout, stopped: stopped.promise });
  }
  if (!isAsked) process.stderr.write(noticeLine(NOBODY));
  signals.release();
  return signals.exitCode(EXIT_OK);
}
