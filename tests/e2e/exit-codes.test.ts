// The table of `docs/guide/exit-codes.md`, for every way to run the command.

import { type ChildProcess, spawnSync } from "node:child_process";
import { chmodSync, existsSync, globSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { SUBCOMMANDS } from "../../packages/induscode/src/boot/subcommands.ts";
import { builtCommand } from "../support/built.ts";
import { createWorkplace, type Workplace } from "../support/indus.ts";
import { firstOf, LONG_ONLY, rows, theFirst } from "../support/long-form.ts";
import { type Script, startModelServer } from "../support/model-server.ts";
import { createServedShared, createServedWorkplace } from "../support/served-workplace.ts";
import { until } from "../support/until.ts";

const MODEL = ["--model", "anthropic/scripted"];
const ANSWERS: Script = [{ text: "Done." }];
const REFUSES: Script = [{ trouble: { kind: "status", status: 400, message: "no" } }];
const ADDON = "export function register() {}\n";
const CASSETTE = `{"cassette":1,"about":"x"}\n{"turn":1,"reply":{"message":{"role":"assistant","content":[{"kind":"text","text":"Done."}]}}}\n`;

interface Row {
  readonly args: readonly string[];
  readonly code: number;
  readonly script?: Script;
  readonly lay?: (place: Workplace) => unknown;
  readonly stdin?: string;
}

const MCP_HELLO = {
  ...{ protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "a client", version: "1" } },
};

const crewPlan = (place: Workplace): void => {
  place.file("p.toml", '[[ticket]]\ntitle = "x"\n');
};
const addonFile = (place: Workplace): void => {
  place.file(
    "a.ts",
    'export function register(s) { s.addCommand("go", { summary: "x", run: () => undefined }); }\n',
  );
  place.file("a.cassette.jsonl", CASSETTE);
};
const packageFolder = (place: Workplace): void => {
  place.file(
    "made/manifest.toml",
    'id = "made"\n\n[[command]]\nname = "hi"\nsummary = "x"\nprompt = "Say hi."\n',
  );
};
/** As `indus add` leaves it. */
const addedPackage = (place: Workplace): void => {
  packageFolder(place);
  mkdirSync(join(place.home, "packages"));
  renameSync(join(place.cwd, "made"), join(place.home, "packages/made"));
  const made = { source: "npm:made", resolved: "made@1.0.0", content: "0".repeat(64), asks: [] };
  writeFileSync(join(place.home, "packages.lock"), JSON.stringify({ version: 1, packages: { made } }));
};

/** What a program sends first. */
const asked = (method: string, params: object): string =>
  `${JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })}\n`;

/** Leaves the log of a session. */
const sessionLog = (place: Workplace): Promise<unknown> => place.run(["-p", "go", ...MODEL]);

/** A task in a server, which ends with the test. */
const servedTask = (place: Workplace): Promise<unknown> => {
  onTestFinished(async () => void (await place.run(["serve", "stop"])));
  return place.run(["serve", "start", "go", ...MODEL]);
};

/** What nobody is there to allow: the model reads that, and its answer is what counts. */
const REFUSED = { name: "bash", input: { command: "mkfifo x" } };

const ROWS: readonly Row[] = [
  { args: ["--version"], code: 0 },
  { args: ["--help"], code: 0 },
  { args: ["--nothing"], code: 2 },
  { args: ["-p", "go", ...MODEL], code: 0, script: ANSWERS },
  { args: ["-p", "go", ...MODEL], code: 1, script: REFUSES },
  { args: ["-p", ...MODEL], code: 2, stdin: "" },
  { args: ["--json", "go", ...MODEL], code: 0, script: ANSWERS },
  { args: ["--json", "go", ...MODEL], code: 1, script: REFUSES },
  { args: ["--json", "go", "--permission-mode", "none", ...MODEL], code: 2 },
  { args: ["-p", "go", "--max-turns", "0", ...MODEL], code: 2 },
  { args: ["-p", "go", "-r", "nothing", ...MODEL], code: 1 },
  { args: ["-p", "go", "-c", "-r", "nothing", ...MODEL], code: 2 },
  { args: MODEL, code: 0, stdin: "/quit\n" },
  { args: ["go", ...MODEL], code: 2, stdin: "" },
  { args: ["session", "verify"], code: 0, script: ANSWERS, lay: sessionLog },
  { args: ["session", "verify"], code: 1 },
  { args: ["session", "look"], code: 2 },
  { args: ["session", "rewind", "2"], code: 0, script: ANSWERS, lay: sessionLog },
  { args: ["session", "rewind", "2", "--undo"], code: 1, script: ANSWERS, lay: sessionLog },
  { args: ["session", "rewind", "2", "--to", "x"], code: 2, script: ANSWERS, lay: sessionLog },
  { args: ["session", "cassette", "2", "-o", "a.jsonl"], code: 0, script: ANSWERS, lay: sessionLog },
  { args: ["session", "cassette", "nothing"], code: 1 },
  { args: ["session", "cassette"], code: 2 },
  { args: ["session", "replay", "2"], code: 0, script: ANSWERS, lay: sessionLog },
  { args: ["session", "replay", "2", "--settings", "none"], code: 1, script: ANSWERS, lay: sessionLog },
  { args: ["session", "replay"], code: 2 },
  { args: ["models"], code: 0 },
  { args: ["models", "one", "two"], code: 2 },
  { args: ["auth", "list"], code: 0 },
  { args: ["auth", "login", "openai", "--file"], code: 0, stdin: "sk-0123456789abcdef\n" },
  { args: ["auth", "login", "openai", "--file"], code: 1, stdin: "short\n" },
  { args: ["auth", "login", "nobody"], code: 2, stdin: "" },
  { args: ["auth", "logout", "openai"], code: 1 },
  { args: ["auth", "look"], code: 2 },
  { args: ["skills", "check"], code: 0 },
  { args: ["skills", "check", "nothing"], code: 1 },
  { args: ["skills"], code: 2 },
  { args: ["agents"], code: 0 },
  { args: ["agents"], code: 1, lay: (place) => place.file(".indus/agents/a.toml", "=") },
  { args: ["agents", "foo"], code: 2 },
  { args: ["crew", "status", "p.toml"], code: 1, lay: crewPlan },
  { args: ["crew", "run", "p.toml", ...MODEL], code: 0, lay: crewPlan, script: [{ text: "Done." }] },
  { args: ["crew", "run", "p.toml", ...MODEL], code: 1, lay: crewPlan, script: [{ text: "" }] },
  { args: ["crew"], code: 2 },
  { args: ["crew", "status"], code: 2 },
  { args: ["crew", "clean"], code: 0 },
  { args: ["crew", "merge", "p.toml"], code: 1, lay: crewPlan },
  { args: ["crew", "worker"], code: 2 },
  { args: ["crew", "worker", "--board", "nowhere"], code: 2 },
  { args: ["crew", "worker", "--board", "postgres://a@localhost/b?secret=NOT_SET"], code: 1 },
  { args: ["crew", "run", "p.toml", "--new", "--board", "postgres://a@localhost/b"], code: 2, lay: crewPlan },
  { args: ["crew", "drain", "--board", "postgres://a:b@c/d"], code: 2 },
  { args: ["prompt"], code: 0 },
  { args: ["prompt", "foo"], code: 2 },
  { args: ["doctor"], code: 0 },
  { args: ["doctor", "foo"], code: 2 },
  { args: ["addons"], code: 0 },
  { args: ["addons", "--timing"], code: 0 },
  { args: ["addons", "explain", "tool:before"], code: 0 },
  { args: ["addons", "explain", "nothing"], code: 2 },
  { args: ["addons", "restart", "nothing"], code: 1 },
  { args: ["addons", "revoke", "nothing"], code: 1 },
  { args: ["addons", "nothing"], code: 2 },
  { args: ["mcp"], code: 0 },
  { args: ["mcp", "tools", "nothing"], code: 1 },
  { args: ["mcp", "test", "nothing"], code: 1 },
  { args: ["mcp", "login", "nothing"], code: 1 },
  { args: ["mcp", "serve"], code: 0, stdin: asked("initialize", MCP_HELLO) },
  { args: ["mcp", "serve", "--nothing"], code: 2 },
  { args: ["mcp", "nothing"], code: 2 },
  { args: ["addon", "new", "x", "--kind", "ts"], code: 0 },
  { args: ["addon", "new", "x"], code: 2 },
  { args: ["addon", "check", "a.ts"], code: 0, lay: addonFile },
  { args: ["addon", "check", "a.ts"], code: 1, lay: (place) => place.file("a.ts", "throw 1") },
  { args: ["addon", "check", "nothing.ts"], code: 1 },
  { args: ["addon", "test", "a.ts"], code: 0, lay: addonFile },
  { args: ["addon", "test", "a.ts"], code: 1, lay: (place) => place.file("a.ts", ADDON) },
  { args: ["addon", "test", "a.ts", "--session", "nothing"], code: 1, lay: addonFile },
  { args: ["addon", "dev", "a.ts", ...MODEL], code: 0, lay: addonFile, stdin: "/quit\n" },
  { args: ["addon", "dev", "nothing.ts", ...MODEL], code: 1, stdin: "" },
  { args: ["addon"], code: 2 },
  { args: ["add", "made", "--yes"], code: 0, lay: packageFolder },
  { args: ["add", "made"], code: 3, lay: packageFolder },
  { args: ["add", "nowhere"], code: 1 },
  { args: ["add"], code: 2 },
  { args: ["update"], code: 0 },
  { args: ["update", "nothing"], code: 1 },
  { args: ["update", "a", "b"], code: 2 },
  { args: ["remove", "made"], code: 0, lay: addedPackage },
  { args: ["remove", "nothing"], code: 1 },
  { args: ["remove"], code: 2 },
  { args: ["list"], code: 0 },
  { args: ["marketplace", "list"], code: 0 },
  { args: ["marketplace", "list", "nothing"], code: 1 },
  { args: ["marketplace"], code: 2 },
  { args: ["list", "all"], code: 2 },
  { args: ["show", "made"], code: 0, lay: addedPackage },
  { args: ["show", "nothing"], code: 1 },
  { args: ["show"], code: 2 },
  { args: ["disable", "made"], code: 0, lay: addedPackage },
  { args: ["disable", "nothing"], code: 1 },
  { args: ["disable"], code: 2 },
  { args: ["enable", "made"], code: 0, lay: addedPackage },
  { args: ["enable", "nothing"], code: 1 },
  { args: ["enable"], code: 2 },
  { args: ["addons", "--kind", "ts"], code: 2 },
  { args: ["doctor", "--max-turns", "3"], code: 2 },
  { args: ["-p", "go", "--timing", ...MODEL], code: 2 },
  { args: ["why", "bash(git push)"], code: 0 },
  { args: ["why"], code: 2 },
  { args: ["permissions"], code: 0 },
  { args: ["permissions", "list", "--all", "--json"], code: 0 },
  { args: ["permissions", "explain", "nothing"], code: 1 },
  { args: ["permissions", "edit", "nothing", "npm test *"], code: 1 },
  { args: ["permissions", "rm", "nothing"], code: 1 },
  { args: ["permissions", "look"], code: 2 },
  { args: ["help"], code: 0 },
  { args: ["help", "addons"], code: 0 },
  { args: ["help", "man"], code: 0 },
  { args: ["acp"], code: 0, stdin: asked("initialize", { protocolVersion: 1 }) },
  { args: ["acp", "zed"], code: 2 },
  { args: ["addons", "--help"], code: 0 },
  { args: ["help", "addon", "new"], code: 0 },
  { args: ["help", "addon", "new", "notes"], code: 2 },
  { args: ["help", "docter"], code: 2 },
  { args: ["help", "me"], code: 2 },
  { args: ["completion", "bash"], code: 0 },
  { args: ["completion", "fish"], code: 0 },
  { args: ["completion", "csh"], code: 2 },
  { args: ["completion"], code: 2 },
  { args: ["sessions"], code: 0 },
  { args: ["sessions", "--all", "--json"], code: 0 },
  { args: ["sessions", "search", "go"], code: 0, script: ANSWERS, lay: sessionLog },
  { args: ["sessions", "rename", "2", "x"], code: 0, script: ANSWERS, lay: sessionLog },
  { args: ["sessions", "rm", "2"], code: 0, script: ANSWERS, lay: sessionLog },
  { args: ["sessions", "rm", "nothing"], code: 1 },
  { args: ["sessions", "restore", "nothing"], code: 1 },
  { args: ["sessions", "prune", "--older-than", "1d"], code: 0 },
  { args: ["sessions", "prune", "--older-than", "soon"], code: 2 },
  { args: ["sessions", "prune"], code: 2 },
  { args: ["export", "-o", "a.html"], code: 0, script: ANSWERS, lay: sessionLog },
  { args: ["export", "nothing"], code: 1 },
  { args: ["export", "--format", "pdf"], code: 2 },
  { args: ["usage"], code: 0, script: ANSWERS, lay: sessionLog },
  { args: ["usage", "--by", "folder", "--since", "30d", "--json"], code: 0 },
  { args: ["usage", "--by", "moon"], code: 2 },
  { args: ["usage", "--since", "soon"], code: 2 },
  { args: ["login"], code: 2, stdin: "" },
  { args: ["--json", "sessions"], code: 0 },
  { args: ["-p", "sessions", ...MODEL], code: 0, script: ANSWERS },
  { args: ["-p", "agents", "foo", ...MODEL], code: 0, script: ANSWERS },
  { args: ["-p", "go", "--deny", "Bsh(rm:*)", ...MODEL], code: 2 },
  { args: ["-p", "go", ...MODEL], code: 2, lay: (place) => place.settings({ permissions: { deny: "x" } }) },
  {
    args: ["-p", "go", "--permission-prompt", "none", ...MODEL],
    code: 0,
    script: [{ calls: [REFUSED] }, { text: "Done." }],
  },
  { args: ["-p", "go", ...MODEL], code: 3, script: [{ calls: [REFUSED] }, { text: "Done." }] },
  {
    args: ["-p", "go", "--permission-prompt", "deny", ...MODEL],
    code: 3,
    script: [{ calls: [REFUSED] }, { text: "Done." }],
  },
  { args: ["-p", "go", ...MODEL], code: 4, script: [{ text: "Half an", stop: "max_tokens" }] },
  { args: ["go", "--permission-prompt", "deny", ...MODEL], code: 2, stdin: "" },
  { args: ["--rehearse"], code: 0 },
  { args: ["doctor", "--rehearse"], code: 2 },
  { args: ["--rehearse", "my task"], code: 2 },
  { args: ["--rehearse", "--json"], code: 2 },
  { args: ["--rehearse", "--cassette", "a.jsonl"], code: 2 },
  { args: ["serve"], code: 0, stdin: asked("status", {}) },
  { args: ["serve", "--idle", "1"], code: 2 },
  { args: ["serve", "stop"], code: 1 },
  { args: ["attach"], code: 0, script: ANSWERS, lay: servedTask },
  { args: ["attach"], code: 1 },
  { args: ["attach", "one", "two"], code: 2 },
  { args: ["blame", "p.toml"], code: 0, lay: crewPlan },
  { args: ["blame", "nothing.txt"], code: 1 },
  { args: ["blame", "one", "two"], code: 2 },
  { args: ["view", "--help"], code: 0 }, // else it serves until somebody stops it: view.test.ts
  { args: ["view"], code: 1 },
  { args: ["view", "one", "two"], code: 2 },
];

describe("the rows", () => {
  it("have success and wrong usage for every command, and all codes of the guide but those that nobody asks for", () => {
    for (const { name } of SUBCOMMANDS) {
      const codes = ROWS.filter(({ args }) => args[0] === name).map(({ code }) => code);
      expect([name, codes]).toEqual([name, expect.arrayContaining([0, 2])]);
    }
    const guide = readFileSync(new URL("../../docs/guide/exit-codes.md", import.meta.url), "utf8");
    const told = [...guide.matchAll(/^\| (\d+|128 and a signal's number) \|/gm)].map(([, code]) => code);
    const seen = [...new Set(ROWS.map(({ code }) => String(code)))].sort();
    expect(told).toEqual([...seen, "70", "128 and a signal's number"]);
  });
});

const BREAKS: Readonly<Record<string, string>> = {
  "an error that nothing caught": 'throw new Error("it broke")',
  "a rejection that nothing handled": 'Promise.reject(new Error("it broke"))',
  "an exit with a code of its own": "process.exit(5)",
  "an exit as if all were well": "process.exit(0)",
};

/** Every command that succeeds, broken in every way; in the short form each way breaks one that is different. */
function breakingRows() {
  const succeeding = ROWS.filter(({ args, code }) => code === 0 && args[0] !== "--version");
  const ways = Object.entries(BREAKS);
  const all = succeeding.flatMap((row) =>
    ways.map(([way, how]) => ({ row, line: row.args.join(" "), way, how })),
  );
  return rows(all, (_, at) => at % (ways.length + 1) === 0 && at < ways.length ** 2 + ways.length);
}

/** A Node in which something ends the command as soon as it has written the first of its answer. */
function breakingNode({ home }: Workplace, how: string): Readonly<Record<string, string>> {
  const preload = join(home, "break.cjs");
  writeFileSync(
    preload,
    `const { write } = process.stdout;
     process.stdout.write = function (...args) {
       if (String(args[0]) !== "") queueMicrotask(() => { ${how} });
       return write.apply(this, args);
     };`,
  );
  const node = join(home, "node");
  writeFileSync(node, `#!/bin/sh\nexec ${process.execPath} --require ${preload} "$@"\n`);
  chmodSync(node, 0o755);
  return { INDUS_NODE: node };
}

describe("indus", () => {
  const lines = ROWS.map((row) => ({ row, line: row.args.join(" "), code: row.code }));
  it.each(
    rows(
      lines,
      firstOf(({ code }) => code),
    ),
  )("$line ends with $code", async ({ row }) => {
    const place = await createServedShared(row.script ?? []);
    await row.lay?.(place);
    // A process ends with what the command answers, which one row of each code shows.
    const isFirst = ROWS.findIndex(({ code }) => code === row.code) === ROWS.indexOf(row);
    const how = row.stdin === undefined ? {} : { stdin: row.stdin };
    const { code, stdout, stderr } = await (isFirst ? place.runAlone : place.run)(row.args, how);
    expect({ code, said: `${stdout}${stderr}` }).toEqual({
      code: row.code,
      said: expect.stringMatching(/\S/),
    });
  });

  describe.each(rows(breakingRows(), theFirst))("$line, when $way ends it", ({ row, how }) => {
    it("says so and ends with 70", async () => {
      const place = await createServedShared(row.script ?? []);
      await row.lay?.(place);
      const { code, stderr } = await place.run(row.args, {
        ...(row.stdin === undefined ? {} : { stdin: row.stdin }),
        env: breakingNode(place, how),
      });
      expect({ code, stderr }).toEqual({
        code: 70,
        stderr: expect.stringMatching(/This is a defect of indus/),
      });
    });
  });

  it("twin: without the watch, the same ends say 5, and nothing", LONG_ONLY, async () => {
    const place = createWorkplace();
    const unwatched = `process.removeAllListeners("exit"); ${BREAKS["an exit with a code of its own"]}`;
    const { code, stderr } = await place.run(["agents"], { env: breakingNode(place, unwatched) });
    expect({ code, stderr }).toEqual({ code: 5, stderr: "" });
  });

  it.each(
    rows(
      [
        ["SIGINT", 130],
        ["SIGTERM", 143],
        ["SIGHUP", 129],
      ] as const,
      theFirst,
    ),
  )("-p go ends with %s as %i", async (signal, expected) => {
    const reached = Promise.withResolvers<void>();
    const place = await createServedWorkplace(() => {
      reached.resolve();
      return { trouble: { kind: "silence", after: 0 } };
    });
    const { code } = await place.run(["-p", "go", ...MODEL], {
      onStart: (child) => void reached.promise.then(() => child.kill(signal)),
    });
    expect(code).toBe(expected);
    expect(place.entries().at(-1)).toMatchObject({ type: "end", how: "aborted" });
  });

  it.each(rows(["addons", "-p", "--json"], theFirst))(
    "%s is stopped by a signal while an addon hangs, as a shell names it: 130",
    async (way) => {
      const place = await createServedWorkplace([]);
      const hangs =
        'console.error("it hangs"); export async function register() { await new Promise(() => setInterval(() => 0, 1000)); }';
      place.file(".indus/addons/a.ts", hangs);
      const printed = (): string =>
        globSync("**/*.log", { cwd: place.home })
          .map((path) => readFileSync(join(place.home, path), "utf8"))
          .join("");
      let child: ChildProcess | undefined;
      const { code } = await place.run([way, ...(way === "addons" ? [] : ["go", ...MODEL]), "--grant", "a"], {
        onStart: (started) => {
          child = started;
          void until(() => printed().includes("it hangs")).then(() => started.kill("SIGINT"));
        },
      });
      expect([code, child?.signalCode]).toEqual([null, "SIGINT"]);
    },
  );
});

/** The command's output goes where the shell says; what it says of that is on stderr. */
function inShell(line: string): readonly [number | null, string] {
  const { home, cwd } = createWorkplace();
  const env = { PATH: process.env.PATH, HOME: home, INDUS_HOME: home };
  const ran = spawnSync("sh", ["-c", line, builtCommand()], { cwd, env, encoding: "utf8" });
  return [ran.status, ran.stderr];
}

describe("an answer that cannot be written", () => {
  const WAYS = ["--version", "--help", "doctor", "agents", "addons", "prompt"];

  it.runIf(existsSync("/dev/full")).each(rows(WAYS, (way) => way === "agents"))(
    "%s to a full disk: a fault, and a line that says so",
    (way) => {
      const [code, stderr] = inShell(`"$0" ${way} > /dev/full`);
      expect([code, stderr]).toEqual([
        1,
        expect.stringMatching(/^indus: the output could not be written: ENOSPC/),
      ]);
    },
  );

  it.runIf(existsSync("/dev/full"))("is said where programs speak, too", async () => {
    const { url, close } = await startModelServer([{ text: "The answer." }]);
    onTestFinished(close);
    const place = createWorkplace(url, { command: "/bin/sh" });
    const line = '"$0" -p hi --output-format stream-json --model anthropic/scripted > /dev/full';
    const { code, stderr } = await place.run(["-c", line, builtCommand()]);
    expect([code, stderr]).toEqual([1, expect.stringContaining("cannot write the output: ENOSPC")]);
  });

  it.skipIf(process.platform === "win32").each(rows([...WAYS, "-p hi"], (way) => way === "-p hi"))(
    "%s to an output that is closed: nothing is done, and a line says so (twin: to nowhere)",
    (way) => {
      const [code, stderr] = inShell(`"$0" ${way} >&-`);
      expect([code, stderr]).toEqual([1, expect.stringMatching(/^indus: standard output is closed/)]);
      if (way !== "-p hi") expect(inShell(`"$0" ${way} >/dev/null`)).toEqual([0, ""]);
    },
  );

  it.skipIf(process.platform === "win32").each(rows(WAYS, (way) => way === "agents"))(
    "%s to a reader that has left: no fault, and no word",
    (way) => {
      expect(inShell(`{ "$0" ${way}; echo $? > code; } | true; exit $(cat code)`)).toEqual([0, ""]);
    },
  );
});
