// An end that nobody asked for: first `bin/indus.cjs` with a product in which something goes wrong, then the real command
// in which it goes wrong in the middle of a turn.

import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Entry } from "../../packages/induscode/src/conductor/contract.ts";
import { createWorkplace, type Workplace } from "../support/indus.ts";
import { expectTerminalAsBefore } from "../support/keys.ts";
import { LONG_ONLY, rows, theFirst } from "../support/long-form.ts";
import { type ScriptedTurn, startModelServer } from "../support/model-server.ts";
import { RICH_IDLE } from "../support/open-console.ts";
import { openTerminal } from "../support/terminal.ts";

const ENTRY: string = fileURLToPath(new URL("../../packages/induscode/bin/indus.cjs", import.meta.url));
const LOST_LINE =
  "indus: ended before its work was done, because nothing was left to wait for. This is a defect of indus.\n";

type Ended = Pick<SpawnSyncReturns<string>, "status" | "stdout" | "stderr">;

/** Runs the entry with this text as the bundled product. */
function runWith(product: string, env: Readonly<Record<string, string>> = {}): Ended {
  const folder = mkdtempSync(join(tmpdir(), "indus-entry-"));
  mkdirSync(join(folder, "dist/app"), { recursive: true });
  cpSync(dirname(ENTRY), join(folder, "bin"), { recursive: true });
  writeFileSync(join(folder, "package.json"), '{"type":"module","version":"1.2.3"}');
  writeFileSync(join(folder, "dist/app/main.cjs"), product);
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(folder, "bin/indus.cjs"), "x"], {
    encoding: "utf8",
    env: { PATH: process.env.PATH, HOME: folder, ...env },
  });
  return { status, stdout, stderr };
}

const LOST = "new Promise(() => undefined)";
const waitsForever = (before: string): string =>
  `exports.main = () => { ${before}; setInterval(() => undefined, 1_000); return ${LOST}; };`;

describe("the entry ends with 70 and one line", () => {
  const caught = (what: string, error: string): string =>
    `indus: ended by ${what}: ${error}. This is a defect of indus. INDUS_DEBUG=1 shows where.\n`;

  it.each([
    ["when nothing is left to wait for", `exports.main = () => ${LOST};`, LOST_LINE],
    [
      "when something ends the process as if all were well",
      waitsForever("setImmediate(() => process.exit(0))"),
      "indus: ended before its work was done, by an exit with code 0. This is a defect of indus.\n",
    ],
    ...rows([1, 2, 5, 130], theFirst).map((code): [string, string, string] => [
      `when something ends the process with ${code}, which main did not answer`,
      waitsForever(`setImmediate(() => process.exit(${code}))`),
      `indus: ended before its work was done, by an exit with code ${code}. This is a defect of indus.\n`,
    ]),
    [
      "after an error that nothing caught",
      waitsForever('setImmediate(() => { throw new TypeError("a\\n  b\\u001b[31m"); })'),
      caught("an error that nothing caught", "a b?[31m"),
    ],
    [
      "after a rejection that nothing handled",
      waitsForever('Promise.reject("no error")'),
      caught("a rejection that nothing handled", "no error"),
    ],
    [
      "after one that has no text",
      waitsForever("Promise.reject(Object.create(null))"),
      caught("a rejection that nothing handled", "one that cannot be shown"),
    ],
    [
      "when main itself rejects",
      'exports.main = async () => { throw new Error("main"); };',
      caught("a rejection that nothing handled", "main"),
    ],
    [
      "once, also when what is left to do fails, and when a second error comes",
      `exports.endUnasked = () => { Promise.reject(1); throw new Error("worse"); };
       ${waitsForever('queueMicrotask(() => { throw new Error("first"); }); Promise.reject("second")')}`,
      /^indus: ended by .+: (first|second|worse)\. .+\n$/,
    ],
  ])("%s", (_, product, line) => {
    const { status, stdout, stderr } = runWith(product);
    expect({ status, stdout }).toEqual({ status: 70, stdout: "" });
    if (typeof line === "string") expect(stderr).toBe(line);
    else expect(stderr).toMatch(line);
  });

  it("when something ends the process before all is written", () => {
    const { status, stderr } = runWith(
      `exports.main = async () => { setImmediate(() => process.exit(5));
         process.stdout.write = (text, heard) => setTimeout(heard, 600_000); return 0; };`,
    );
    expect([status, stderr]).toEqual([
      70,
      expect.stringContaining("by an exit with code 5. This is a defect"),
    ]);
  });

  it("with the logs that are whole", () => {
    const { stderr } = runWith(
      `exports.endUnasked = () => ["/a.jsonl"]; ${waitsForever("setImmediate(() => process.exit(5))")}`,
    );
    expect(stderr).toMatch(/defect of indus\. The log is whole: \/a\.jsonl\.\n$/);
  });

  it("but not where a signal asked for the end", () => {
    const { status, stderr } = runWith(
      `exports.isStopped = () => true; ${waitsForever("setImmediate(() => process.exit(130))")}`,
    );
    expect({ status, stderr }).toEqual({ status: 130, stderr: "" });
  });

  it("with what is left to do done before", () => {
    const { stdout } = runWith(
      `exports.endUnasked = (why) => process.stdout.write(why);
       ${waitsForever('setImmediate(() => { throw new Error("a"); })')}`,
    );
    expect(stdout).toBe("ended by an error that nothing caught: a");
  });

  it("and the stack, where it is asked for", () => {
    const { stderr } = runWith(waitsForever('setImmediate(() => { throw new Error("a"); })'), {
      INDUS_DEBUG: "1",
    });
    expect(stderr).toMatch(/defect of indus\.\nError: a\n +at .+main\.cjs/);
  });

  it("twin: Node itself says nothing and ends with 0", LONG_ONLY, () => {
    const { status, stderr } = spawnSync(process.execPath, ["-e", `(async () => { await ${LOST}; })()`], {
      encoding: "utf8",
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });
});

describe("the entry", () => {
  it.each(rows([0, 1, 2, 130], theFirst))("keeps main's answer %i, and all that it wrote", (status) => {
    const product = `exports.main = async () => { process.stdout.write("x".repeat(300_000)); return ${status}; };`;
    expect(runWith(product)).toEqual({ status, stdout: "x".repeat(300_000), stderr: "" });
  });

  it("takes no offence at a reader that leaves early", LONG_ONLY, () => {
    const place = createWorkplace();
    const { stdout, stderr } = spawnSync(
      "sh",
      ["-c", `{ ${process.execPath} ${ENTRY} --help; echo "ended with $?" >&2; } | true`],
      { encoding: "utf8", env: { PATH: process.env.PATH, HOME: place.home, INDUS_HOME: place.home } },
    );
    expect({ stdout, stderr }).toEqual({ stdout: "", stderr: "ended with 0\n" });
  });
});

/** What is loaded into the command and breaks it at SIGUSR2. */
const BREAKS = {
  "an error that nothing caught":
    'setImmediate(() => { throw new Error("it broke: " + process.env.ANTHROPIC_API_KEY); })',
  "a rejection that nothing handled": 'Promise.reject(new Error("it broke"))',
  "nothing left to wait for": "for (const handle of process._getActiveHandles()) handle.unref?.()",
  "an exit with a code of its own": "process.exit(5)",
  "an exit as if all were well": "process.exit(0)",
} as const;
const LINES = {
  "an error that nothing caught":
    /^indus: ended by an error that nothing caught: it broke: \[secret \w+\]\. .+$/m,
  "a rejection that nothing handled": /^indus: ended by a rejection that nothing handled: it broke\. .+$/m,
  "nothing left to wait for":
    /^indus: ended before its work was done, because nothing was left to wait for\. .+$/m,
  "an exit with a code of its own": /^indus: ended before its work was done, by an exit with code 5\. .+$/m,
  "an exit as if all were well": /^indus: ended before its work was done, by an exit with code 0\. .+$/m,
} as const;
type Break = keyof typeof BREAKS;

/** A Node that a launcher takes for its own: it breaks as told. No timer keeps it alive, so that only handles count. */
function breakableNode({ home }: Workplace, how: string): Readonly<Record<string, string>> {
  const preload = join(home, "break.cjs");
  writeFileSync(
    preload,
    `const { setTimeout: real } = globalThis;
     globalThis.setTimeout = Object.assign((...args) => real(...args).unref(), real);
     process.on("SIGUSR2", () => { ${how} });`,
  );
  const node = join(home, "node");
  writeFileSync(node, `#!/bin/sh\nexec ${process.execPath} --require ${preload} "$@"\n`);
  chmodSync(node, 0o755);
  return { INDUS_NODE: node };
}

/** A place in which each turn's tool runs and the model then falls silent, until `goOn`. */
async function silentPlace() {
  let isSilent = true;
  const reached = Promise.withResolvers<void>();
  const turn = (index: number): ScriptedTurn => {
    if (index === 0) return { calls: [{ name: "bash", input: { command: "echo ran" } }] };
    if (!isSilent) return { text: "Done." };
    reached.resolve();
    return { trouble: { kind: "silence", after: 0 } };
  };
  const server = await startModelServer((_, index) => turn(index));
  onTestFinished(() => server.close());
  const goOn = (): void => {
    isSilent = false;
  };
  return { place: createWorkplace(server.url), url: server.url, reached: reached.promise, goOn };
}

const FLAGS = ["--model", "anthropic/scripted", "--permission-mode", "bypass"];

/** The log is whole: it ends with what ended it, verifies, and the session goes on from it. */
async function expectWhole(place: Workplace, goOn: () => void): Promise<void> {
  const entries = place.entries() as readonly Entry[];
  expect(entries.map(({ type }) => type).filter((type) => type !== "request")).toEqual(
    expect.arrayContaining(["user", "tool", "end"]),
  );
  expect(entries.at(-1)).toMatchObject({ type: "end", how: "faulted", fault: { kind: "broken" } });
  expect(place.problems()).toEqual([]);
  goOn();
  const resumed = await place.run(["-p", "-c", "go on", ...FLAGS]);
  expect(resumed).toMatchObject({ code: 0, stdout: "Done.\n" });
}

describe.each(rows(Object.keys(BREAKS) as Break[], theFirst))("a turn that is broken by %s", (how) => {
  it.each(rows([["-p"], ["--json"]], theFirst))(
    "in %s: one line, exit code 70, a whole log",
    async (mode) => {
      const { place, reached, goOn } = await silentPlace();
      const { code, stdout, stderr } = await place.run([mode, "go", ...FLAGS], {
        env: breakableNode(place, BREAKS[how]),
        onStart: (child) => void reached.then(() => child.kill("SIGUSR2")),
      });
      expect(code).toBe(70);
      expect(stderr).toMatch(LINES[how]);
      expect(stderr.match(/defect of indus/g)).toHaveLength(1);
      const [log = ""] = place.logs();
      expect(stderr).toContain(`The log is whole: ${log}.`);
      expect(existsSync(`${log}.lock`)).toBe(false);
      expect(stdout.includes('"type":"end","how":"faulted"')).toBe(mode === "--json");
      await expectWhole(place, goOn);
    },
  );

  it("on the console as well, and the terminal is given back", LONG_ONLY, async () => {
    const { place, url, reached, goOn } = await silentPlace();
    const env = breakableNode(place, BREAKS[how]);
    const terminal = openTerminal({
      console: "plain",
      place,
      url,
      args: FLAGS,
      env,
      columns: 300,
      underShell: true,
    });
    await terminal.waitFor(/\n› ?$/);
    terminal.type("go\r");
    await reached;
    terminal.signal("SIGUSR2");
    await terminal.left;
    expect(terminal.screen()).toContain("left: 70");
    expect(terminal.screen()).toMatch(LINES[how]);
    const [before, after] = [...terminal.screen().matchAll(/^modes: (.+)$/gm)].map(([, modes]) => modes);
    expect(after).toBe(before);
    await expectWhole(place, goOn);
  });
});

it("the rich console gives the terminal and its title back before the line is written, which stays", async () => {
  const { place, url, reached } = await silentPlace();
  const env = breakableNode(place, BREAKS["an error that nothing caught"]);
  const args = FLAGS;
  const terminal = openTerminal({ console: "rich", place, url, args, env, columns: 300, underShell: true });
  await terminal.waitFor(RICH_IDLE);
  terminal.type("go\r");
  await reached;
  terminal.signal("SIGUSR2");
  await terminal.left;
  expect(terminal.screen()).toMatch(LINES["an error that nothing caught"]);
  expectTerminalAsBefore(terminal.raw());
  expect(terminal.raw().split("\x1b[22;2t")).toHaveLength(2);
  expect(terminal.raw().split("\x1b[23;2t")).toHaveLength(2);
  expect(terminal.raw().indexOf("\x1b[23;2t")).toBeLessThan(terminal.raw().indexOf("indus: ended by"));
});

it("the rich console puts the title back where the process is ended by an exit", LONG_ONLY, async () => {
  const { place, url, reached } = await silentPlace();
  const env = breakableNode(place, BREAKS["an exit with a code of its own"]);
  const terminal = openTerminal({ console: "rich", place, url, args: FLAGS, env, columns: 300 });
  await terminal.waitFor(RICH_IDLE);
  terminal.type("go\r");
  await reached;
  terminal.signal("SIGUSR2");
  expect(await terminal.left).toBe(70);
  expect(terminal.screen()).toMatch(LINES["an exit with a code of its own"]);
  expect(terminal.raw()).toContain("\x1b[23;2t");
});

it("twin: without the watch, Node prints a stack and the log has no end", LONG_ONLY, async () => {
  const { place, reached } = await silentPlace();
  const old = `for (const name of ["uncaughtException", "exit"]) process.removeAllListeners(name); ${BREAKS["an error that nothing caught"]}`;
  const { code, stderr } = await place.run(["-p", "go", ...FLAGS], {
    env: breakableNode(place, old),
    onStart: (child) => void reached.then(() => child.kill("SIGUSR2")),
  });
  expect(code).toBe(1);
  expect(stderr).toMatch(/\n +at /);
  expect(place.entries().some(({ type }) => type === "end")).toBe(false);
});

it("an end that leaves no time for a word leaves no lock that holds anybody up", LONG_ONLY, async () => {
  const { place, reached, goOn } = await silentPlace();
  const { code } = await place.run(["-p", "go", ...FLAGS], {
    env: breakableNode(place, "process.abort()"),
    onStart: (child) => void reached.then(() => child.kill("SIGUSR2")),
  });
  expect(code).toBe(null);
  goOn();
  const resumed = await place.run(["-p", "-c", "go on", ...FLAGS]);
  expect(resumed).toMatchObject({ code: 0, stdout: "Done.\n" });
});
