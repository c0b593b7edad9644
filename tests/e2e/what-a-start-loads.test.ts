// What a start reads and runs before it does anything: the parts of the built product that are loaded for the help, for a first
// request and for what comes with neither. Time is measured by `npm run bench`.

import { execFile } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { builtCommand } from "../support/built.ts";
import { LONG_ONLY } from "../support/long-form.ts";
import { startModelServer } from "../support/model-server.ts";

/** Notes each file that is opened at once, as those of the product are. */
const TRACE = `
const fs = require("node:fs");
const { openSync } = fs;
const files = [];
fs.openSync = (path, ...rest) => (files.push(String(path)), openSync(path, ...rest));
const { write } = process.stdout;
process.stdout.write = (...said) => (files.push("said"), write.apply(process.stdout, said));
process.on("exit", () => fs.writeFileSync(process.env.LOADED, JSON.stringify(files)));
`;

interface Loaded {
  /** Names of the product's files without their hashes, sorted. */
  readonly parts: readonly string[];
  readonly kilobytes: number;
}

interface Surroundings {
  readonly env?: NodeJS.ProcessEnv;
  /** What it reads on its standard input. */
  readonly input?: string;
  /** Only what is loaded before it says something. */
  readonly untilItSpeaks?: boolean;
}

async function loadedBy(
  args: readonly string[],
  { env: more = {}, input = "", untilItSpeaks = false }: Surroundings = {},
): Promise<Loaded> {
  const folder = mkdtempSync(join(tmpdir(), "indus-loads-"));
  const work = join(folder, "work");
  mkdirSync(work);
  writeFileSync(join(folder, "trace.cjs"), TRACE);
  const entry = join(dirname(builtCommand()), "indus.cjs");
  const LOADED = join(folder, "loaded.json");
  const env = { PATH: process.env.PATH, HOME: folder, INDUS_HOME: join(folder, "home"), LOADED, ...more };
  const argv = ["--require", join(folder, "trace.cjs"), entry, ...args];
  const run = promisify(execFile)(process.execPath, argv, { cwd: work, env });
  run.child.stdin?.end(input);
  await run;
  const files = JSON.parse(readFileSync(LOADED, "utf8")) as readonly string[];
  const own = files
    .slice(0, untilItSpeaks ? files.indexOf("said") : undefined)
    .filter((path) => /\/dist\/app\/[^/]+$/.test(path));
  return {
    parts: own.map((path) => basename(path).replace(/(?:-[\w-]{8})?\.cjs$/, "")).sort(),
    kilobytes: own.reduce((sum, path) => sum + statSync(path).size, 0) / 1000,
  };
}

const START = ["main", "rolldown-runtime"];

test("the help loads the command line's part alone", async () => {
  const { parts, kilobytes } = await loadedBy(["--help"]);
  expect(parts).toEqual(START);
  expect(kilobytes).toBeLessThan(115);
});

test("a version loads nothing of the product", async () => {
  expect(await loadedBy(["--version"])).toMatchObject({ parts: [], kilobytes: 0 });
});

test("a first request loads one part for every session and one wire, into which no large library has come", async () => {
  const server = await startModelServer([{ text: "Done." }]);
  const env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: "a-key-for-the-model" };
  const { parts, kilobytes } = await loadedBy(["-p", "hello", "--model", "anthropic/one-2"], { env });
  await server.close();
  const checks = "schema-interpreter"; // it is fetched while the model answers
  expect(parts.filter((name) => name !== checks)).toEqual([...START, "session", "wire"].sort());
  expect(kilobytes).toBeLessThan(1_140);
});

test("an editor is greeted before the protocol's library is loaded", async () => {
  const params = { protocolVersion: 1, clientCapabilities: {} };
  const input = `${JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params })}\n`;
  const { parts } = await loadedBy(["acp"], { input, untilItSpeaks: true });
  expect(parts).toEqual([...START, "bounded-lines", "run-acp"].sort());
  expect((await loadedBy(["acp"], { input })).parts).toContain("schemas"); // the library's
});

test("a program's task loads no more of a session than a person's, and one part with what can be typed", async () => {
  const server = await startModelServer([{ text: "Done." }]);
  const env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: "a-key-for-the-model" };
  const task = ["-p", "hello", "--output-format", "stream-json", "--verbose", "--model", "anthropic/one-2"];
  const { parts } = await loadedBy(task, { env });
  await server.close();
  const front = ["bounded-lines", "choices", "front", "program-control", "run-stream-json"];
  expect(parts.filter((name) => name !== "schema-interpreter")).toEqual(
    [...START, ...front, "session", "wire"].sort(),
  );
});

describe("the product's code is compiled when it is built", () => {
  const LOGGED = ["--log-function-events", "--no-logfile-per-isolate"];

  interface Product {
    readonly app: string;
    /** Makes a first start in a home of its own; answers whether that kept compiled code for the next one. */
    readonly start: (flags?: readonly string[]) => Promise<boolean>;
  }

  /** A copy of the package, to change something in it. */
  function copyOfProduct(): Product {
    const place = mkdtempSync(join(tmpdir(), "indus-compiled-"));
    const bin = dirname(builtCommand());
    const copy = join(place, "packages/induscode");
    cpSync(join(bin, ".."), copy, { recursive: true, preserveTimestamps: true });
    symlinkSync(join(bin, "../../../node_modules"), join(place, "node_modules"));
    const message = { role: "assistant", content: [{ kind: "text", text: "Hello." }] };
    const lines = [
      { cassette: 1, about: "one turn" },
      { turn: 1, reply: { message } },
    ];
    const cassette = join(place, "one-turn.jsonl");
    writeFileSync(cassette, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    const start = async (flags: readonly string[] = []): Promise<boolean> => {
      const home = mkdtempSync(join(place, "home-"));
      const cwd = mkdtempSync(join(place, "work-"));
      const args = [...flags, join(copy, "bin/indus.cjs"), "-p", "hello", "--cassette", cassette];
      const env = { PATH: process.env.PATH, HOME: home, INDUS_HOME: home };
      const run = promisify(execFile)(process.execPath, args, { cwd, env });
      run.child.stdin?.end();
      expect(await run).toMatchObject({ stdout: "Hello.\n", stderr: "" });
      return existsSync(join(home, ".cache/indus/compiled"));
    };
    return { app: join(copy, "dist/app"), start };
  }

  test("a first start has it, and keeps none of its own", async () => {
    expect(await copyOfProduct().start()).toBe(false);
  });

  test("a start has it in whatever order an installation wrote the files", LONG_ONLY, async () => {
    const { app, start } = copyOfProduct();
    const [version = ""] = readdirSync(join(app, "compiled"));
    const written = statSync(join(app, "compiled", version, "main.cjs")).mtimeMs + 5_000;
    for (const name of readdirSync(join(app, "compiled", version)))
      utimesSync(join(app, name), written / 1000, written / 1000);
    expect(await start()).toBe(false);
  });

  test(
    "where it is of another Node, cut short or older than its file, a start keeps its own, and works",
    LONG_ONLY,
    async () => {
      const { app, start } = copyOfProduct();
      expect(await start(["--expose-gc"])).toBe(true); // V8 tells its flags apart
      const [version = ""] = readdirSync(join(app, "compiled"));
      const code = join(app, "compiled", version, "main.cjs");
      const whole = readFileSync(code);
      writeFileSync(code, whole.subarray(0, whole.length - 8));
      expect(await start()).toBe(true);
      writeFileSync(code, whole);
      expect(await start()).toBe(false);
      const later = new Date(Date.now() + 120_000);
      utimesSync(join(app, "main.cjs"), later, later);
      expect(await start()).toBe(true);
      rmSync(join(app, "compiled"), { recursive: true });
      expect(await start()).toBe(true);
    },
  );

  test("what is lost of one part is compiled by the start", LONG_ONLY, async () => {
    const { app, start } = copyOfProduct();
    const [version = ""] = readdirSync(join(app, "compiled"));
    const parts = readdirSync(join(app, "compiled", version));
    for (const name of parts) if (name !== "main.cjs") rmSync(join(app, "compiled", version, name));
    expect(await start()).toBe(false);
  });

  test("it holds what a first request calls", LONG_ONLY, async () => {
    const { app, start } = copyOfProduct();
    const log = join(app, "v8.log");
    const flags = [...LOGGED, `--logfile=${log}`];
    const functionsCompiled = async (): Promise<number> => {
      await start(flags);
      const lines = readFileSync(log, "utf8").split("\n");
      const own = new Set(
        lines.flatMap((line) => /^script-details,(\d+),.*\/dist\/app\//.exec(line)?.[1] ?? []),
      );
      expect(own.size).toBeGreaterThan(3);
      return lines.filter((line) => own.has(/^function,interpreter,(\d+),/.exec(line)?.[1] ?? "")).length;
    };
    expect(await functionsCompiled()).toBeGreaterThan(500); // compiled without these flags, it is not taken
    const build = fileURLToPath(new URL("../../scripts/compiled-code.mjs", import.meta.url));
    writeFileSync(
      join(app, "compile.mjs"),
      `import { compileProduct } from ${JSON.stringify(build)}; await compileProduct(${JSON.stringify(app)});`,
    );
    await promisify(execFile)(process.execPath, [...flags, join(app, "compile.mjs")]);
    expect(await functionsCompiled()).toBeLessThan(150);
  });
});

test("settings are read for the help only where there are some", async () => {
  const folder = mkdtempSync(join(tmpdir(), "indus-loads-"));
  writeFileSync(join(folder, "settings.json"), "{}");
  const { parts } = await loadedBy(["--help"], { env: { INDUS_HOME: folder } });
  expect(parts).toEqual([...START, "session"].sort());
});
