import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, expect, test, vi } from "vitest";
import { LONG_ONLY } from "../../../../../tests/support/long-form.ts";
import { createWorkspace } from "../../../../../tests/support/test-workspace.ts";
import { until } from "../../../../../tests/support/until.ts";
import type { ShellExecOptions, ShellExecResult, ShellExit } from "../kernel/contract.ts";
import { localShell } from "./local-shell.ts";

const shell = localShell();

afterEach(() => {
  vi.unstubAllEnvs();
  vi.useRealTimers();
});

function exec(command: string, options: Partial<ShellExecOptions> = {}): Promise<ShellExecResult> {
  return shell.exec(command, { cwd: "/", signal: new AbortController().signal, ...options });
}

/** From now on no wait in the code ends by itself. */
function stopTheClock(): void {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
}

/** Processes with a marker in their environment, wherever they have gone. */
function processesMarked(marker: string): readonly string[] {
  return readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readFileSync(`/proc/${pid}/environ`, "latin1").includes(marker);
    } catch {
      return false; // it ended meanwhile, or belongs to another user
    }
  });
}

test("a command's streams, exit code and input", async () => {
  expect(await exec("cat; echo err >&2; exit 3", { input: "in" })).toEqual({
    stdout: "in",
    stderr: "err\n",
    code: 3,
    signal: null,
    timedOut: false,
    aborted: false,
    totalBytes: 6,
  });
  expect((await exec("cat")).stdout).toBe(""); // without input, stdin is empty rather than waiting
  expect((await exec("kill -9 $$")).signal).toBe("SIGKILL");
});

test("what it writes to cannot be read from, which a program without a terminal tries for keys", async () => {
  expect((await exec("cat <&1; cat <&2; echo ended")).stdout).toBe("ended\n");
});

test.runIf(process.platform === "linux").each([
  ["./vim 30", "rc=137\n"],
  ["./vim -cwq f", "rc=1\n"], // it has something to do
  ["./other 30 0", "rc=0\n"],
])("an editor that waits for keys is ended, and nothing else: %s", async (editor, said) => {
  const ws = createWorkspace();
  const name = editor.split(" ")[0] ?? "";
  const command = [
    `printf '#!%s\\n' "$(command -v sh)" > other; printf 'kill -0 $$' >> other; chmod +x other`,
    `[ ${name} = ./vim ] && cp "$(command -v sleep)" vim`,
    `${editor} & p=$!`,
    `while [ ${name} = ./vim ] && ! grep -q vim /proc/$p/cmdline; do kill -0 $p || break; done`,
    "echo 'Vim: Warning: Input is not from a terminal' >&2; wait $p; echo rc=$?",
  ].join("\n");
  const { stdout, note } = await exec(command, { cwd: ws.root });
  expect([stdout, note]).toEqual([said, said === "rc=137\n" ? expect.stringContaining("editor") : undefined]);
});

test("a command that leaves its input unread does no harm", async () => {
  expect((await exec("true", { input: "x".repeat(1_000_000) })).code).toBe(0);
});

test("a folder that does not exist rejects with the system's code", async () => {
  await expect(exec("true", { cwd: "/no/such/folder" })).rejects.toMatchObject({ code: "ENOENT" });
});

test("no credential of ours reaches a command, and the twin shows that plain inheritance leaks it", async () => {
  const canary = randomUUID();
  const prefix = `X${randomUUID().slice(0, 8).toUpperCase()}`;
  for (const suffix of ["API_KEY", "TOKEN", "SECRET", "PASSWORD"]) vi.stubEnv(`${prefix}_${suffix}`, canary);
  vi.stubEnv("ANTHROPIC_API_KEY", canary);
  vi.stubEnv(`${prefix}_PLAIN`, "kept");
  const { stdout } = await exec("env");
  expect(stdout).not.toContain(canary);
  expect(stdout).toContain(`${prefix}_PLAIN=kept`);
  const naive = await promisify(execFile)("/bin/sh", ["-c", "env"]);
  expect(naive.stdout).toContain(canary);
});

test("a grandchild that holds the pipe is not waited for, where waiting for the pipe to close is", async () => {
  const marker = `MARK_${randomUUID()}`;
  const abort = new AbortController();
  const result = await exec("sleep 60 & echo done", { env: { MARK: marker } }); // longer than this test is allowed to take
  expect([result.stdout, result.code]).toEqual(["done\n", 0]);
  expect(processesMarked(marker)).toHaveLength(1); // it was asked to keep running, and does
  for (const pid of processesMarked(marker)) process.kill(Number(pid));
  // The twin: the same command, settled on "close", has not returned after a second.
  const naive = promisify(execFile)("/bin/sh", ["-c", "sleep 60 & echo done"], {
    signal: abort.signal,
    env: { MARK: marker },
  });
  const outcome = await Promise.race([
    naive.then(() => "closed"),
    new Promise((resolve) => setTimeout(resolve, 1_000, "still waiting")),
  ]);
  expect(outcome).toBe("still waiting");
  for (const pid of processesMarked(marker)) process.kill(Number(pid));
  await naive;
});

test("a command without background processes settles with no fixed wait", async () => {
  stopTheClock();
  expect((await exec("true")).code).toBe(0);
});

// At least four processes; one of them ignores the signal, and says so before it starts the fourth.
const TREE = `sh -c 'sh -c "trap \\"\\" TERM; sleep 60 & while :; do sleep 60; done" & wait' & wait`;

test.runIf(process.platform === "linux")(
  "an abort settles at once and ends the whole tree, also what ignores SIGTERM",
  async () => {
    const marker = `MARK_${randomUUID()}`;
    const abort = new AbortController();
    const running = exec(TREE, { env: { MARK: marker }, signal: abort.signal });
    await until(() => processesMarked(marker).length >= 4);
    stopTheClock();
    abort.abort();
    await vi.advanceTimersByTimeAsync(100);
    const result = await running;
    expect(processesMarked(marker)).not.toEqual([]); // the one that ignores the signal is not waited for
    vi.advanceTimersByTime(60_000);
    vi.useRealTimers();
    expect([result.aborted, result.timedOut, result.code]).toEqual([true, false, null]);
    await until(() => processesMarked(marker).length === 0);
  },
);

test.runIf(process.platform === "linux")(
  "the twin: a signal to the shell alone leaves its children running",
  async () => {
    const marker = `MARK_${randomUUID()}`;
    const { spawn } = await import("node:child_process");
    const child = spawn("/bin/sh", ["-c", TREE], { stdio: "ignore", env: { ...process.env, MARK: marker } });
    await until(() => processesMarked(marker).length >= 4);
    child.kill("SIGKILL");
    await new Promise((resolve) => child.once("exit", resolve));
    const left = processesMarked(marker);
    expect(left.length).toBeGreaterThanOrEqual(3);
    for (const pid of left) process.kill(Number(pid), "SIGKILL");
  },
);

test.runIf(process.platform === "linux")(
  "a deadline ends the whole tree and keeps what was said",
  LONG_ONLY,
  async () => {
    const marker = `MARK_${randomUUID()}`;
    const result = await exec(`echo begun; ${TREE}`, { env: { MARK: marker }, timeoutMs: 3_000 });
    expect([result.stdout, result.timedOut, result.aborted]).toEqual(["begun\n", true, false]);
    await until(() => processesMarked(marker).length === 0);
  },
);

test.runIf(process.platform === "linux")(
  "a host that exits takes its commands and their background processes with it",
  async () => {
    const marker = `MARK_${randomUUID()}`;
    const script = `
    const { localShell } = await import(${JSON.stringify(join(import.meta.dirname, "local-shell.ts"))});
    const options = { cwd: "/", signal: new AbortController().signal, env: { MARK: ${JSON.stringify(marker)} } };
    await localShell().exec("sleep 60 &", options);
    void localShell().exec("sleep 60; true", options);
    localShell().spawn("sleep 60; true", options);
    console.log("ready");
    setTimeout(() => process.exit(), 100);`;
    await promisify(execFile)(process.execPath, [
      "--conditions=indus-source",
      "--input-type=module",
      "-e",
      script,
    ]);
    await until(() => processesMarked(marker).length === 0);
  },
);

test("an abort beforehand starts nothing", async () => {
  const ws = createWorkspace();
  const result = await exec("touch started", { cwd: ws.root, signal: AbortSignal.abort() });
  expect([result.aborted, existsSync(ws.path("started"))]).toEqual([true, false]);
});

test("50 MB of output stay within the capture, are counted, and say so", async () => {
  const before = process.memoryUsage().rss;
  const result = await exec("head -c 50000000 /dev/zero | tr '\\0' x; echo end", { maxCaptureBytes: 1_000 });
  expect(result.totalBytes).toBe(50_000_004);
  expect(result.stdout).toBe(
    `${"x".repeat(500)}\n[49999004 bytes elided to stay within the output ceiling]\n${"x".repeat(496)}end\n`,
  );
  expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000);
});

test("a background command tells its exit to everyone once, also to who asks late", async () => {
  const handle = shell.spawn("exit 4", { cwd: "/" });
  const exits: ShellExit[] = [];
  const first = new Promise<void>((resolve) => {
    handle.onExit((exit) => {
      exits.push(exit);
      resolve();
    });
  });
  handle.onExit(() => exits.push({ code: -1, signal: null }))(); // unsubscribed immediately
  await first;
  await new Promise<void>((resolve) => {
    handle.onExit((exit) => {
      exits.push(exit);
      resolve();
    });
  });
  expect(exits).toEqual([
    { code: 4, signal: null },
    { code: 4, signal: null },
  ]);
});

test("killing a background command ends its group", async () => {
  const handle = shell.spawn("sleep 60 & wait", { cwd: "/" });
  const exit = new Promise<ShellExit>((resolve) => {
    handle.onExit(resolve);
  });
  handle.kill();
  expect(await exit).toEqual({ code: null, signal: "SIGTERM" });
  handle.kill(); // a group that is gone is not an error
});

test.skipIf(process.platform !== "linux")(
  "a command's limits hold for each of its processes, in the background too (twin: without them it has none)",
  async () => {
    const limits = { memoryMb: 16, processorSeconds: 1 };
    const grows =
      "x=0123456789abcdef; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21; do x=$x$x; done";
    expect((await exec(`${grows}; echo grown`)).stdout).toBe("grown\n");
    expect((await exec(`${grows}; echo grown`, { limits })).stdout).toBe("");
    expect((await exec(`sh -c '${grows}; echo grown' | cat`, { limits })).stdout).toBe("");
    expect((await exec("sh -c 'while :; do :; done'", { limits })).code).not.toBe(0);
    const shown: string[] = [];
    const onOutput = (_: string, chunk: Uint8Array): undefined =>
      void shown.push(Buffer.from(chunk).toString());
    const job = shell.spawn("ulimit -d; ulimit -t", { cwd: "/", limits, onOutput });
    await new Promise((resolve) => job.onExit(resolve));
    expect(shown.join("")).toBe("16384\n1\n");
  },
);
