import { randomUUID } from "node:crypto";
import { chmodSync } from "node:fs";
import { afterEach, expect, test, vi } from "vitest";
import { createWorkspace } from "../../../../../tests/support/test-workspace.ts";
import { localShell } from "./local-shell.ts";
import { memoryShell } from "./memory-shell.ts";
import { ScopeError, type ShellScope } from "./scoped.ts";
import { scopedShell } from "./scoped-shell.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

const signal = new AbortController().signal;

function scope(parts: Partial<ShellScope>): ShellScope {
  return { mayExecute: () => true, permitsEnv: () => false, ...parts };
}

test("a command that is not permitted starts nothing", async () => {
  const inner = memoryShell({ build: "" });
  const shell = scopedShell(
    inner,
    scope({ mayExecute: (command, cwd) => command === "build" && cwd === "/ws" }),
  );
  await shell.exec("build", { cwd: "/ws", signal });
  await expect(shell.exec("deploy", { cwd: "/ws", signal })).rejects.toThrow(
    'EACCES: cannot run "deploy" in "/ws": this scope may not execute it. Grant execution of it to allow it.',
  );
  await expect(shell.exec("build", { cwd: "/", signal })).rejects.toThrow(ScopeError);
  expect(() => shell.spawn("deploy", { cwd: "/ws" })).toThrow(ScopeError);
  expect(inner.calls.map((call) => call.command)).toEqual(["build"]);
});

test("a variable may be set only by a permitted name", async () => {
  const inner = memoryShell({ build: "" });
  const shell = scopedShell(inner, scope({ permitsEnv: (name) => name === "LANG" }), {
    env: {},
  });
  await shell.exec("build", { cwd: "/", signal, env: { LANG: "C" } });
  await expect(shell.exec("build", { cwd: "/", signal, env: { LD_PRELOAD: "/tmp/x.so" } })).rejects.toThrow(
    'cannot run "build" with the variable "LD_PRELOAD": this scope may not set it. ' +
      "Add its name to the permitted ones, or omit it.",
  );
  expect(inner.calls.map((call) => call.env)).toEqual([{ LANG: "C" }]);
});

test("no value that is not permitted reaches a command, where the inner shell hands it on", async () => {
  const canary = randomUUID();
  vi.stubEnv("SCOPE_PRIVATE", canary);
  vi.stubEnv("SCOPE_PUBLIC", "seen");
  const shell = scopedShell(localShell(), scope({ permitsEnv: (name) => name === "SCOPE_PUBLIC" }));
  const spying = "env; tr '\\0' '\\n' < /proc/$$/environ 2>/dev/null; true";
  const { stdout } = await shell.exec(spying, { cwd: "/", signal });
  expect(stdout).not.toContain(canary);
  expect(stdout).toContain("SCOPE_PUBLIC=seen");
  expect((await localShell().exec(spying, { cwd: "/", signal })).stdout).toContain(canary); // the twin
});

test.skipIf(process.platform === "win32")(
  "without a permitted PATH the working folder is not searched, where an empty PATH searches it",
  async () => {
    const ws = createWorkspace();
    chmodSync(ws.put("id", "#!/bin/sh\necho planted\n"), 0o755);
    const shell = scopedShell(localShell(), scope({}));
    expect((await shell.exec("id", { cwd: ws.root, signal })).stdout).toContain("uid=");
    const naive = await localShell().exec("id", { cwd: ws.root, signal, env: { PATH: "" } });
    expect(naive.stdout).toBe("planted\n");
  },
);
