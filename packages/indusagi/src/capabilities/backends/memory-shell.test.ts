// What is specific to the memory shell; shell-cases.ts covers the rest.

import { expect, test } from "vitest";
import { memoryShell } from "./memory-shell.ts";

const signal = new AbortController().signal;

test("every start is on record, in order", async () => {
  const shell = memoryShell({ build: "done" });
  await shell.exec("build", { cwd: "/ws", signal, input: "in", env: { A: "1" } });
  shell.spawn("serve", { cwd: "/" });
  await shell.exec("never", { cwd: "/", signal: AbortSignal.abort() });
  expect(shell.calls).toEqual([
    { kind: "exec", command: "build", cwd: "/ws", env: { A: "1" }, input: "in" },
    { kind: "spawn", command: "serve", cwd: "/", env: {} },
  ]);
});

test("a script may be a function of the call", async () => {
  const shell = memoryShell(({ command, cwd, input = "" }) =>
    command === "where" ? { stdout: `${cwd} ${input}`, code: 1 } : undefined,
  );
  const { stdout, code } = await shell.exec("where", { cwd: "/ws", signal, input: "x" });
  expect([stdout, code]).toEqual(["/ws x", 1]);
  expect((await shell.exec("else", { cwd: "/", signal })).code).toBe(127);
});

test("a name that every object has is no command", async () => {
  expect((await memoryShell({}).exec("toString", { cwd: "/", signal })).code).toBe(127);
});

test("each background command has a number of its own", () => {
  const shell = memoryShell();
  const pids = [1, 2, 3].map(() => shell.spawn("x", { cwd: "/" }).pid);
  expect(new Set(pids).size).toBe(3);
});
