// A process of `indus` at the other end of two pipes, one message a line.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { describeError, isTable } from "indusagi/core";
import { assetPath } from "../../../cli/assets.ts";

type Table = Readonly<Record<string, unknown>>;

export interface IndusProcess {
  readonly send: (message: Table) => void;
  /** Closes its end; resolves when it is gone, which is 10 s later at the latest. */
  readonly end: () => Promise<void>;
  /** Ends it at once. */
  readonly kill: () => void;
}

interface ProcessFacts {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly onMessage: (message: Table) => void;
  /** A line for a person. */
  readonly onLine: (line: string) => void;
  /** Once, after everything that it wrote. */
  readonly onGone: (why: string) => void;
}

/** How long it may take to end by itself, and then to end when told. */
const PATIENCE_MS = 5_000;

/** The command that comes with this package. */
export function ownCommand(): string {
  return join(dirname(assetPath(".")), "bin/indus");
}

export function startIndus({
  command,
  args,
  cwd,
  env,
  onMessage,
  onLine,
  onGone,
}: ProcessFacts): IndusProcess {
  const child = spawn(command, args, { cwd, env, stdio: "pipe" });
  const gone = once(child, "close").then(
    ([code, signal]) => onGone(`indus ended (${signal ?? `exit code ${code}`})`),
    (error: unknown) => onGone(`indus cannot be started: ${describeError(error)}`),
  );
  child.stdin.on("error", () => undefined); // that it is gone is told above
  createInterface({ input: child.stderr }).on("line", onLine);
  createInterface({ input: child.stdout }).on("line", (line) => {
    const message = messageIn(line);
    if (message === undefined) onLine(line);
    else onMessage(message);
  });
  return {
    send: (message) => void child.stdin.write(`${JSON.stringify(message)}\n`),
    async end() {
      child.stdin.end();
      const timers = [
        setTimeout(() => child.kill("SIGTERM"), PATIENCE_MS),
        setTimeout(() => child.kill("SIGKILL"), 2 * PATIENCE_MS),
      ];
      await gone;
      timers.forEach(clearTimeout);
    },
    kill: () => void child.kill("SIGKILL"),
  };
}

function messageIn(line: string): Table | undefined {
  try {
    const message: unknown = JSON.parse(line);
    return isTable(message) ? message : undefined;
  } catch {
    return undefined; // whatever wrote it, a person reads it
  }
}
