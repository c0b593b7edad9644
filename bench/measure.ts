// One run of one program against the scripted model: spawn, watch, collect. Independent of targets and tables.
import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { clockMs } from "./clock.ts";
import type { Exchange, ModelMessage } from "./model.ts";
import type { ScenarioName } from "./scenarios.ts";

/** A slower program is stopped and counts as failed. */
const deadlineMs = 180_000;
/** Often enough to see the last high-water mark before the process ends, rarely enough to cost nothing. */
const memoryPollMs = 20;

/** A command line to measure. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** What one process cost. `peakRssMb` is undefined if the machine has no /proc. */
export interface ProcessSample {
  readonly startedMs: number;
  readonly wallMs: number;
  readonly peakRssMb: number | undefined;
}

/** What one run against the model cost. `gapsMs[i]`: from the end of answer i to the arrival of the next request. */
export interface RunSample extends ProcessSample {
  readonly firstRequestMs: number;
  readonly gapsMs: readonly number[];
}

/** Runs a program to its end. Throws, with the end of its stderr, if it fails or is too slow. */
export async function measureProcess({ command, args, cwd, env }: Launch): Promise<ProcessSample> {
  const startedMs = clockMs();
  const child = spawn(command, args, { cwd, env, stdio: ["ignore", "ignore", "pipe"] });
  let peakRssMb: number | undefined;
  const poll = setInterval(() => (peakRssMb = readPeakRssMb(child.pid) ?? peakRssMb), memoryPollMs);
  const deadline = setTimeout(() => child.kill("SIGKILL"), deadlineMs);
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    errors = (errors + chunk).slice(-2000);
  });
  const exited = once(child, "exit").then(() => clockMs() - startedMs);
  await once(child, "close");
  clearInterval(poll);
  clearTimeout(deadline);
  if (child.exitCode !== 0) {
    throw new Error(
      `${command} ${args.join(" ")}: ended with ${child.signalCode ?? child.exitCode}: ${errors.trim()}`,
    );
  }
  return { startedMs, wallMs: await exited, peakRssMb };
}

/** Runs a program against a fresh model that plays the scenario; `launch` receives the model's base URL. */
export async function measureRun(
  scenario: ScenarioName,
  launch: (baseUrl: string) => Launch,
): Promise<RunSample> {
  const model = fork(fileURLToPath(new URL("model.ts", import.meta.url)), [scenario]);
  try {
    const { url } = await answer(model, "url");
    const sample = await measureProcess(launch(url));
    model.send("report");
    const { exchanges } = await answer(model, "exchanges");
    const [first] = exchanges;
    if (first === undefined) throw new Error("the program ended without asking the model anything");
    return { ...sample, firstRequestMs: first.arrivedMs - sample.startedMs, gapsMs: gapsBetween(exchanges) };
  } finally {
    model.kill();
  }
}

function gapsBetween(exchanges: readonly Exchange[]): number[] {
  return exchanges.slice(1).map((next, index) => next.arrivedMs - (exchanges[index]?.endedMs ?? Number.NaN));
}

async function answer<Key extends "url" | "exchanges">(
  model: ChildProcess,
  key: Key,
): Promise<Extract<ModelMessage, Record<Key, unknown>>> {
  const [message] = (await once(model, "message")) as [ModelMessage];
  if (!(key in message))
    throw new Error(`the scripted model sent ${JSON.stringify(message)}, expected its ${key}`);
  return message as Extract<ModelMessage, Record<Key, unknown>>;
}

/** The kernel's own high-water mark, so that late polling misses only the last moments. */
function readPeakRssMb(pid: number | undefined): number | undefined {
  try {
    const kilobytes = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return kilobytes === undefined ? undefined : Number(kilobytes) / 1024;
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ESRCH"))
      return undefined;
    throw error;
  }
}
