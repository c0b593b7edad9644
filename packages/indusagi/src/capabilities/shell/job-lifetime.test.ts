// No job outlives its owner, tested on a real machine: groups, escapees, kill -9, recycled process ids.

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { LONG_ONLY } from "../../../../../tests/support/long-form.ts";
import { processesMarked } from "../../../../../tests/support/test-marked.ts";
import { createWorkspace, type Workspace } from "../../../../../tests/support/test-workspace.ts";
import { goesOnHolding, until, untilHolds } from "../../../../../tests/support/until.ts";
import { processFacts } from "../../core/process-facts.ts";
import { createCommandMark, ownerOf } from "../backends/command-mark.ts";
import { makeLocalContext } from "../backends/local.ts";
import { localShell } from "../backends/local-shell.ts";
import { sweepJobs } from "./job-scratch.ts";
import { createJobTable, type JobTable, type JobTableOptions } from "./job-table.ts";

/** A workspace with helpers to start jobs in it and to count their live processes. */
function createBench(options: JobTableOptions = {}) {
  const ws = createWorkspace();
  const table = createJobTable(options);
  const tag = `TAG=${ws.root}`; // every command below exports it: visible to the tests, unknown to the code
  onTestFinished(async () => {
    await table.dispose();
    for (const pid of processesMarked(tag)) process.kill(pid, "SIGKILL");
  });
  return {
    ws,
    table,
    tag,
    start: (command: string): ReturnType<JobTable["start"]> =>
      table.start(`export ${tag}; ${command}`, makeLocalContext(ws.root)),
    living: (): number => processesMarked(tag).length,
  };
}

// Three levels deep, ignoring SIGTERM at the bottom, plus one process that left the group.
const TREE = `sh -c 'sh -c "trap \\"\\" TERM; while :; do sleep 60; done" & wait' & setsid sleep 61 & wait`;
const TREE_SIZE = 4; // excludes the leader: it exports the tag, so its own environment does not show it

const hurry = new AbortController().signal;

describe.runIf(process.platform === "linux")("nothing of a job is left", () => {
  test("after stop: three levels and what left the group", async () => {
    const { start, table, living } = createBench();
    await start(TREE);
    await until(() => living() >= TREE_SIZE);
    await table.stop("job-1", hurry);
    await until(() => living() === 0);
  });

  test("and the twin: ending the group alone leaves what left it", LONG_ONLY, async () => {
    const { ws, tag, living } = createBench();
    const handle = localShell().spawn(`export ${tag}; ${TREE}`, { cwd: ws.root });
    await until(() => living() >= TREE_SIZE);
    handle.kill("SIGKILL");
    await until(() => living() === 1);
    await goesOnHolding(() => expect(living()).toBe(1));
  });

  test("after stop of a job whose shell had ended", LONG_ONLY, async () => {
    const { start, table, living } = createBench();
    await start("(trap '' TERM; sleep 60 & wait; sleep 60) & setsid sleep 61 & exit 0");
    await until(() => table.list()[0]?.exit !== undefined && living() >= 2);
    await table.stop("job-1", hurry);
    await until(() => living() === 0);
  });

  test("a job that ends by itself when asked has the time for it", async () => {
    const { ws, start, table } = createBench();
    await start(
      `(trap 'sleep .1; touch tidied; exit' TERM; touch ready; while :; do sleep .05; done) & wait`,
    );
    await until(() => existsSync(ws.path("ready")));
    await table.stop("job-1", hurry);
    expect(existsSync(ws.path("tidied"))).toBe(true);
  });

  test("a stop that is cancelled ends the job without the time that it would have", async () => {
    const { start, table, living } = createBench();
    await start(TREE);
    await until(() => living() >= TREE_SIZE);
    vi.useFakeTimers({ toFake: ["hrtime"] }); // its grace period now never runs out
    await table.stop("job-1", AbortSignal.abort());
    vi.useRealTimers();
    await until(() => living() === 0);
  });

  test("after an abort of the session, and no other job can be started", LONG_ONLY, async () => {
    const session = new AbortController();
    const { ws, start, table, living } = createBench({ signal: session.signal });
    await start(TREE);
    await start("sleep 60; true");
    await until(() => living() > TREE_SIZE);
    session.abort();
    await until(() => living() === 0 && table.list().length === 0);
    await until(() => readdirSync(ws.path(".indus-process")).join() === ".gitignore");
    expect(await start("true")).toEqual({ problem: "This session has ended: no job can be started." });
  });

  test("of a start that the end of the session overtakes", async () => {
    const { ws, start, table, living } = createBench();
    const starting = start("sleep 60; true");
    await table.dispose();
    await expect(starting).rejects.toThrow("Cancelled.");
    expect([living(), table.list(), readdirSync(ws.path(".indus-process"))]).toEqual([0, [], [".gitignore"]]);
  });

  test("after an exit of the host that disposed of nothing", async () => {
    const { ws, tag, living } = createBench();
    const host = startHost(ws, tag, [TREE, "sleep 60; true"], "process.exit()");
    await once(host, "exit");
    await until(() => living() === 0);
    expect(readdirSync(ws.path(".indus-process"))).toEqual([".gitignore"]);
  });

  test("a host with a running job ends when its own work is done", LONG_ONLY, async () => {
    const { ws, tag } = createBench();
    const host = startHost(ws, tag, ["sleep 60; true"], "");
    await until(() => host.exitCode === 0);
  });

  test("after kill -9 of the host, and the next start removes what it kept of them", LONG_ONLY, async () => {
    const { ws, tag, living, start, table } = createBench();
    const host = startHost(ws, tag, ["exec yes", TREE], "setInterval(() => {}, 1_000)");
    await until(() => living() === TREE_SIZE + 1);
    const mine = `${ws.path(".indus-process")}/${createCommandMark()}`;
    mkdirSync(mine, { recursive: true });
    host.kill("SIGKILL");
    await once(host, "exit");
    await until(() => living() === 0);
    expect(readdirSync(ws.path(".indus-process"))).toHaveLength(4);

    await start("exec sleep 60");
    await until(() => living() === 1); // only the new job
    expect(existsSync(mine)).toBe(true);
    expect(readdirSync(ws.path(".indus-process"))).toHaveLength(3);
    expect(table.list()).toHaveLength(1);
  });
});

/** A module of these folders, as a script imports it. */
const from = (name: string): string => JSON.stringify(join(import.meta.dirname, name));

/** A host process that starts `commands` as jobs and then runs `next`. */
function startHost(ws: Workspace, tag: string, commands: readonly string[], next: string): ChildProcess {
  const script = `
    const { createJobTable } = await import(${from("job-table.ts")});
    const { makeLocalContext } = await import(${from("../backends/local.ts")});
    const table = createJobTable();
    for (const command of ${JSON.stringify(commands.map((command) => `export ${tag}; ${command}`))}) {
      await table.start(command, makeLocalContext(process.cwd()));
    }
    await new Promise((resolve) => setTimeout(resolve, 300));
    ${next}`;
  const host = spawn(process.execPath, ["--conditions=indus-source", "--input-type=module", "-e", script], {
    cwd: ws.root,
    stdio: ["ignore", "inherit", "inherit"],
  });
  onTestFinished(() => void host.kill("SIGKILL"));
  return host;
}

describe("the sweep", () => {
  const owner = ownerOf(createCommandMark());
  if (owner === undefined) throw new Error("a mark names its owner");
  const { namespace, pid, startedAt } = owner;
  // This process's id, reused.
  const recycled = `${namespace}-${pid}-${Number(startedAt) + 1}-00000001`;
  const foreign = `${Number(namespace) + 1}-1-1-00000002`;

  test.runIf(process.platform === "linux")(
    "ends what a recycled number's first owner left, and nothing else",
    async () => {
      const ws = createWorkspace();
      const sleepers: ChildProcess[] = [];
      const sleeper = (mark: string): ChildProcess => {
        const child = spawn("sleep", ["60"], { env: { INDUS_JOB: mark }, stdio: "ignore" });
        sleepers.push(child);
        return child;
      };
      onTestFinished(() => {
        for (const each of sleepers) each.kill("SIGKILL");
      });
      const others = [createCommandMark(), foreign, "no mark"].map(sleeper);
      // Any other host on this machine may sweep as well, and be first.
      let swept = { folders: 0, processes: 0 };
      for (let tries = 0; tries < 50 && swept.processes === 0; tries++) {
        const orphan = sleeper(recycled);
        const isGone = (): boolean => orphan.signalCode === "SIGKILL";
        await until(() => isGone() || processesMarked(`INDUS_JOB=${recycled}`).length === 1);
        swept = await sweepJobs(ws.root);
        await until(isGone);
      }
      expect(swept.folders).toBe(0);
      expect(swept.processes).toBeGreaterThan(0);
      expect(others.map((other) => processFacts(other.pid ?? 0) !== undefined)).toEqual([true, true, true]);
    },
  );

  test.runIf(process.platform === "linux")("spares itself and all above it", async () => {
    const ws = createWorkspace();
    const script = `
      const { sweepJobs } = await import(${from("job-scratch.ts")});
      const { processFacts } = await import(${from("../../core/process-facts.ts")});
      const owner = Number(process.env.OWNER);
      process.kill(owner, "SIGKILL");
      while (processFacts(owner) !== undefined);
      console.log(JSON.stringify(await sweepJobs(process.cwd())));`;
    const node = `'${process.execPath}' --conditions=indus-source --input-type=module -e "$SCRIPT"`;
    // Any other host on this machine may sweep as well, and does not spare them: their owner ends only just before this sweep.
    await untilHolds(() => {
      const { pid: ownerPid = 0 } = spawn("sleep", ["60"], { stdio: "ignore" });
      const mark = `${namespace}-${ownerPid}-${processFacts(ownerPid)?.startedAt}-00000004`;
      const said = execFileSync("/bin/sh", ["-c", `${node}; echo lived`], {
        cwd: ws.root,
        env: { ...process.env, INDUS_JOB: mark, SCRIPT: script, OWNER: `${ownerPid}` },
        encoding: "utf8",
      });
      expect(said).toBe('{"folders":0,"processes":0}\nlived\n');
    });
  });

  test.runIf(process.platform === "linux")(
    "removes the folders of ended owners, and only those",
    async () => {
      const ws = createWorkspace();
      const mine = createCommandMark();
      for (const name of [recycled, foreign, mine, "notes"]) ws.put(`.indus-process/${name}/stdout`, "x");
      ws.put("precious/file", "x");
      const planted = `${namespace}-1-1-00000003`;
      symlinkSync(ws.path("precious"), ws.path(`.indus-process/${planted}`));
      symlinkSync(ws.path("precious"), ws.path(`.indus-process/${recycled}/link`));
      expect((await sweepJobs(ws.root)).folders).toBe(1);
      expect(readdirSync(ws.path(".indus-process")).sort()).toEqual([foreign, mine, "notes", planted].sort());
      expect(existsSync(ws.path("precious/file"))).toBe(true);
    },
  );

  test("goes through no link in the folder's place, where a plain listing does", async () => {
    const ws = createWorkspace();
    ws.put(`elsewhere/${recycled}/stdout`, "x");
    symlinkSync(ws.path("elsewhere"), ws.path(".indus-process"));
    expect((await sweepJobs(ws.root)).folders).toBe(0);
    expect(readdirSync(ws.path(".indus-process"))).toEqual([recycled]); // what a naive sweep would remove
    rmSync(ws.path(".indus-process"));
    expect((await sweepJobs(ws.root)).folders).toBe(0); // there is no folder at all
  });
});

describe("a flood", () => {
  const CAP = 1_000_000;

  function diskUse(folder: string): number {
    return readdirSync(folder, { recursive: true, encoding: "utf8" })
      .map((name) => statSync(join(folder, name)))
      .reduce((sum, info) => sum + (info.isFile() ? info.size : 0), 0);
  }

  test(
    "stays within the cap on disk and in memory, and polls tell the truth about it",
    LONG_ONLY,
    async () => {
      const { ws, start, table } = createBench({ maxCaptureBytes: CAP });
      const before = process.memoryUsage().rss;
      await start("yes out & yes err >&2");
      let most = 0;
      let said = 0;
      let shown = 0;
      await until(async () => {
        most = Math.max(most, diskUse(ws.path(".indus-process")));
        const report = await table.poll("job-1");
        said += (report?.stdout.skippedBytes ?? 0) + (report?.stdout.text.length ?? 0);
        shown = Math.max(shown, report?.stdout.text.length ?? 0);
        return said > 10 * CAP && most > CAP / 2;
      });
      expect(most).toBeLessThanOrEqual(CAP + 2); // plus the two bytes of .gitignore
      expect(shown).toBeLessThanOrEqual(32_768);
      expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000);
    },
  );

  test("and the twin: a redirection to a file is past the cap in no time", async () => {
    const { ws } = createBench();
    const child = spawn("/bin/sh", ["-c", "exec yes > capture"], { cwd: ws.root, stdio: "ignore" });
    const isPast = (): boolean => existsSync(ws.path("capture")) && statSync(ws.path("capture")).size > CAP;
    await until(isPast);
    child.kill("SIGKILL");
    await once(child, "exit");
  });

  test("that reads its own capture cannot grow it past the cap", LONG_ONLY, async () => {
    const { ws, start } = createBench({ maxCaptureBytes: CAP });
    await start("echo seed; while :; do cat .indus-process/*/* || true; done");
    let most = 0;
    for (const end = performance.now() + 1_000; performance.now() < end; ) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      most = Math.max(most, diskUse(ws.path(".indus-process")));
    }
    expect(most).toBeLessThanOrEqual(CAP + 2);
  });

  test("waits while its listener is busy, where an eager one is fed without end", async () => {
    const ws = createWorkspace();
    let heard = 0;
    const listen = (busy: Promise<void> | undefined) => {
      heard = 0;
      const onOutput = (_stream: string, chunk: Uint8Array): Promise<void> | undefined => {
        heard += chunk.byteLength;
        return busy;
      };
      const handle = localShell().spawn("yes", { cwd: ws.root, onOutput });
      onTestFinished(() => handle.kill("SIGKILL"));
    };
    listen(new Promise(() => undefined));
    await until(() => heard > 0);
    await goesOnHolding(() => expect(heard).toBeLessThanOrEqual(65_536));
    listen(undefined);
    await until(() => heard > 5_000_000);
  });
});
