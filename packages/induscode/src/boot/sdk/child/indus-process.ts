// A process of `indus` at the other end of two pipes, one message a line.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { dirname, join } from "node:path";
import { brief, describeError, isTable } from "indusagi/core";
import { eachLine, LongLine } from "../../../channels/bounded-lines.ts";
import { assetPath } from "../../../cli/assets.ts";

type Table = Readonly<Record<string, unknown>>;

export interface IndusProcess {
  readonly send: (message: Table) => void;
  /** Closes its end; resolves when it is gone, which is 12 s later at the latest. */
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
  /** Once, after everything that it wrote: how it ended, and below that the last lines for a person. */
  readonly onGone: (why: string) => void;
}

/** How long it may take to end by itself, and then to end when told. */
const PATIENCE_MS = 5_000;
/** Once it has ended, its pipes may be held open by whatever it left behind: what comes later is not waited for. */
const PIPES_MS = 2_000;
/** Of a message, one with several pictures. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;
/** Of a line for a person. */
const MAX_TOLD_BYTES = 64 * 1024;
const LAST_LINES = 20;

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
  const told: string[] = [];
  let broken: string | undefined;

  function tell(line: string): void {
    if (told.push(line) > LAST_LINES) told.shift();
    onLine(line);
  }

  async function hear(): Promise<void> {
    try {
      for await (const line of eachLine(child.stdout, MAX_LINE_BYTES)) {
        if (line instanceof LongLine) throw new Error(`it wrote ${line.message}`);
        const text = line.toString("utf8");
        const message = messageIn(text);
        if (message !== undefined) onMessage(message);
        else if (text.trim() !== "") tell(`a line that is not a message: ${brief(text)}`);
      }
    } catch (error) {
      if (child.exitCode === null && child.signalCode === null)
        broken = `indus was ended: ${describeError(error)}`;
      child.kill("SIGKILL");
    }
  }

  async function hearLines(): Promise<void> {
    try {
      for await (const line of eachLine(child.stderr, MAX_TOLD_BYTES))
        tell(line instanceof LongLine ? `${line.beginning}…` : line.toString("utf8").replace(/\r$/, ""));
    } catch {
      // that it is gone is told below
    }
  }

  const ended = once(child, "exit").then(
    ([code, signal]) => `indus ended (${signal ?? `exit code ${code}`})`,
    (error: unknown) => `indus cannot be started: ${describeError(error)}`,
  );
  const heard = Promise.all([hear(), hearLines()]);
  const gone = ended.then(async (how) => {
    const late = setTimeout(
      () => [child.stdout, child.stderr].forEach((pipe) => void pipe.destroy()),
      PIPES_MS,
    );
    await heard;
    clearTimeout(late);
    onGone([broken ?? how, ...told].join("\n"));
  });
  child.stdin.on("error", () => undefined); // that it is gone is told above
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
    return undefined;
  }
}
