// `indus acp`: the protocol on this process's stdin and stdout, until the editor closes its end.

import { Readable, Writable } from "node:stream";
import { ndJsonStream } from "@agentclientprotocol/sdk/unstable";
import { boundedLines } from "../../channels/bounded-lines.ts";
import type { Flags } from "../../cli/flags.ts";
import type { Invocation } from "../../cli/invocation.ts";
import { noticeLine } from "../../cli/notice-line.ts";
import { EXIT_OK } from "../../cli/problem.ts";
import { stopOnSignals } from "../../cli/signals.ts";
import { createAgent } from "./agent.ts";
import { createSessions } from "./editor-sessions.ts";

/** The longest message that is read: a prompt with several pictures. A longer one is refused, and the connection stays. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;

const WAITS =
  "this waits for an editor that speaks the Agent Client Protocol on stdin; indus alone is for a person, Ctrl+D ends it";
const NOBODY =
  "no editor spoke: this is started by an editor, which talks to it on stdin and stdout; docs/guide/editors.md has the lines for its settings";

export async function runAcp(line: Invocation<Flags>): Promise<number> {
  const sessions = createSessions(line);
  let isAsked = false;
  const { stdin, stdout } = process;
  if (stdin.isTTY) process.stderr.write(noticeLine(WAITS));
  const input = Readable.toWeb(stdin) as ReadableStream<Uint8Array>;
  const lines = input.pipeThrough(boundedLines(MAX_MESSAGE_BYTES));
  const stream = ndJsonStream(Writable.toWeb(stdout), lines, { maxMessageBytes: MAX_MESSAGE_BYTES + 1 });
  const connection = createAgent(sessions, line, () => (isAsked = true)).connect(stream);
  const signals = stopOnSignals(() => connection.close());
  await connection.closed;
  for (const problem of await sessions.closeAll()) process.stderr.write(noticeLine(problem));
  if (!isAsked) process.stderr.write(noticeLine(NOBODY));
  signals.release();
  return signals.exitCode(EXIT_OK);
}
