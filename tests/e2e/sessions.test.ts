// `indus sessions`: list, search, rename, trash and prune, by the real command.

import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { SessionFacts } from "../../packages/induscode/src/conductor/session-facts.ts";
import { columnsOf } from "../../packages/induscode/src/console/columns.ts";
import { LONG_ONLY, rows, theFirst } from "../support/long-form.ts";
import { isRoot, lacks } from "../support/needs.ts";
import { createServedShared } from "../support/served-workplace.ts";
import { until } from "../support/until.ts";

const MODEL = ["--model", "anthropic/x"] as const;
const idOf = (log: string): string => basename(log, ".jsonl");

async function twoSessions() {
  const place = await createServedShared(({ rawBody }) =>
    rawBody.includes("leak") ? { text: 'The pool is "never" drained.' } : { text: "Grün." },
  );
  await place.run(["-p", "find the leak\nin the pool", ...MODEL]);
  await place.run(["-p", "name a colour", ...MODEL]);
  const [leak = "", colour = ""] = place.logs();
  return { ...place, leak, colour };
}

const facts = (stdout: string): readonly (SessionFacts & { readonly excerpt?: string })[] =>
  JSON.parse(stdout) as readonly SessionFacts[];

describe("the list", () => {
  it("has the newest first, with title, lines, state and folder", async () => {
    const { run, leak, colour, cwd } = await twoSessions();
    await run(["-p", "-r", idOf(leak), "and now?", ...MODEL]);
    const { stdout } = await run(["sessions"]);
    const [first = "", second = ""] = stdout.split("\n");
    expect(first).toMatch(new RegExp(`^${idOf(leak)} +0 min ago +2 turns +complete +find the leak$`));
    expect(second).toMatch(new RegExp(`^${idOf(colour)} +0 min ago +1 turn +complete +name a colour$`));
    expect(facts((await run(["sessions", "--json"])).stdout)).toMatchObject([
      { id: idOf(leak), path: leak, folder: cwd, title: "find the leak", turns: 2, state: "complete" },
      { id: idOf(colour), turns: 1 },
    ]);
  });

  it("has its columns below each other, also behind a folder in wide characters", async () => {
    const { run, cwd } = await twoSessions();
    const wide = join(cwd, "日本語");
    mkdirSync(wide);
    await run(["-p", "wide", "--cwd", wide, ...MODEL]);
    const { stdout } = await run(["sessions", "--all"]);
    const columns = ["wide", "name a colour", "find the leak"].map((title) => {
      const line = stdout.split("\n").find((each) => each.endsWith(`  ${title}`)) ?? "";
      return columnsOf(line.slice(0, -title.length));
    });
    expect(columns).toEqual(Array(3).fill(columns[0]));
    expect(columns[0]).toBeGreaterThan(cwd.length);
  });

  it("says that there is none, and where others are", async () => {
    const { run, cwd, ...place } = await twoSessions();
    mkdirSync(join(cwd, "deep"));
    const here = ["--cwd", join(cwd, "deep")];
    expect((await run(["sessions", ...here])).stdout).toContain("No sessions in this folder yet");
    const all = await run(["sessions", "--all", ...here]);
    expect(all.stdout.split("\n").filter((line) => line.includes(cwd))).toHaveLength(place.logs().length);
  });

  it(
    "tells how one ended: running, broken off, faulted, a fork, one that cannot be read",
    LONG_ONLY,
    async () => {
      const hold = Promise.withResolvers<void>();
      const place = await createServedShared(({ rawBody }) =>
        rawBody.includes("stay with me")
          ? { text: "x", trouble: { kind: "held", until: hold.promise } }
          : { trouble: { kind: "status", status: 400, message: "no" } },
      );
      const { run } = place;
      await run(["-p", "fail", ...MODEL]);
      const [log = ""] = place.logs();
      const waiting = run(["-p", "stay with me", "-c", "--fork", ...MODEL]);
      await until(() => place.server.requests.length === 2);
      writeFileSync(
        join(dirname(log), "broken.jsonl"),
        '{"n":0,"at":1,"type":"session","v":9,"id":"broken"}\n',
      );
      const states = async (): Promise<unknown> =>
        facts((await run(["sessions", "--json"])).stdout).map(({ state, parent }) => [state, parent]);
      expect(await states()).toEqual([
        ["running", idOf(log)],
        ["faulted", undefined],
        ["unreadable", undefined],
      ]);
      const { code, stderr } = await run(["sessions", "rm", idOf(place.logs().at(-2) ?? "")]);
      expect([code, stderr]).toEqual([1, expect.stringContaining("is open in another process")]);
      hold.resolve();
      await waiting;
      const text = readFileSync(log, "utf8").trimEnd().split("\n").slice(0, -1).join("\n");
      writeFileSync(log, `${text}\n`);
      expect(await states()).toContainEqual(["broken off", undefined]);
    },
  );
});

describe("search", () => {
  it.each(
    rows(
      [
        ["leak", "leak"],
        ["POOL drained", "leak"],
        ['"never"', "leak"],
        ["grün", "colour"],
      ],
      theFirst,
    ),
  )("finds what was said: %s", async (words, which) => {
    const place = await twoSessions();
    const { stdout } = await place.run(["sessions", "search", words, "--json"]);
    expect(facts(stdout).map(({ path }) => path)).toEqual([place[which as "leak" | "colour"]]);
    const [first = ""] = words.split(" ");
    expect(facts(stdout)[0]?.excerpt?.toLowerCase()).toContain(first.toLowerCase());
    const sentence =
      which === "leak" ? /\n {4}(?:The pool is "never" drained\.|find the leak)\n/ : /\n {4}Grün\.\n/;
    expect((await place.run(["sessions", "search", words])).stdout).toMatch(sentence);
  });

  const SAID_BY_NOBODY = ["leak colour", "working directory", "a.c", "(", "\\", "content", "submit", "npool"];
  it.each(rows(SAID_BY_NOBODY, theFirst))(
    "finds nothing that nobody said, nor a pattern: %s",
    async (words) => {
      const { run } = await twoSessions();
      expect(await run(["sessions", "search", words])).toMatchObject({
        code: 0,
        stdout: `No session contains "${words}".\n`,
      });
    },
  );
});

it("is not searched without a word where its folder cannot be read", async () => {
  const { run, home } = await twoSessions();
  renameSync(join(home, "sessions"), join(home, "elsewhere"));
  symlinkSync("sessions", join(home, "sessions")); // leads to itself
  const { code, stdout, stderr } = await run(["sessions", "search", "leak"]);
  expect([code, stdout, stderr]).toEqual([
    1,
    "",
    expect.stringMatching(/^indus: the sessions in \S+ cannot be searched: ELOOP/),
  ]);
});

it.skipIf(lacks("not root", !isRoot))(
  "the others are searched where one cannot be read, which is named",
  async () => {
    const { run, leak, colour } = await twoSessions();
    chmodSync(colour, 0);
    expect(await run(["sessions", "search", "the pool"])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(idOf(leak)),
      stderr: `indus: not searched: ${colour}: Permission denied (os error 13)\n`,
    });
  },
);

it("shows the place of a word that comes late in a long log", LONG_ONLY, async () => {
  const { run, colour } = await twoSessions();
  const entry = (n: number, text: string) =>
    `${JSON.stringify({ n, at: 1, type: "user", via: "submit", content: [{ kind: "text", text }] })}\n`;
  const long = entry(90, "é".repeat(5 * 1024 * 1024));
  appendFileSync(colour, `${long}${entry(91, "then came the needle, at last")}`);
  const { stdout } = await run(["sessions", "search", "needle", "--json"]);
  expect(facts(stdout).map(({ excerpt }) => excerpt)).toEqual(["then came the needle, at last"]);
});

it(
  "what a call was given and answered is found, the names of its fields are not, and the excerpt is the text alone",
  LONG_ONLY,
  async () => {
    const input = { command: "printf 'one\ntwo'; expr 40 + 2" };
    const { run } = await createServedShared([{ calls: [{ name: "bash", input }] }, { text: "Done." }]);
    await run(["-p", "go", ...MODEL, "--permission-mode", "bypass"]);
    const excerpts = async (word: string) =>
      facts((await run(["sessions", "search", word, "--json"])).stdout).map(({ excerpt }) => excerpt);
    expect(await excerpts("printf")).toEqual(["printf 'one"]);
    expect(await excerpts("TWO")).toEqual(["two'; expr 40 + 2"]);
    expect(await excerpts("two42")).toEqual(["two42"]);
    for (const field of ["command", "usage", "durationMs"]) expect(await excerpts(field)).toEqual([]);
  },
);

it("what is done between turns leaves a session as it ended", async () => {
  const { run, leak } = await twoSessions();
  const done = await run(["session", "rewind", idOf(leak), "--to", "1", "--yes"]);
  expect(done.code).toBe(0);
  await run(["-p", "-r", idOf(leak), "and now?", ...MODEL]);
  expect((await run(["session", "rewind", idOf(leak), "--to", "2", "--yes"])).code).toBe(0);
  const { stdout } = await run(["sessions", "--json"]);
  expect(facts(stdout).map(({ state }) => state)).toEqual(["complete", "complete", "complete", "complete"]);
});

it("a trash that cannot be made is told as it is, and the session stays", async () => {
  const { run, leak } = await twoSessions();
  symlinkSync("nowhere/at/all", join(dirname(leak), "trash"));
  const { code, stderr } = await run(["sessions", "rm", idOf(leak)]);
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(
      /^indus: the session \S+ cannot be moved to the trash: (?!ENOENT: no such file or directory, mkdir)/,
    ),
  ]);
  expect(existsSync(leak)).toBe(true);
});

it("a name stands in the list, can be searched, and does not make a session newer", async () => {
  const { run, leak, colour } = await twoSessions();
  expect((await run(["sessions", "rename", idOf(leak), "The pool"])).code).toBe(0);
  expect((await run(["sessions"])).stdout).toMatch(/colour\n.*The pool\n/);
  const found = await run(["sessions", "search", "the pool", "--json"]);
  expect(facts(found.stdout).map(({ title }) => title)).toEqual(["The pool"]);
  expect((await run(["session", "verify", idOf(leak)])).code).toBe(0);
  await run(["-p", "-c", "go on", ...MODEL]);
  expect(readFileSync(colour, "utf8")).toContain("go on");
});

it(
  "one that is thrown away is neither listed nor gone on with, and can be taken back",
  LONG_ONLY,
  async () => {
    const { run, logs, colour, leak } = await twoSessions();
    const before = readFileSync(colour);
    const { stdout } = await run(["sessions", "rm", idOf(colour)]);
    expect(stdout).toContain(`indus sessions restore ${idOf(colour)}`);
    expect(facts((await run(["sessions", "--json", "--all"])).stdout).map(({ path }) => path)).toEqual([
      leak,
    ]);
    expect((await run(["sessions", "search", "colour"])).stdout).toContain("No session contains");
    expect((await run(["-p", "x", "-r", idOf(colour), ...MODEL])).code).toBe(1);
    expect((await run(["sessions", "restore", idOf(colour)])).code).toBe(0);
    expect(readFileSync(colour)).toEqual(before);
    expect(logs()).toHaveLength(2);
  },
);

it.each(
  rows(
    [
      ["sessions", "rm", ""],
      ["sessions", "restore", ""],
      ["sessions", "rm", "", "--all"],
      ["sessions", "rename", "", "x"],
      ["session", "rewind", "", "--to", "1", "--yes"],
      ["session", "verify", ""],
      ["export", ""],
    ],
    theFirst,
  ),
)("an empty id names no session, not even the only one: %j", async (...args) => {
  const { run, logs, leak } = await twoSessions();
  await run(["sessions", "rm", idOf(leak)]);
  const held = (): readonly string[] => logs().flatMap((log) => [log, readFileSync(log, "utf8")]);
  const before = held();
  const { code, stderr } = await run(args);
  expect([code, stderr]).toEqual([2, expect.stringMatching(/^indus: an argument is empty; usage: indus /)]);
  expect(held()).toEqual(before);
});

it("prune moves what is old to the trash, and only what lay there for 30 days away", async () => {
  const { run, leak, colour } = await twoSessions();
  writeFileSync(
    leak,
    readFileSync(leak, "utf8").replaceAll(/^(\{"n":\d+,"at":)\d+/gm, (_, head) => `${head}1000`),
  );
  expect((await run(["sessions", "prune", "--older-than", "30d"])).stdout).toContain("1 session moved");
  expect(facts((await run(["sessions", "--json"])).stdout).map(({ path }) => path)).toEqual([colour]);
  expect((await run(["sessions", "prune", "--older-than", "30d"])).stdout).toBe(
    "0 sessions moved to the trash.\n",
  );
  const thrown = join(dirname(leak), "trash", basename(leak));
  utimesSync(thrown, 1_000, 1_000);
  expect((await run(["sessions", "prune", "--older-than", "30d"])).stdout).toContain(
    "1 session deleted from the trash",
  );
  expect((await run(["sessions", "restore", idOf(leak)])).code).toBe(1);
});
