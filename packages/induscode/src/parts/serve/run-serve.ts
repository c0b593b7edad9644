// `indus serve`: sessions for programs, over stdin and stdout until they close, or behind a socket for whoever the person is.

import { Readable } from "node:stream";
import type { ValuesOf } from "../../cli/flag-row.ts";
import type { Flags } from "../../cli/flags.ts";
import type { Invocation } from "../../cli/invocation.ts";
import { noticeLine } from "../../cli/notice-line.ts";
import { EXIT_OK, EXIT_USAGE, Problem } from "../../cli/problem.ts";
import { stopOnSignals } from "../../cli/signals.ts";
import type { SERVE_FLAGS } from "./serve-flags.ts";
import { createServer, type Server } from "./server.ts";

type ServeLine = Invocation<Flags & ValuesOf<typeof SERVE_FLAGS>>;

const FOR_PROGRAMS =
  'waiting for a program that speaks JSON-RPC on stdin (Ctrl+D ends this). To start a task yourself: indus serve start "task"';
const DEFAULT_IDLE = "60";
const MINUTE_MS = 60_000;

export async function runServe(line: ServeLine): Promise<number> {
  const [, action, ...words] = line.words;
  if (action === "start") return (await import("./start-task.ts")).startTask(line, words.join(" "));
  if (action === "stop") return (await import("./start-task.ts")).stopServer(line);
  const { socket = false, idle = DEFAULT_IDLE } = line.flags;
  if (!socket && line.flags.idle !== undefined)
    throw new Problem("--idle needs --socket: over stdin, indus serve ends with its client", EXIT_USAGE);
  const minutes = Number(idle);
  if (!(minutes > 0 && minutes < 1e6))
    throw new Problem(`--idle takes a number of minutes above 0; got "${idle}"`, EXIT_USAGE);
  const server = createServer(line);
  const signals = stopOnSignals(() => server.stop("a signal"));
  try {
    const why = socket ? await serveSocket(server, { line, minutes }) : await serveStdio(server);
    for (const problem of await server.close(why)) process.stderr.write(noticeLine(problem));
  } finally {
    signals.release();
  }
  return signals.exitCode(EXIT_OK);
}

async function serveStdio(server: Server): Promise<string> {
  const { stdin, stdout } = process;
  if (stdin.isTTY) process.stderr.write(noticeLine(FOR_PROGRAMS));
  const input = Readable.toWeb(stdin) as ReadableStream<Uint8Array>;
  const reading = server.connect({
    ...{ input, output: stdout },
    destroy: () => server.stop("nobody reads the answers"),
  });
  return Promise.race([reading.then(() => "its client left"), server.stopped]);
}

async function serveSocket(
  server: Server,
  { line, minutes }: { readonly line: Invocation; readonly minutes: number },
): Promise<string> {
  const [{ listen }, { socketPlaces }] = await Promise.all([
    import("./listen.ts"),
    import("./socket-place.ts"),
  ]);
  const [place] = socketPlaces(line.env);
  if (place === undefined) throw new Problem("indus found no folder for its socket");
  const close = await listen(place, server);
  process.stdout.write(`${place.socket}\n`); // whoever started this knows now that it listens
  server.stopWhenIdle(minutes * MINUTE_MS, `no connection, task or background work for ${minutes} minutes`);
  try {
    const why = await server.stopped;
    process.stderr.write(noticeLine(`serve ends: ${why}`));
    return why;
  } finally {
    close();
  }
}
