import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { expect, onTestFinished, test, vi } from "vitest";
import { createWorkspace } from "../../../../../tests/support/test-workspace.ts";
import { until } from "../../../../../tests/support/until.ts";
import { localShell } from "../backends/local-shell.ts";
import type { Shell } from "../kernel/contract.ts";
import { bashTool } from "./bash.ts";

const bash = bashTool();

test("a report has the streams that spoke and the status", async () => {
  const ws = createWorkspace();
  const outcomes = [];
  for (const command of ["echo out; echo err >&2; exit 3", "printf out", "true", "kill -TERM $$"]) {
    const { output, isError } = await ws.call(bash, { command });
    outcomes.push([output, isError]);
  }
  expect(outcomes).toEqual([
    ["stdout:\nout\n\nstderr:\nerr\n\nstatus: exit code 3", true],
    ["stdout:\nout\n\nstatus: exit code 0", false],
    ["status: exit code 0", false],
    ["status: ended by signal SIGTERM", true],
  ]);
});

test("a command runs in the working folder or the one it names", async () => {
  const ws = createWorkspace();
  mkdirSync(ws.path("sub"));
  expect((await ws.call(bash, { command: "pwd" })).output).toBe(`stdout:\n${ws.root}\n\nstatus: exit code 0`);
  expect((await ws.call(bash, { command: "pwd", cwd: "sub" })).output).toContain(ws.path("sub"));
  expect(await ws.call(bash, { command: "pwd", cwd: "none" })).toEqual({
    id: "call",
    output: `Cannot run in ${ws.path("none")}: folder not found.`,
    isError: true,
  });
});

test("a command that is too long for the system says so, and what to do", async () => {
  const { output } = await createWorkspace().call(bash, { command: `: ${"x".repeat(8_000_000)}` });
  expect(output).toBe(
    "Cannot run: the command, with its variables, is longer than this system takes (on Linux 128 KB). Write it to a file, and run that.",
  );
});

test("a working folder that does not exist is refused by its name, where the system's error names the shell", async () => {
  const ws = createWorkspace();
  ws.put("file", "");
  symlinkSync("loop", ws.path("loop"));
  const refused = async (cwd: string): Promise<unknown> =>
    (await ws.call(bash, { command: "true", cwd })).output;
  expect(await refused("file")).toBe(`Cannot run in ${ws.path("file")}: it is a file, not a folder.`);
  expect(await refused("file/x")).toBe(
    `Cannot run in ${ws.path("file/x")}: a part of the path is a file, not a directory.`,
  );
  expect(await refused("loop")).toBe(`Cannot run in ${ws.path("loop")}: its symbolic links form a loop.`);
  expect(await refused("")).toBe('"cwd" must not be empty. Omit it for the working folder.');
  expect(await refused(" ")).toBe('"cwd" contains only whitespace: expected a path.');
  const naive = localShell().exec("true", { cwd: ws.path("file"), signal: new AbortController().signal });
  await expect(naive).rejects.toThrow("spawn"); // the twin
});

test("the time allowed is two minutes, what is asked for, and never more than ten", async () => {
  const ws = createWorkspace();
  const asked: (number | undefined)[] = [];
  const shell: Shell = {
    ...localShell(),
    exec: (command, options) => {
      asked.push(options.timeoutMs);
      return localShell().exec(command, options);
    },
  };
  for (const input of [{}, { timeoutMs: 1_500.7 }, { timeoutMs: 1e9 }]) {
    await ws.call(bash, { command: "true", ...input }, { shell });
  }
  expect(asked).toEqual([120_000, 1_500, 600_000]);
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const call = ws.call(bash, { command: "echo begun; touch said; sleep 60", timeoutMs: 3_000 });
  while (!existsSync(ws.path("said"))) await new Promise(setImmediate);
  for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate); // the output is read
  vi.advanceTimersByTime(3_000);
  const { output, isError } = await call;
  expect([output, isError]).toEqual([
    "stdout:\nbegun\n\nstatus: timed out after 3000 ms and was terminated",
    true,
  ]);
});

test("an abort comes back as an error, with what was said", async () => {
  const ws = createWorkspace();
  const abort = new AbortController();
  const call = ws.call(bash, { command: "echo begun; touch said; sleep 60" }, { signal: abort.signal });
  await until(() => existsSync(ws.path("said")));
  abort.abort();
  expect(await call).toEqual({
    id: "call",
    output: "stdout:\nbegun\n\nstatus: cancelled before it finished",
    isError: true,
  });
});

test("endless output is cut once, with the true count", async () => {
  const ws = createWorkspace();
  const { output } = await ws.call(bash, { command: "yes | head -c 5000000" });
  const text = String(output);
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(65_536);
  expect(text.match(/\[\d+ bytes elided/g)).toEqual(["[4956651 bytes elided"]);
});

test("malformed arguments are refused, each with what was expected", async () => {
  const ws = createWorkspace();
  expect((await ws.call(bash, { command: " " })).output).toBe('"command" must not be empty.');
  expect((await ws.call(bash, { command: "true", timeoutMs: -1 })).output).toBe(
    '"timeoutMs" must be a positive number, got -1.',
  );
});
