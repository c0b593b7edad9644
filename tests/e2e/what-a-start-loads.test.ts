// What a start reads and runs before it does anything: the parts of the built product that may be loaded for the help, for a
// first request and for what comes with neither, by name and in bytes. Time is measured by `npm run bench`.

import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { builtCommand } from "../support/built.ts";
import { startModelServer } from "../support/model-server.ts";

/** Notes each file that the module loader reads, and at the end Node's own modules too. */
const TRACE = `
const files = [];
require("node:module").registerHooks({ load: (url, context, next) => (files.push(url), next(url, context)) });
process.on("exit", () =>
  require("node:fs").writeFileSync(process.env.LOADED, JSON.stringify({ files, builtins: process.moduleLoadList })));
`;

interface Loaded {
  /** Names of the product's files without their hashes, sorted. */
  readonly parts: readonly string[];
  readonly kilobytes: number;
  /** Node's own modules. */
  readonly builtins: ReadonlySet<string>;
}

async function loadedBy(args: readonly string[], more: NodeJS.ProcessEnv = {}): Promise<Loaded> {
  const folder = mkdtempSync(join(tmpdir(), "indus-loads-"));
  const work = join(folder, "work");
  mkdirSync(work);
  writeFileSync(join(folder, "trace.cjs"), TRACE);
  const entry = join(dirname(builtCommand()), "indus.cjs");
  const LOADED = join(folder, "loaded.json");
  const env = { PATH: process.env.PATH, HOME: folder, INDUS_HOME: join(folder, "home"), LOADED, ...more };
  const argv = ["--require", join(folder, "trace.cjs"), entry, ...args];
  const run = promisify(execFile)(process.execPath, argv, { cwd: work, env });
  run.child.stdin?.end();
  await run;
  const { files, builtins } = JSON.parse(readFileSync(LOADED, "utf8")) as Record<
    "files" | "builtins",
    readonly string[]
  >;
  const own = files.filter((url) => url.includes("/dist/app/")).map((url) => fileURLToPath(url));
  return {
    parts: own.map((path) => basename(path).replace(/(?:-[\w-]{8})?\.js$/, "")).sort(),
    kilobytes: own.reduce((sum, path) => sum + statSync(path).size, 0) / 1000,
    builtins: new Set(builtins.map((line) => line.replace(/^NativeModule /, ""))),
  };
}

const START = ["main", "rolldown-runtime", "start"];

test("the help loads the command line's part alone, and nothing of Node that it does not need", async () => {
  const { parts, kilobytes, builtins } = await loadedBy(["--help"]);
  expect(parts).toEqual(START);
  expect(kilobytes).toBeLessThan(60);
  for (const unused of ["crypto", "child_process", "http", "worker_threads", "readline"])
    expect(builtins, unused).not.toContain(unused);
});

test("a version loads nothing of the product", async () => {
  expect(await loadedBy(["--version"])).toMatchObject({ parts: [], kilobytes: 0 });
});

test("a first request loads one part for every session and one wire; its tools wait for their call", async () => {
  const server = await startModelServer([{ text: "Done." }]);
  const env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: "a-key-for-the-model" };
  const { parts, kilobytes, builtins } = await loadedBy(["-p", "hello", "--model", "anthropic/one-2"], env);
  await server.close();
  const checks = "esm"; // the schemas' interpreter, which is fetched while the model answers
  expect(parts.filter((name) => name !== checks)).toEqual([...START, "session", "wire"].sort());
  expect(kilobytes).toBeLessThan(750);
  expect(builtins).toContain("http"); // the trace sees what is loaded
  for (const unused of ["child_process", "worker_threads", "readline"])
    expect(builtins, unused).not.toContain(unused);
});

test("what a first request calls is compiled with its file, which the cache of compiled code holds", async () => {
  const folder = mkdtempSync(join(tmpdir(), "indus-loads-"));
  const cassette = join(folder, "one-turn.jsonl");
  const reply = { message: { role: "assistant", content: [{ kind: "text", text: "Hello." }] } };
  writeFileSync(cassette, `{"cassette":1,"about":"one turn"}\n${JSON.stringify({ turn: 1, reply })}\n`);
  const log = join(folder, "v8.log");
  const v8 = ["--log-function-events", "--no-logfile-per-isolate", `--logfile=${log}`];
  const entry = join(dirname(builtCommand()), "indus.cjs");
  const env = { PATH: process.env.PATH, HOME: folder, INDUS_HOME: join(folder, "home") };
  const start = async (): Promise<number> => {
    const run = promisify(execFile)(process.execPath, [...v8, entry, "-p", "hello", "--cassette", cassette], {
      ...{ cwd: mkdtempSync(join(folder, "work-")), env },
    });
    run.child.stdin?.end();
    await run;
    const lines = readFileSync(log, "utf8").split("\n");
    const own = new Set(
      lines.flatMap((line) => /^script-details,(\d+),.*\/dist\/app\//.exec(line)?.[1] ?? []),
    );
    expect(own.size).toBeGreaterThan(3);
    return lines.filter((line) => own.has(/^function,interpreter,(\d+),/.exec(line)?.[1] ?? "")).length;
  };
  expect(await start()).toBeGreaterThan(500); // nothing is cached yet: the log shows what is compiled
  expect(await start()).toBeLessThan(250);
});

test("settings are read for the help only where there are some", async () => {
  const folder = mkdtempSync(join(tmpdir(), "indus-loads-"));
  writeFileSync(join(folder, "settings.json"), "{}");
  const { parts } = await loadedBy(["--help"], { INDUS_HOME: folder });
  expect(parts).toEqual([...START, "session"].sort());
});
