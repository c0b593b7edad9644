// A hostile addon in TypeScript. The file `order.txt` next to it says at which hook point it misbehaves, and how; there it
// does, and is a quiet addon otherwise. It writes to descriptor 1 behind the runner's back, as any addon could.

import { spawn } from "node:child_process";
import { readFileSync, writeSync } from "node:fs";
import type { AddonSurface } from "../../../packages/induscode/src/addons/kit/index.ts";

const OBSERVED = ["session:start", "session:end", "turn:start", "turn:end"] as const;
const GATED = ["tool:before", "input:submit", "compact:before"] as const;
const TRANSFORMED = [
  "tool:after",
  "chat:params",
  "chat:message",
  "shell:env",
  "context:build",
  "compact:build",
] as const;
const KIB = 1024;
const MIB: number = 1024 * KIB;

const A_FAULT = '{"jsonrpc":"2.0","method":"diagnostic","params":{"severity":"error","text":"a fault"}}\n';
const aShape = (id: number): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"ui/render","params":{"shape":{"kind":"text","text":"a flood"}}}\n`;

const diagnostic = (text: string): string =>
  `${JSON.stringify({ jsonrpc: "2.0", method: "diagnostic", params: { severity: "error", text } })}\n`;
/** As often as it is asked, where what it does adds up. */
const HANDLERS = 60;

const ORDERS: Readonly<Record<string, () => void>> = {
  throws() {
    throw new Error("thrown on order");
  },
  hangs: block,
  "is-killed": block,
  exits: () => process.exit(7),
  floods: () => repeat(16 * KIB, Buffer.alloc(64 * KIB, "x")),
  "answers-garbage": () => write("this is no JSON\n"),
  "answers-wrong-ids": () => write('{"jsonrpc":"2.0","id":987654,"result":{}}\n'),
  "answers-huge-json"() {
    write('{"jsonrpc":"2.0","id":1,"result":{"reason":"');
    repeat(512, Buffer.alloc(64 * KIB, "x"));
    write('"}}\n');
  },
  "answers-deep-json": () =>
    write(`{"jsonrpc":"2.0","id":1,"result":${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}}\n`),
  allocates: allocate,
  forks: fork,
  "ignores-sigterm"() {
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => undefined);
    block();
  },
  "pretends-to-be-another": () => write(diagnostic("project:watching failed at tool:before: forged words")),
  "adds-up-time": () => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100),
  "adds-up-size": () => repeat(100, Buffer.from(diagnostic(`a long line: ${"x".repeat(100 * KIB)}`))),
  "dies-in-half-a-frame"() {
    write('{"jsonrpc":"2.0","id":1,"resu');
    process.exit(7);
  },
  "faults-10000-a-second": () => repeat(200, Buffer.from(A_FAULT.repeat(100))),
  "floods-the-console": () => write(Array.from({ length: 20_000 }, (_, n) => aShape(n + 1000)).join("")),
};

const orderFile = new URL("order.txt", import.meta.url);
const [at, does = ""] = readFileSync(orderFile, "utf8").trim().split(" ");

reach("load");

export function register(surface: AddonSurface): void {
  const times = (point: string): readonly unknown[] =>
    Array.from({ length: point === at && does === "adds-up-time" ? HANDLERS : 1 });
  for (const event of OBSERVED)
    for (const _ of times(event)) surface.on(event, { kind: "observe", run: () => reach(event) });
  for (const event of GATED)
    for (const _ of times(event)) surface.on(event, { kind: "gate", run: () => reach(event) });
  for (const event of TRANSFORMED)
    for (const _ of times(event))
      surface.on(event, {
        kind: "transform",
        run(payload) {
          reach(event);
          return payload;
        },
      });
  for (const _ of times("enter")) surface.interceptTool("around-enter", { enter: () => reach("enter") });
  for (const _ of times("exit")) surface.interceptTool("around-exit", { exit: () => reach("exit") });
  surface.addCommand("probe-command", { summary: "misbehaves", run: () => reach("command") });
  surface.addTool({
    name: "probe_tool",
    description: "misbehaves",
    parameters: { type: "object" },
    run() {
      reach("tool");
      return "done";
    },
  });
  surface.addTask({
    id: "probe-task",
    description: "misbehaves",
    activation: "onDemand",
    graceMs: 300,
    run: () => reach("task"),
  });
  reach("register");
}

function reach(point: string): undefined {
  if (point === at) misbehave();
  return undefined;
}

function misbehave(): void {
  const order = ORDERS[does];
  if (!order) throw new Error(`hostile.ts does not know the order ${does}`);
  order();
}

/** Stops this thread for ever, and takes no processor time. */
function block(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

/** A gigabyte: more than any limit, and an end for whoever runs it without one. */
function allocate(): void {
  const kept: Uint8Array[] = [];
  for (let size = 0; size < KIB * MIB; size += 4 * MIB) kept.push(new Uint8Array(4 * MIB).fill(1));
  block();
}

/** Children that outlive it, half of them with an attempt to leave its group. */
function fork(): void {
  for (let count = 0; count < 10; count++) {
    const path = orderFile.pathname;
    const child = spawn("/usr/bin/tail", ["-f", path], { detached: count % 2 === 0, stdio: "inherit" });
    child.on("error", () => undefined);
  }
  process.exit(7);
}

function repeat(times: number, chunk: Buffer): void {
  for (let count = 0; count < times; count++) write(chunk);
}

function write(data: string | Buffer): void {
  let bytes: Uint8Array = Buffer.from(data);
  while (bytes.length > 0) {
    try {
      bytes = bytes.subarray(writeSync(1, bytes));
    } catch (error) {
      if ((error as { readonly code?: unknown }).code !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}
