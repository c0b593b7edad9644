// One run of a hook's command: what it is told on its standard input, and what came of it. It ends with its time, with all that it started,
// however much it writes.

import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import type { HookCommand } from "./hook-table.ts";

export interface HookOutcome {
  /** Undefined if it did not end by itself. */
  readonly code: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  /** Why it did not end by itself, or was not started. */
  readonly problem: string | undefined;
}

export interface HookRun {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Of each of its outputs; whoever writes more is ended. */
export const MAX_HOOK_OUTPUT = 256 * 1024;
/** In the environment of all that a run starts. */
const MARK = "INDUS_HOOK_RUN";
/** From its exit to the end of its pipes, which a process that it started may hold open. */
const DRAIN_MS = 100;

let runs = 0;

/** Never rejects. */
export function runHook(
  { run }: Pick<HookCommand, "run">,
  input: object,
  { cwd, env, timeoutMs, signal }: HookRun,
): Promise<HookOutcome> {
  const [program, args] = "line" in run ? ["/bin/sh", ["-c", run.line]] : [run.program, run.args];
  const mark = `${process.pid}-${++runs}`;
  return new Promise((resolve) => {
    let child: ChildProcess;
    try {
      child = spawn(program, args, { cwd, env: { ...env, [MARK]: mark }, stdio: "pipe" });
    } catch (error) {
      resolve(notStarted(error));
      return;
    }
    const output = { stdout: "", stderr: "" };
    let problem: string | undefined;
    const end = (why: string): void => {
      problem ??= why;
      endAll(child, mark);
    };
    const timer = setTimeout(end, timeoutMs, `it took longer than ${timeoutMs / 1_000} s`);
    const onAbort = (): void => end("it was cancelled");
    signal.addEventListener("abort", onAbort, { once: true });
    const settle = (code: number | null): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      endAll(child, mark); // what it left running
      child.stdout?.destroy();
      child.stderr?.destroy();
      resolve({ code: problem === undefined ? (code ?? undefined) : undefined, ...output, problem });
    };
    for (const name of ["stdout", "stderr"] as const) {
      child[name]?.setEncoding("utf8").on("data", (text: string) => {
        const room = MAX_HOOK_OUTPUT - output[name].length;
        output[name] += text.slice(0, room);
        if (text.length > room) end(`it wrote more than ${MAX_HOOK_OUTPUT} characters`);
      });
    }
    child.once("error", (error) => {
      problem ??= notStarted(error).problem;
      settle(null);
    });
    child.once("exit", (code, killedBy) => {
      if (killedBy !== null) problem ??= `it was ended by ${killedBy}`;
      const drained = setTimeout(settle, DRAIN_MS, code);
      child.once("close", () => {
        clearTimeout(drained);
        settle(code);
      });
    });
    child.stdin?.on("error", () => undefined); // it need not read what it is told
    child.stdin?.end(`${JSON.stringify(input)}\n`);
  });
}

function notStarted(error: unknown): HookOutcome {
  const why = error instanceof Error ? error.message : String(error);
  return { code: undefined, stdout: "", stderr: "", problem: `it could not be started: ${why}` };
}

/** Ends a run with what it started. In the sandbox nothing leaves the group that the host ends, so nobody there has a group of its own. */
function endAll(child: ChildProcess, mark: string): void {
  child.kill("SIGKILL");
  for (const pid of processes()) if (pid !== process.pid && hasMark(pid, mark)) kill(pid);
}

/** None where the sandbox does not show them: the host ends them with the addon. */
function processes(): readonly number[] {
  try {
    return readdirSync("/proc").map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

function hasMark(pid: number, mark: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8").split("\0").includes(`${MARK}=${mark}`);
  } catch {
    return false; // gone, or somebody else's
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error; // it is gone
  }
}
