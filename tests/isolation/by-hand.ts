// A hostile program without any of the guards: no sandbox, no fence, no limits; just its pipes. Ended with its test.

import { type ChildProcess, spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { type AddonSource, addonId } from "../../packages/induscode/src/addons/contract.ts";
import { readManifest } from "../../packages/induscode/src/addons/kinds/declarative-loader.ts";
import { describeModule } from "../../packages/induscode/src/addons/kinds/module.ts";
import { describeProcess } from "../../packages/induscode/src/addons/kinds/process.ts";
import { describePython } from "../../packages/induscode/src/addons/kinds/python.ts";
import { describeWasm } from "../../packages/induscode/src/addons/kinds/wasm.ts";
import type { AddonProgram, CodeAddon } from "../../packages/induscode/src/addons/process/contract.ts";
import { TEST_COMPILER } from "../support/test-compiler.ts";
import { PATIENCE_MS } from "../support/until.ts";
import type { Bench } from "./bench.ts";
import { HOSTILE, layHostile, type Order } from "./hostile-addon.ts";
import { processesOf } from "./processes.ts";

export interface ByHand {
  readonly child: ChildProcess;
  /** The addon's folder. */
  readonly marker: string;
  /** What came on its standard output. */
  readonly bytes: () => number;
  readonly lines: () => number;
  /** The length of the longest line, also of one that has not ended. */
  readonly longestLine: () => number;
  /** The first megabyte. */
  readonly text: () => string;
  /** Waits until it is so, or for `limitMs`; whether it is. */
  readonly until: (isSo: () => boolean, limitMs: number) => Promise<boolean>;
}

const KEPT_CHARACTERS = 1024 * 1024;
const NEWLINE = 0x0a;

/** Starts it and asks it to register and to handle `tool:before`, in which it misbehaves. */
export async function runByHand(bench: Bench, order: Order): Promise<ByHand> {
  const marker = layHostile(bench.folder(), order, bench.programs);
  const { argv, cwd } = await programOf(marker, bench.home);
  const [command = "", ...args] = argv;
  const child = spawn(command, args, { cwd, detached: true, stdio: ["pipe", "pipe", "ignore"] });
  onTestFinished(() => {
    for (const pid of processesOf(marker)) process.kill(pid, "SIGKILL");
  });
  let bytes = 0;
  let lines = 0;
  let line = 0;
  let longest = 0;
  let text = "";
  child.stdout.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (text.length < KEPT_CHARACTERS) text += chunk.toString("latin1");
    let from = 0;
    for (let to = chunk.indexOf(NEWLINE); to >= 0; to = chunk.indexOf(NEWLINE, from)) {
      longest = Math.max(longest, line + to - from);
      lines++;
      line = 0;
      from = to + 1;
    }
    line += chunk.length - from;
    longest = Math.max(longest, line);
  });
  child.stdin.on("error", () => undefined); // it may have ended: the test looks at how
  const until = async (isSo: () => boolean, limitMs: number): Promise<boolean> => {
    const since = performance.now();
    while (!isSo() && performance.now() - since < limitMs) await sleep(10);
    return isSo();
  };
  const describe = { protocol: { min: 1, max: 1 }, id: HOSTILE, cwd: "/", grants: [] };
  child.stdin.write(requestLine(1, "describe", describe));
  if (!(await until(() => text.includes('"handlers"'), PATIENCE_MS)))
    throw new Error(`${order.kind} did not register: ${text}`);
  text = "";
  const payload = { name: "read", callId: "c1", args: {} };
  child.stdin.write(requestLine(2, "event", { handler: GATES, event: "tool:before", payload }));
  return {
    child,
    marker,
    bytes: () => bytes,
    lines: () => lines,
    longestLine: () => longest,
    text: () => text,
    until,
  };
}

/** The place of `tool:before` among the handlers: after the four that observe. */
const GATES = 4;

function requestLine(id: number, method: string, params: object): string {
  return `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`;
}

async function programOf(folder: string, home: string): Promise<AddonProgram> {
  const source: AddonSource = { id: addonId(HOSTILE), path: folder, root: folder, scope: "project" };
  const code = await describe(source, home);
  return code.program({ hash: "0".repeat(64), grants: [] });
}

async function describe(source: AddonSource, home: string): Promise<CodeAddon> {
  const { descriptor } = await readManifest(source);
  const { run } = descriptor;
  if (run?.kind === "process") return describeProcess(source, { ...descriptor, run });
  if (run?.kind === "python") return describePython(source, descriptor);
  return run?.kind === "wasm"
    ? describeWasm(source, descriptor)
    : describeModule(source, { home, compiler: TEST_COMPILER }, descriptor);
}
