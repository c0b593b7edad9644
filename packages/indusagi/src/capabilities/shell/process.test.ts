import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { LONG_ONLY } from "../../../../../tests/support/long-form.ts";
import { processesMarked } from "../../../../../tests/support/test-marked.ts";
import { createWorkspace, type Workspace } from "../../../../../tests/support/test-workspace.ts";
import { until } from "../../../../../tests/support/until.ts";
import { compileSchema } from "../../core/schema/json-schema.ts";
import { localShell } from "../backends/local-shell.ts";
import type { DefinedTool, Shell } from "../kernel/contract.ts";
import { findTool } from "../search/find.ts";
import { grepTool } from "../search/grep.ts";
import { createJobTable, type JobTable, type JobTableOptions } from "./job-table.ts";
import { processTool, resetProcessTable } from "./process.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

interface Desk {
  readonly ws: Workspace;
  readonly table: JobTable;
  readonly tool: DefinedTool;
  /** The answer to one action, with refusals marked. */
  readonly ask: (action: string, more?: Record<string, string>) => Promise<string>;
  /** Polls until the job has ended; returns everything it wrote on stdout, and the last line. */
  readonly untilEnded: (id: string) => Promise<{ readonly stdout: string; readonly state: string }>;
}

function createDesk(options: JobTableOptions = {}, ws = createWorkspace()): Desk {
  const table = createJobTable(options);
  onTestFinished(() => table.dispose());
  const tool = processTool(table);
  const ask: Desk["ask"] = async (action, more = {}) => {
    const { output, isError } = await ws.call(tool, { action, ...more });
    return `${isError ? "refused: " : ""}${output}`;
  };
  const untilEnded: Desk["untilEnded"] = async (id) => {
    let stdout = "";
    await until(async () => {
      const report = await table.poll(id);
      stdout += report?.stdout.text ?? "";
      return report?.exit !== undefined;
    });
    return { stdout, state: (await ask("poll", { id })).split("\n").at(-1) ?? "" };
  };
  return { ws, table, tool, ask, untilEnded };
}

/** Until the jobs of a workspace have written these pieces, as latin1 bytes: a touched file would not prove that their pipe was read. */
async function untilCaptured({ path }: Workspace, pieces: readonly string[]): Promise<void> {
  const folder = path(".indus-process");
  await until(() => {
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) =>
      join(folder, name),
    );
    const texts = files.filter((file) => statSync(file).isFile()).map((file) => readFileSync(file, "latin1"));
    return pieces.every((piece) => texts.some((text) => text.includes(piece)));
  });
}

const steady = (text: string): string =>
  text.replace(/process \d+/g, "process N").replace(/started \d+ s ago/g, "started T ago");

test("a job's life: started, polled, listed, stopped, forgotten", async () => {
  const { ws, ask } = createDesk();
  expect(await ask("list")).toBe("No jobs.");
  const command = "echo out; echo err >&2; sleep 60";
  expect(steady(await ask("start", { command }))).toBe("Started job-1 (process N). Poll it for its output.");
  await untilCaptured(ws, ["out\n", "err\n"]);
  expect(steady(await ask("poll", { id: "job-1" }))).toBe(
    "stdout:\nout\n\nstderr:\nerr\n\njob-1 (process N, started T ago): running",
  );
  expect(steady(await ask("poll", { id: "job-1" }))).toBe(
    "No new output.\n\njob-1 (process N, started T ago): running",
  );
  expect(steady(await ask("list"))).toBe(`job-1 (process N, started T ago): running: ${command}`);
  expect(await ask("stop", { id: "job-1" })).toBe("job-1 was stopped and removed.");
  expect(await ask("poll", { id: "job-1" })).toBe('refused: Job not found: "job-1". There are no jobs.');
  expect(await ask("list")).toBe("No jobs.");
});

test("how a job ended stays as it was, and a stopped id is not used again", async () => {
  const { ask, untilEnded } = createDesk();
  await ask("start", { command: "exit 7" });
  await ask("start", { command: "kill -9 $$" });
  expect(steady((await untilEnded("job-1")).state)).toBe(
    "job-1 (process N, started T ago): ended, exit code 7",
  );
  expect(steady((await untilEnded("job-2")).state)).toBe(
    "job-2 (process N, started T ago): ended, signal SIGKILL",
  );
  expect(steady(await ask("list"))).toBe(
    "job-1 (process N, started T ago): ended, exit code 7: exit 7\n" +
      "job-2 (process N, started T ago): ended, signal SIGKILL: kill -9 $$",
  );
  expect(await ask("stop", { id: "job-1" })).toBe("job-1 had already ended: exit code 7. It was removed.");
  expect(await ask("poll", { id: "job-1" })).toBe('refused: Job not found: "job-1". Known jobs: job-2.');
  expect(steady(await ask("start", { command: "true" }))).toContain("Started job-3");
});

test("a job that is told to have ended has said everything", LONG_ONLY, async () => {
  const { ask, untilEnded } = createDesk();
  for (let number = 1; number <= 10; number++) {
    await ask("start", { command: "seq 1 3000; echo last" });
    expect((await untilEnded(`job-${number}`)).stdout).toBe(
      `${Array.from({ length: 3_000 }, (_, index) => `${index + 1}\n`).join("")}last\n`,
    );
  }
});

test("a job that leaves a process behind ends without it, and its output still comes", async () => {
  const { ws, ask, untilEnded } = createDesk();
  await ask("start", { command: "(while [ ! -e go ]; do sleep .02; done; echo late; sleep 60) & exit 3" });
  expect((await untilEnded("job-1")).state).toContain("ended, exit code 3");
  ws.put("go", "");
  await until(async () => (await ask("poll", { id: "job-1" })).includes("stdout:\nlate\n"));
});

test("a character written in two pieces is never shown in two", async () => {
  const { ws, ask } = createDesk();
  const waitFor = (name: string): string => `while [ ! -e ${name} ]; do sleep .02; done`;
  await ask("start", {
    command: `printf 'a\\342\\202'; ${waitFor("go")}; printf '\\254b'; sleep 60`,
  });
  await untilCaptured(ws, ["a\xe2\x82"]);
  expect(await ask("poll", { id: "job-1" })).toContain("stdout:\na\n\n");
  ws.put("go", "");
  await until(async () => (await ask("poll", { id: "job-1" })).includes("stdout:\n€b\n"));
});

test("a poll that missed something that is still stored says where all of it is", async () => {
  const { ws, ask, table } = createDesk();
  await ask("start", { command: "head -c 60000 /dev/zero | tr '\\0' x" });
  await until(() => table.list()[0]?.exit !== undefined);
  const [, path = ""] =
    /^stdout:\n\[27232 bytes omitted: a poll shows the last 32768; until it is stopped, all is in (\S+)\]/.exec(
      await ask("poll", { id: "job-1" }),
    ) ?? [];
  expect(readFileSync(ws.path(path), "utf8")).toBe("x".repeat(60_000));
});

test("a poll that missed something says how much, and what is gone for good", async () => {
  const { ask, table } = createDesk({ maxCaptureBytes: 100_000 });
  await ask("start", { command: "head -c 60000 /dev/zero | tr '\\0' x" });
  await until(() => table.list()[0]?.exit !== undefined);
  const text = await ask("poll", { id: "job-1" });
  expect(text.slice(0, 99)).toBe(
    "stdout:\n[27232 bytes omitted: a poll shows the last 32768, 10000 of them no longer stored]\nxxxxxxxx",
  );
  expect(/x{2,}/.exec(text)?.[0].length).toBe(32_768);
});

describe("refusals", () => {
  test.each<[string, Record<string, string>, string]>([
    ["fly", {}, '"action" must be one of "start", "list", "poll", "stop", got "fly".'],
    ["start", {}, '"command" is missing: expected a string.'],
    ["start", { command: " \n" }, '"command" must not be empty.'],
    ["start", { command: "a\0b" }, '"command" contains a NUL byte. Remove it.'],
    ["poll", {}, '"id" is missing: expected a string.'],
    ["stop", { id: "" }, '"id" must not be empty.'],
    ["stop", { id: "job-9" }, 'Job not found: "job-9". There are no jobs.'],
    ["poll", { id: "__proto__" }, 'Job not found: "__proto__". There are no jobs.'],
  ])("%s %j", async (action, more, refusal) => {
    expect(await createDesk().ask(action, more)).toBe(`refused: ${refusal}`);
  });

  test("a call without an action", async () => {
    const { ws, tool } = createDesk();
    expect((await ws.call(tool, {})).output).toBe(
      '"action" is missing: expected one of start, list, poll, stop.',
    );
  });

  test("more live jobs than the limit, also when they are started at once", async () => {
    const { ask } = createDesk({ maxLiveJobs: 2 });
    const command = "sleep 60";
    const answers = await Promise.all([1, 2, 3].map(() => ask("start", { command })));
    expect(answers.filter((answer) => answer.startsWith("Started"))).toHaveLength(2);
    const refusal = "refused: 2 jobs are running, which is the limit. Stop one that is not needed.";
    expect(answers[2]).toBe(refusal);
    expect(await ask("start", { command })).toBe(refusal);
    await ask("stop", { id: "job-1" });
    expect(await ask("start", { command })).toContain("Started job-3");
  });

  test("a folder that is gone, a shell that cannot start", async () => {
    const { ws, tool, ask } = createDesk();
    const context = { id: "c", name: "process", input: { action: "start", command: "true" } };
    const { makeLocalContext } = await import("../backends/local.ts");
    const gone = await tool.invoke(context, makeLocalContext(ws.path("gone")));
    expect([gone.isError, gone.output]).toEqual([
      true,
      expect.stringMatching(/^Cannot start a job in .*gone: ENOENT: no such file or directory, mkdir/),
    ]);
    const shell: Shell = {
      ...localShell(),
      spawn: (_command, options) => localShell().spawn("", { ...options, cwd: "/no" }),
    };
    expect((await ws.call(tool, context.input, { shell })).output).toBe(
      `Cannot start a shell in ${ws.root}.`,
    );
    expect(readdirSync(ws.path(".indus-process"))).toEqual([".gitignore"]); // the attempt left nothing
    expect(await ask("list")).toBe("No jobs.");
  });

  test("a session that is over", async () => {
    const { ask, table } = createDesk();
    await table.dispose();
    expect(await ask("start", { command: "true" })).toBe(
      "refused: This session has ended: no job can be started.",
    );
  });
});

describe("the capture folder", () => {
  test("is for its owner alone and is never committed", async () => {
    const ws = createWorkspace();
    mkdirSync(ws.path(".indus-process"), { mode: 0o755 });
    chmodSync(ws.path(".indus-process"), 0o755);
    const { ask } = createDesk({}, ws);
    await ask("start", { command: "sleep 60" });
    const modeOf = (...names: string[]): number =>
      statSync(join(ws.root, ".indus-process", ...names)).mode & 0o777;
    const [mark = ""] = readdirSync(ws.path(".indus-process")).filter((name) => name !== ".gitignore");
    expect([modeOf(), modeOf(mark), modeOf(mark, "stdout"), modeOf(mark, "stderr")]).toEqual([
      0o700, 0o700, 0o600, 0o600,
    ]);
    ws.put("mine", "");
    execFileSync("git", ["init", "-q"], { cwd: ws.root });
    execFileSync("git", ["add", "-A"], { cwd: ws.root });
    expect(execFileSync("git", ["ls-files"], { cwd: ws.root, encoding: "utf8" })).toBe("mine\n");
    await ask("stop", { id: "job-1" });
    expect(readdirSync(ws.path(".indus-process"))).toEqual([".gitignore"]);
  });

  test("is refused where a repository put a link in its place, where a plain mkdir -p goes through it", async () => {
    const ws = createWorkspace();
    mkdirSync(ws.path("elsewhere"));
    symlinkSync(ws.path("elsewhere"), ws.path(".indus-process"));
    const { ask } = createDesk({}, ws);
    expect(await ask("start", { command: "true" })).toBe(
      `refused: Cannot start a job in ${ws.root}: ${ws.path(".indus-process")} is a link; jobs keep their output ` +
        "there. Remove it.",
    );
    expect(readdirSync(ws.path("elsewhere"))).toEqual([]);
    mkdirSync(ws.path(".indus-process/naive"), { recursive: true });
    expect(readdirSync(ws.path("elsewhere"))).toEqual(["naive"]);
  });

  test("may be removed by the job itself: its output is still read and kept", async () => {
    const { ask, untilEnded } = createDesk();
    await ask("start", { command: "rm -rf .indus-process; mkdir -p .indus-process; echo still; echo here" });
    expect((await untilEnded("job-1")).stdout).toBe("still\nhere\n");
    expect(await ask("stop", { id: "job-1" })).toContain("It was removed.");
  });

  test("is seen by no search", async () => {
    const { ws, ask, untilEnded } = createDesk();
    await ask("start", { command: "echo needle" });
    await untilEnded("job-1");
    ws.put("a.txt", "needle");
    expect((await ws.call(grepTool(), { pattern: "needle" })).output).not.toContain(".indus-process");
    expect((await ws.call(findTool(), { query: "stdout" })).output).not.toContain(".indus-process");
  });
});

test("no credential of ours reaches a job", async () => {
  const canary = randomUUID();
  vi.stubEnv("SOME_API_KEY", canary);
  vi.stubEnv("SOME_PLAIN", "kept");
  const { ask, untilEnded } = createDesk();
  await ask("start", { command: "env" });
  const { stdout } = await untilEnded("job-1");
  expect(stdout).not.toContain(canary);
  expect(stdout).toContain("SOME_PLAIN=kept");
});

test("two sessions do not see each other's jobs", async () => {
  const ws = createWorkspace();
  const [one, other] = [createDesk({}, ws), createDesk({}, ws)];
  await one.ask("start", { command: "echo mine; sleep 60" });
  expect(await other.ask("list")).toBe("No jobs.");
  await other.ask("start", { command: "sleep 60" });
  await other.table.dispose();
  expect(steady(await one.ask("list"))).toBe(
    "job-1 (process N, started T ago): running: echo mine; sleep 60",
  );
});

test("resetProcessTable ends the jobs of the bare catalogue and starts it afresh", async () => {
  onTestFinished(resetProcessTable);
  const ws = createWorkspace();
  const mark = `M${randomUUID()}`;
  const start = async (): Promise<unknown> =>
    (await ws.call(processTool(), { action: "start", command: `MARK=${mark} sleep 60; true` })).output;
  expect(await start()).toContain("Started job-1");
  expect(await start()).toContain("Started job-2");
  if (process.platform === "linux") await until(() => processesMarked(`MARK=${mark}`).length === 2);
  await resetProcessTable();
  expect((await ws.call(processTool(), { action: "list" })).output).toBe("No jobs.");
  if (process.platform === "linux") expect(processesMarked(`MARK=${mark}`)).toEqual([]);
  expect(await start()).toContain("Started job-1");
});

test("the schema accepts what the tool accepts", async () => {
  const check = await compileSchema(processTool().parameters);
  expect(await check({ action: "start", command: "x" })).toBeUndefined();
  expect(await check({ action: "poll", id: "job-1" })).toBeUndefined();
  expect(await check({ action: "kill" })).toBeDefined();
});

test("a finished job that nobody drops is dropped when many follow", LONG_ONLY, async () => {
  const { ask, untilEnded, table } = createDesk();
  for (let number = 1; number <= 35; number++) {
    await ask("start", { command: "true" });
    await untilEnded(`job-${number}`);
  }
  expect(
    table
      .list()
      .map((job) => job.id)
      .slice(0, 2),
  ).toEqual(["job-3", "job-4"]);
  expect(table.list()).toHaveLength(33);
});
