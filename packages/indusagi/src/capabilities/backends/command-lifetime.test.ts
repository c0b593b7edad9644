// A command ends with its call and its host, on a real machine: processes that leave its session, hosts that end in any way.
// Without readable environments (all but Linux) a process that leaves its group is not found: the guide says so.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { isRunning } from "../../../../../tests/support/is-running.ts";
import { LONG_ONLY, rows, theFirst } from "../../../../../tests/support/long-form.ts";
import { processesMarked } from "../../../../../tests/support/test-marked.ts";
import { createWorkspace, type Workspace } from "../../../../../tests/support/test-workspace.ts";
import { until } from "../../../../../tests/support/until.ts";
import type { ShellExecResult } from "../kernel/contract.ts";
import { localShell } from "./local-shell.ts";

/** A workspace whose commands carry a tag that the code does not know about. */
function createBench() {
  const ws = createWorkspace();
  const tag = `TAG=${ws.root}`;
  onTestFinished(() => {
    for (const pid of processesMarked(tag)) process.kill(pid, "SIGKILL");
  });
  const exec = (command: string, timeoutMs?: number): Promise<ShellExecResult> =>
    localShell().exec(command, {
      cwd: ws.root,
      env: { TAG: ws.root },
      signal: new AbortController().signal,
      timeoutMs,
    });
  return { ws, tag, exec, living: (): number => processesMarked(tag).length };
}

// Until it runs, setsid has not left its group; the program it starts signals that it has, and that it is two processes.
const STAYS = "sh -c 'sleep 600 & : > begun; wait'";
const BEGUN = "until [ -e begun ]; do sleep .01; done";

describe.runIf(process.platform === "linux")("with its call ends", () => {
  test.each([
    ["what setsid started", `setsid ${STAYS} & ${BEGUN}; echo done`],
    ["what setsid started and did not wait for", `setsid -f ${STAYS}; ${BEGUN}; echo done`],
    ["what holds no pipe", `setsid ${STAYS} >/dev/null 2>&1 </dev/null & ${BEGUN}; echo done`],
    ["a daemon", `(setsid sh -c 'sleep 600 & touch begun; sleep 600 & wait' &) & ${BEGUN}; echo done`],
    [
      "what is deaf to SIGTERM",
      `setsid sh -c 'trap "" TERM; touch begun; while :; do sleep 600; done' & ${BEGUN}; echo done`,
    ],
  ])("%s", async (_what, command) => {
    const { exec, living } = createBench();
    const { stdout, code, ended } = await exec(command);
    expect([stdout, code, living(), (ended ?? 0) > 0]).toEqual(["done\n", 0, 0, true]);
  });

  test("but not what stays in its group, as the caller asked", async () => {
    const { exec, living } = createBench();
    const { stdout, ended } = await exec(`sleep 600 & setsid ${STAYS} & ${BEGUN}; echo done`);
    expect([stdout, living(), ended]).toEqual(["done\n", 1, 2]);
  });

  test("nor what a process that stays has put into a group of its own", async () => {
    const { exec, living } = createBench();
    const { ended } = await exec(
      "sh -c 'setsid sleep 600 & touch begun; wait' & until [ -e begun ]; do sleep .01; done",
    );
    expect([living(), ended]).toEqual([2, undefined]);
  });

  test("also when its time is over, or it is cancelled", async () => {
    const { ws, tag, exec, living } = createBench();
    expect((await exec("setsid sleep 600 & sleep 600", 300)).timedOut).toBe(true);
    await until(() => living() === 0);
    const abort = new AbortController();
    const running = localShell().exec("setsid sleep 600 & sleep 600", {
      cwd: ws.root,
      env: { TAG: ws.root },
      signal: abort.signal,
    });
    await until(() => processesMarked(tag).length >= 2);
    abort.abort();
    expect((await running).aborted).toBe(true);
    await until(() => living() === 0);
  });

  test("and the twin: ending the group leaves what left it", async () => {
    const { ws, living } = createBench();
    const child = spawn(
      "/bin/sh",
      ["-c", `setsid sh -c 'touch "${ws.path("left")}"; sleep 600; :' & sleep 600`],
      {
        env: { ...process.env, TAG: ws.root },
        stdio: "ignore",
        detached: true,
      },
    );
    await until(() => existsSync(ws.path("left")) && living() >= 3);
    process.kill(-(child.pid ?? 0), "SIGKILL");
    await once(child, "exit");
    expect(living()).toBeGreaterThan(0);
  });
});

test.skipIf(process.platform === "win32")(
  "a command is a child of the host, and may do what it could",
  async () => {
    const { exec } = createBench();
    expect((await exec("echo $PPID")).stdout).toBe(`${process.pid}\n`);
    expect((await exec("set -m; sleep .01 & wait %1; echo $?")).stdout).toBe("0\n");
    expect((await exec("trap 'echo heard' TERM; kill -TERM $$; trap")).stdout).toBe(
      "heard\ntrap -- 'echo heard' TERM\n",
    );
    expect((await exec("true")).ended).toBeUndefined();
  },
);

// A foreground command, one that keeps running, a background job, and for each one that left its group.
const COMMANDS = {
  exec: "setsid sleep 600 & echo $! >> pids; env -i sleep 600 & echo $! >> pids; echo begun; sleep 600",
  left: "sleep 600 & echo $! >> pids",
  job: "setsid sleep 600 & echo $! >> pids; echo $$ >> pids; sleep 600; true",
};
const PIDS = 5;

/** A host that runs {@link COMMANDS}; prints its line once all of them are running. */
function startHost(ws: Workspace, prelude = ""): ChildProcess {
  const from = (name: string): string => JSON.stringify(join(import.meta.dirname, name));
  const script = `
    ${prelude}
    const { localShell } = await import(${from("local-shell.ts")});
    const { readFileSync } = await import("node:fs");
    const options = { cwd: ${JSON.stringify(ws.root)}, signal: new AbortController().signal };
    await localShell().exec(${JSON.stringify(COMMANDS.left)}, options);
    void localShell().exec(${JSON.stringify(COMMANDS.exec)}, options);
    localShell().spawn(${JSON.stringify(COMMANDS.job)}, options);
    const timer = setInterval(() => {
      if (readFileSync("pids", "utf8").split("\\n").length <= ${PIDS}) return;
      clearInterval(timer);
      setTimeout(() => console.log("ready"), 1_000); // and the groups are reported
      setInterval(() => undefined, 1_000);
    }, 20);`;
  const host = spawn(process.execPath, ["--conditions=indus-source", "--input-type=module", "-e", script], {
    cwd: ws.root,
    env: { ...process.env, TAG: ws.root },
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void host.kill("SIGKILL"));
  return host;
}

const startedIn = (ws: Workspace): readonly number[] =>
  readFileSync(ws.path("pids"), "utf8").trim().split("\n").map(Number);

/** The reapers of a host, found by the beginning of the mark in their arguments. */
function reapersOf(host: ChildProcess): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        const args = readFileSync(`/proc/${name}/cmdline`, "latin1").split("\0");
        return args[3] === "indus-reaper" && args[4]?.includes(`-${host.pid}-`);
      } catch {
        return false;
      }
    })
    .map(Number);
}

describe.runIf(process.platform === "linux")("with the host end all commands and what left them", () => {
  test.each(rows(["SIGKILL", "SIGQUIT", "SIGABRT", "SIGTERM"] as const, theFirst))(
    "when %s ends it",
    async (signal) => {
      const { ws, living } = createBench();
      const host = startHost(ws);
      await once(host.stdout ?? host, "data");
      const pids = startedIn(ws);
      expect([pids.length, pids.every(isRunning), reapersOf(host).length]).toEqual([PIDS, true, 1]);
      host.kill(signal);
      await once(host, "exit");
      await until(() => living() === 0 && !pids.some(isRunning));
      await until(() => reapersOf(host).length === 0);
    },
  );

  test("also those that one look does not find, and the first: the reaper is older", async () => {
    const { ws, tag, living } = createBench();
    // What a look finds while a process becomes its program: nothing.
    const real = `PATH='${process.env.PATH}' exec grep "$@"`;
    mkdirSync(ws.path("bin"));
    writeFileSync(
      ws.path("bin/grep"),
      `#!/bin/sh\n[ -e '${ws.path("looked")}' ] || { : > '${ws.path("looked")}'; exit 1; }\n${real}\n`,
      { mode: 0o755 },
    );
    const script = `
      const { localShell } = await import(${JSON.stringify(join(import.meta.dirname, "local-shell.ts"))});
      const options = { cwd: ${JSON.stringify(ws.root)}, signal: new AbortController().signal };
      await localShell().exec("setsid sleep 600 & echo $$ > leader; sleep 600; true", options);`;
    const argv = ["--conditions=indus-source", "--input-type=module", "-e", script];
    const host = spawn(process.execPath, argv, {
      env: { ...process.env, TAG: ws.root, PATH: `${ws.path("bin")}:${process.env.PATH}` },
      stdio: ["ignore", "ignore", "inherit"],
    });
    onTestFinished(() => void host.kill("SIGKILL"));
    await until(() => existsSync(ws.path("leader")) && processesMarked(tag).length >= 4);
    const [reaper = 0] = reapersOf(host);
    expect(reaper).toBeGreaterThan(0);
    expect(reaper).toBeLessThan(Number(readFileSync(ws.path("leader"), "utf8")));
    host.kill("SIGKILL");
    await once(host, "exit");
    await until(() => living() === 0);
    await until(() => reapersOf(host).length === 0);
    expect(existsSync(ws.path("looked"))).toBe(true);
  });

  test("and the twin: without the reaper they live on, until a later host ends them", LONG_ONLY, async () => {
    const { ws, living } = createBench();
    const host = startHost(ws);
    await once(host.stdout ?? host, "data");
    const pids = startedIn(ws);
    for (const pid of reapersOf(host)) process.kill(pid, "SIGKILL");
    await until(() => reapersOf(host).length === 0);
    host.kill("SIGKILL");
    await once(host, "exit");
    expect(pids.some(isRunning)).toBe(true); // at least those that no other host on this machine can find
    const { killOrphans } = await import("./marked-processes.ts");
    killOrphans();
    await until(() => living() === 0);
    for (const pid of pids.filter(isRunning)) process.kill(pid, "SIGKILL"); // those that cleared their environment
  });

  test(
    "the reaper that somebody ends is started again with the next command, and knows the groups that live",
    LONG_ONLY,
    async () => {
      const { ws, living } = createBench();
      const again = `process.on("SIGALRM", () => console.log("told"));
      process.on("SIGUSR2", () => void localShellAgain());
      async function localShellAgain() {
        const { localShell } = await import(${JSON.stringify(join(import.meta.dirname, "local-shell.ts"))});
        await localShell().exec("true", { cwd: "/", signal: new AbortController().signal });
      }`;
      const host = startHost(ws, again);
      await once(host.stdout ?? host, "data");
      for (const pid of reapersOf(host)) process.kill(pid, "SIGKILL");
      await until(() => reapersOf(host).length === 0);
      await until(() => {
        host.kill("SIGUSR2"); // it may not have noticed yet that the first one ended
        return reapersOf(host).length === 1;
      });
      // The reaper exists before it is told of the groups; that happens in the same turn of the host's event loop.
      let said = "";
      host.stdout?.on("data", (chunk: Buffer) => {
        said += chunk.toString();
      });
      host.kill("SIGALRM");
      await until(() => said.includes("told"));
      const pids = startedIn(ws);
      host.kill("SIGKILL");
      await once(host, "exit");
      await until(() => living() === 0 && !pids.some(isRunning));
    },
  );
});
