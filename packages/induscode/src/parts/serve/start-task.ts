// `indus serve start`: a task that outlives the terminal, in the person's server, which is started if there is none. `indus serve stop`.

import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import type { Flags } from "../../cli/flags.ts";
import { type Invocation, workingDirectory } from "../../cli/invocation.ts";
import { noticeLine } from "../../cli/notice-line.ts";
import { EXIT_OK, Problem } from "../../cli/problem.ts";
import { type Connection, connectToServer } from "./connect.ts";
import type { OpenParams } from "./protocol/serve-messages.ts";
import { prepare, socketPlaces } from "./socket-place.ts";

export async function startTask(line: Invocation<Flags>, task: string): Promise<number> {
  const cwd = workingDirectory(line);
  const server = (await connectToServer(line)) ?? (await startServer(line));
  try {
    const { id, notices } = await server.request("sessions/open", openParams(line.flags, cwd));
    for (const notice of notices) process.stderr.write(noticeLine(notice));
    await server.request("submit", { session: id, content: [{ kind: "text", text: task }], wait: false });
    process.stdout.write(`${id}\n`);
    return EXIT_OK;
  } finally {
    server.close();
  }
}

export async function stopServer(line: Invocation): Promise<number> {
  const server = await connectToServer(line);
  if (server === undefined) throw new Problem("indus serve is not running");
  await server.request("shutdown", {});
  await server.closed;
  return EXIT_OK;
}

function openParams(flags: Flags, cwd: string): OpenParams {
  const { model, allow, deny, grant, "permission-mode": mode, "max-cost": cost } = flags;
  const given = { model, allow, deny, grant, mode, maxCost: cost === undefined ? undefined : Number(cost) };
  return {
    cwd,
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
  };
}

/** A process of its own, which no terminal ends. Throws a {@link Problem} with what it said if it does not come up. */
async function startServer(line: Invocation): Promise<Connection> {
  const [place] = socketPlaces(line.env);
  const [, entry] = process.argv;
  if (place === undefined || entry === undefined) throw new Problem("indus cannot start itself here");
  prepare(place);
  const log = openSync(place.log, "w", 0o600);
  const child = spawn(process.execPath, [entry, "serve", "--socket"], {
    ...{ cwd: line.startedIn, env: line.env, detached: true, stdio: ["ignore", "pipe", log] },
  });
  closeSync(log);
  await new Promise<void>((resolve) => {
    child.once("error", () => resolve());
    child.once("exit", () => resolve());
    child.stdout?.once("data", () => resolve()); // it listens
  });
  child.stdout?.destroy();
  child.unref();
  const server = await connectToServer(line);
  if (server === undefined) throw new Problem(`indus serve did not start; ${place.log} says why`);
  return server;
}
