// `indus blame`, by the real command: which session, turn, prompt and call wrote each line of a file as it is now.

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { putAnsweringAddon } from "../support/answering-addon.ts";
import { isInstalled, lacks } from "../support/needs.ts";
import { createServedShared } from "../support/served-workplace.ts";

const MODEL = ["--model", "anthropic/scripted", "--permission-mode", "bypass"] as const;
const write = (path: string, content: string) => ({ calls: [{ name: "write", input: { path, content } }] });
const edit = (path: string, oldText: string, newText: string) => ({
  calls: [{ name: "edit", input: { path, oldText, newText } }],
});
const read = (path: string) => ({ calls: [{ name: "read", input: { path } }] });
const bash = (command: string) => ({ calls: [{ name: "bash", input: { command } }] });
const lacksGit = lacks("git", isInstalled("git"));
const DONE = { text: "Done." };

interface Blamed {
  readonly lines: readonly {
    readonly line: number;
    readonly text: string;
    readonly origin: number | null;
    readonly commit?: { readonly summary: string };
  }[];
  readonly origins: readonly {
    readonly kind: string;
    readonly session: string;
    readonly isDelegate: boolean;
    readonly turn: number;
    readonly said: string;
    readonly call?: {
      readonly tool: string;
      readonly title: string;
      readonly changedBy: readonly string[];
      readonly allowed?: string;
    };
    readonly maybe?: readonly { readonly tool: string; readonly title: string }[];
  }[];
  readonly notes: readonly string[];
}

async function workplace(turns: Parameters<typeof createServedShared>[0], checkpoints = "edits") {
  const place = await createServedShared(turns);
  place.settings({ localServers: [], checkpoints });
  const say = (words: string, ...more: readonly string[]) => place.run(["-p", words, ...MODEL, ...more]);
  const blame = async (...args: readonly string[]): Promise<Blamed> => {
    const { code, stdout, stderr } = await place.run(["blame", ...args, "--json"]);
    expect([code, stderr]).toEqual([0, ""]);
    return JSON.parse(stdout) as Blamed;
  };
  /** `1 one < write in "first"` for each line. */
  const told = async (file: string): Promise<readonly string[]> => {
    const { lines, origins } = await blame(file);
    return lines.map(({ text, origin, commit }) => {
      const by = origin === null ? undefined : origins[origin];
      if (!by) return `${text} < ${commit?.summary ?? "nobody"}`;
      const how = by.call?.tool ?? `maybe ${by.maybe?.map(({ title }) => title).join(" or ")}`;
      return `${text} < ${how} in "${by.said}"`;
    });
  };
  const git = (...words: readonly string[]): string =>
    execFileSync("git", ["-c", "user.name=Ann", "-c", "user.email=ann@localhost", ...words], {
      cwd: place.cwd,
      encoding: "utf8",
    });
  return { ...place, say, blame, told, git };
}

describe("indus blame FILE", () => {
  it("tells of every line by what call, in which turn of which session, and which lines nobody wrote", async () => {
    const { say, told, run, file, cwd, logs } = await workplace([
      ...[read("a.txt"), edit("a.txt", "two", "2\nand more"), DONE],
      ...[read("a.txt"), edit("a.txt", "four", "4"), bash("sed -i 's/one/1/' a.txt"), DONE],
    ]);
    file("a.txt", "one\ntwo\nthree\nfour\n");
    await say("change the second");
    await say("change the fourth", "-c");
    writeFileSync(join(cwd, "a.txt"), `zero\n${readFileSync(join(cwd, "a.txt"), "utf8")}`);
    expect(await told("a.txt")).toEqual([
      "zero < nobody",
      `1 < maybe sed -i 's/one/1/' a.txt in "change the fourth"`,
      `2 < edit in "change the second"`,
      `and more < edit in "change the second"`,
      "three < nobody",
      `4 < edit in "change the fourth"`,
    ]);
    const { stdout } = await run(["blame", "a.txt:3"]);
    expect(stdout).toMatch(
      new RegExp(
        String.raw`^3 {2}a {2}2\n\na {2}session ${basename(logs()[0] ?? "", ".jsonl")}, turn 1, .* UTC: "change the second"\n {3}edit a\.txt \(entry \d+\)\n {3}the permission mode is bypass\n$`,
      ),
    );
    expect((await run(["blame", "a.txt:2"])).stdout).toContain(
      "a command of turn 2: sed -i 's/one/1/' a.txt\n",
    );
    expect((await run(["blame", "a.txt:1-2"])).stdout.split("\n\n")[0]?.split("\n")).toHaveLength(2);
  });

  it.skipIf(lacksGit).each([
    ["git mv, edited in the same turn", "git mv old.txt new.txt", "edits"],
    ["a rename of its folder", "mkdir deep; mv old.txt deep/new.txt; mv deep/new.txt new.txt", "all"],
  ])("follows moves: %s", async (_how, command, checkpoints) => {
    const { say, told, git } = await workplace(
      [
        ...[write("old.txt", "alpha one\nbeta two\ngamma three\n"), DONE],
        ...[bash(command), read("new.txt"), edit("new.txt", "beta two", "beta 2"), DONE],
      ],
      checkpoints,
    );
    git("init", "-q");
    await say("make it");
    git("add", ".");
    git("commit", "-qm", "made");
    await say("move it", "-c");
    expect(await told("new.txt")).toEqual([
      `alpha one < write in "make it"`,
      `beta 2 < edit in "move it"`,
      `gamma three < write in "make it"`,
    ]);
  });

  it("follows a move that no session made, and another one before it", async () => {
    const { say, told, cwd } = await workplace([
      ...[write("a.txt", "alpha one\nbeta two\ngamma three\n"), DONE],
      ...[bash("mv a.txt b.txt"), read("b.txt"), edit("b.txt", "gamma three", "gamma 3"), DONE],
    ]);
    await say("make it");
    await say("move it", "-c");
    renameSync(join(cwd, "b.txt"), join(cwd, "c.txt"));
    writeFileSync(join(cwd, "c.txt"), `${readFileSync(join(cwd, "c.txt"), "utf8")}mine\n`);
    expect(await told("c.txt")).toEqual([
      `alpha one < write in "make it"`,
      `beta two < write in "make it"`,
      `gamma 3 < edit in "move it"`,
      "mine < nobody",
    ]);
  });

  it("after a rewind, a line is again of whoever wrote it before", async () => {
    const { say, told, run, logs } = await workplace([
      ...[write("a.txt", "alpha one\nbeta two\n"), DONE],
      ...[write("a.txt", "other\n"), DONE],
    ]);
    await say("make it");
    await say("spoil it", "-c");
    expect(await told("a.txt")).toEqual([`other < write in "spoil it"`]);
    const id = basename(logs()[0] ?? "", ".jsonl");
    expect((await run(["session", "rewind", id, "--to", "2", "--yes"])).code).toBe(0);
    expect(await told("a.txt")).toEqual([`alpha one < write in "make it"`, `beta two < write in "make it"`]);
  });

  it("names the addon that changed a call, and masks a secret that is known now", async () => {
    const place = await workplace([write("a.txt", "the model's\n"), DONE]);
    await putAnsweringAddon(place, "ts", {
      events: { "tool:before": { args: { path: "a.txt", content: "the addon's canary-value-77aa21\n" } } },
      asks: ['kind = "files"', "write = true", 'reason = "test"'],
    });
    const { code, stderr } = await place.say("make it", "--grant", "answers");
    expect([code, stderr]).toEqual([0, expect.stringContaining("write a.txt")]);
    const env = { LATE_API_KEY: "canary-value-77aa21" };
    const { stdout } = await place.run(["blame", "a.txt"], { env });
    expect(stdout).toContain("the addon's [secret LATE_API_KEY]");
    expect(stdout).toContain("changed by project:answers at tool:before\n");
    const json = await place.run(["blame", "a.txt", "--json"], { env });
    expect(json.stdout).not.toContain("canary-value-77aa21");
  });

  it("finds a delegate's session, and one that began in a folder below or was forked", async () => {
    let main = 0;
    const { say, told, run, file, cwd, logs } = await workplace(({ rawBody }) => {
      if (rawBody.includes("You are the delegate"))
        return rawBody.includes("Wrote") || rawBody.includes("tool_result")
          ? DONE
          : write("deep/a.txt", "alpha one\n");
      const turns = [
        { calls: [{ name: "task", input: { agent: "scribe", objective: "Write it down." } }] },
        ...[DONE, read("a.txt"), edit("a.txt", "alpha one\n", "alpha one\nbeta two\n"), DONE, DONE],
      ];
      return turns[main++];
    });
    file("deep/x", "");
    file(
      ".indus/agents/scribe.toml",
      `description = "Writes."\nwhen = "asked."\ntools = ["write"]\nprompt = "Be brief."\n`,
    );
    await say("have it written");
    await say("add to it", "--cwd", join(cwd, "deep"));
    const last = basename(logs().find((log) => log.includes("-deep-")) ?? "", ".jsonl");
    await say("go on", "--cwd", join(cwd, "deep"), "-r", last, "--fork");
    expect(await told("deep/a.txt")).toEqual([
      `alpha one < write in "Write it down."`,
      `beta two < edit in "add to it"`,
    ]);
    expect((await run(["blame", "deep/a.txt:1"])).stdout).toContain("(a delegate's), turn 1");
  });

  it("says of what commands made that a command of the turn made it", async () => {
    const { say, run } = await workplace([bash("printf 'one\\n' > a.txt"), bash("ls"), DONE], "all");
    await say("make it");
    expect((await run(["blame", "a.txt"])).stdout).toContain(
      "\n   a command of turn 1: printf 'one\\n' > a.txt\n",
    );
  });

  it("knows what calls say of themselves where no checkpoint is kept", async () => {
    const { say, told, file } = await workplace(
      [
        ...[read("a.txt"), edit("a.txt", "row 20\n", "twenty\n}\n"), DONE],
        ...[read("a.txt"), edit("a.txt", "row 5\n", "five\n"), edit("a.txt", "twenty", "twenty!"), DONE],
      ],
      "off",
    );
    file("a.txt", Array.from({ length: 30 }, (_, at) => `row ${at}\n}\n`).join(""));
    await say("first");
    await say("second", "-c");
    const by = (await told("a.txt")).filter((line) => !line.endsWith("nobody"));
    expect(by).toEqual([`five < edit in "second"`, `twenty! < edit in "second"`, `} < edit in "first"`]);
  });
});

describe.skipIf(lacksGit)("indus blame --commit", () => {
  it("counts for each file the lines of each turn, and those of nobody, as of that commit", async () => {
    const { say, git, cwd, run } = await workplace([
      ...[write("a.txt", "one\ntwo\nthree\n"), write("b.txt", "b\n"), DONE],
      ...[write("a.txt", "all\nelse\n"), DONE],
    ]);
    git("init", "-q");
    await say("make them");
    writeFileSync(join(cwd, "a.txt"), `${readFileSync(join(cwd, "a.txt"), "utf8")}mine\n`);
    git("add", ".");
    git("commit", "-qm", "made");
    await say("change it", "-c");
    const { stdout, stderr, code } = await run(["blame", "--commit", "HEAD"]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout.replaceAll(/[0-9a-f]{40}|\d{8}-\S+?(?=,)/g, "X")).toBe(
      `commit X: 5 lines added, 4 by sessions, 1 without a source in any log

a.txt: 4 lines added
  3  session X, turn 1: "make them"
  1  no session

b.txt: 1 line added
  1  session X, turn 1: "make them"
`,
    );
    expect(await run(["blame", "--commit", "nowhere"])).toMatchObject({
      code: 1,
      stderr: `indus: ${cwd} has no commit "nowhere"\n`,
    });
  });
});

it.skipIf(lacksGit)("runs nothing that the repository names", async () => {
  const { git, file, run, cwd } = await workplace([]);
  file("a.txt", "one\n");
  file(".gitattributes", "*.txt diff=t filter=t\n");
  git("init", "-q");
  git("add", ".");
  git("commit", "-qm", "made");
  git("config", "diff.t.textconv", "touch ran; cat");
  git("blame", "a.txt"); // git alone runs it
  expect(existsSync(join(cwd, "ran"))).toBe(true);
  rmSync(join(cwd, "ran"));
  for (const args of [["a.txt"], ["--commit", "HEAD"]])
    expect((await run(["blame", ...args])).stdout).toContain("no session");
  expect(existsSync(join(cwd, "ran"))).toBe(false);
});

it.skipIf(lacksGit)("a commit of no time that a calendar has costs nothing", async () => {
  const { git, file, run } = await workplace([]);
  file("a.txt", "one\n");
  git("init", "-q");
  git("add", ".");
  git("-c", "user.useConfigOnly=false", "commit", "-qm", "made", "--date", "@9999999999999 +0000");
  expect(await run(["blame", "a.txt"])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("at an invalid time"),
  });
});

it("says when a log that it rests on is damaged", async () => {
  const { say, run, logs } = await workplace([write("a.txt", "one\n"), DONE]);
  await say("make it");
  const [log = ""] = logs();
  const lines = readFileSync(log, "utf8").split("\n");
  writeFileSync(log, lines.map((line, at) => (at === 3 ? `{"x":${line.slice(0, -9)}` : line)).join("\n"));
  const { stdout, stderr } = await run(["blame", "a.txt"]);
  expect(stdout).toContain(`"make it"`);
  expect(stderr).toBe(
    `indus: The session ${basename(log, ".jsonl")}, on which this result depends: The log has 1 damaged line, skipped. To see all: indus session verify ${basename(log, ".jsonl")}\n`,
  );
});

it.each([
  [[], 2, "blame needs"],
  [["a.txt", "--commit", "HEAD"], 2, "--commit"],
  [["a.txt:4"], 2, "a.txt has 1 line; expected a number from 1 to 1, or FROM-TO, found 4"],
  [["a.txt:0"], 2, "found 0"],
  [["a.txt:1-0"], 2, "found 1-0"],
  [["nothing.txt"], 1, "nothing.txt cannot be read: "],
  [["."], 2, "is a folder; expected a file"],
  [["b.bin"], 1, "is not text"],
] as const)("%j is refused in words", async (args, code, words) => {
  const { run, file, bytes } = await workplace([]);
  file("a.txt", "one\n");
  bytes("b.bin", new Uint8Array([1, 0, 2]));
  const done = await run(["blame", ...args]);
  expect([done.code, done.stdout]).toEqual([code, ""]);
  expect(done.stderr).toContain(words);
});
