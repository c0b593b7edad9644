// What a session's log could not take: the person says where to write it, and nothing that they saw is lost or there twice. The real
// command in a pseudo-terminal, on a disk that is full, or read-only, while the test says so.

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { Entry } from "../../packages/induscode/src/conductor/contract.ts";
import { runtimeNode } from "../../scripts/setup.mjs";
import { createWorkplace, modelEnvironment, readLog, type Workplace } from "../support/indus.ts";
import { LONG_ONLY, rows, theFirst } from "../support/long-form.ts";
import type { Script } from "../support/model-server.ts";
import { type OpenedConsole, openPlainConsole, openRichConsole, RICH_IDLE } from "../support/open-console.ts";
import { createServedWorkplace } from "../support/served-workplace.ts";

const DISK = fileURLToPath(new URL("../support/faulty-disk.cjs", import.meta.url));
/** A path is on one row. */
const COLUMNS = 1_000;
const SEEN = "The answer is forty-two.";

interface FailingDisk {
  readonly env: Readonly<Record<string, string>>;
  /** Where a fresh folder for the session would be. */
  readonly temporary: string;
  readonly fail: () => void;
  readonly heal: () => void;
}

function failingDisk({ home }: Pick<Workplace, "home">, kind: "full" | "torn" | "read-only"): FailingDisk {
  const base = dirname(home);
  const [node, isFailing, temporary] = [join(base, "node"), join(base, "failing"), join(base, "temporary")];
  mkdirSync(temporary);
  writeFileSync(node, `#!/bin/sh\nexec '${runtimeNode()}' --require '${DISK}' "$@"\n`, { mode: 0o755 });
  return {
    env: {
      INDUS_NODE: node,
      FAULT: `${kind}:0`,
      FAULT_WHILE: isFailing,
      FAULT_FOLDER: join(home, "sessions"),
      FAULT_LOCKS: "yes",
      FAULT_NOTES: join(base, "notes"),
      TMPDIR: temporary,
    },
    temporary,
    fail: () => writeFileSync(isFailing, ""),
    heal: () => rmSync(isFailing),
  };
}

/** The disk fails just before the answer with {@link SEEN}. */
const answers =
  (disk: FailingDisk): Script =>
  (_, index) => {
    if (index === 1) disk.fail();
    return { text: ["Hello.", SEEN, "Gone on."][index] ?? "More." };
  };

/** The rich console keeps a history beside them. */
const sessionsOf = ({ home, logs }: Workplace): readonly string[] =>
  logs().filter((path) => path.startsWith(join(home, "sessions")));
const answersIn = (entries: readonly Entry[]): readonly string[] =>
  entries.flatMap((entry) => (entry.type === "assistant" ? JSON.stringify(entry.message.content) : []));
const said = (console: OpenedConsole, request: number): string =>
  JSON.stringify(console.server.requests[request]?.body.messages);

const CONSOLES = [
  {
    name: "rich",
    open: openRichConsole,
    idle: RICH_IDLE,
    asked: /indus asks\n[\s\S]*\[3\] leave it as it is[^\n]*\n *anthropic[^\n]*$/,
    folder: /Enter sends it[^\n]*\n *anthropic[^\n]*$/,
    enter: "",
  },
  {
    name: "plain",
    open: openPlainConsole,
    idle: /\n› ?$/,
    asked: /indus asks\n[\s\S]*\[3\] leave it as it is\n {2}1-3 › ?$/,
    folder: /Which folder[\s\S]*\n {2}› ?$/,
    enter: "\r",
  },
] as const;

const consoles = rows(CONSOLES, ({ name }) => name === "rich");

describe.each(consoles)("in the $name console", ({ open, idle, asked, folder, enter }) => {
  /** The session's second answer was seen, and could not be written. */
  async function afterTheAnswer(kind: "full" | "torn" = "full") {
    const place = createWorkplace();
    const disk = failingDisk(place, kind);
    const console = await open(answers(disk), { place, env: disk.env, idle, columns: COLUMNS });
    console.type("hello\r");
    await console.waitFor("Hello.");
    await console.waitFor(idle);
    return { ...console, console, disk };
  }

  it(
    "after room was made what was seen is written, once, and what was typed before the question answers nothing",
    LONG_ONLY,
    async () => {
      const { console, disk, place, type, answer, waitFor, screen } = await afterTheAnswer();
      type("the question\r1\r");
      await waitFor(asked);
      expect(screen()).toContain("ENOSPC");
      expect(screen()).toContain(SEEN);
      disk.heal();
      await answer(`1${enter}`);
      await waitFor(/The entries are written now\.[\s\S]*Send a line to continue\./);
      await waitFor(idle);
      type("go on\r");
      await waitFor("Gone on.");
      await waitFor(idle);
      expect(said(console, 2)).toContain(SEEN);
      expect(answersIn(place.entries()).filter((each) => each.includes(SEEN))).toHaveLength(1);
      expect(place.problems()).toEqual([]);
    },
  );

  it(
    "in another folder the same session goes on with all that was said, and is found there again",
    LONG_ONLY,
    async () => {
      const { console, place, server, type, answer, waitFor } = await afterTheAnswer();
      type("the question\r");
      await waitFor(asked);
      await answer(`2${enter}`);
      await waitFor(folder);
      await answer("kept\r");
      await waitFor("Send a line to continue.");
      await waitFor(idle);
      type("go on\r");
      await waitFor("Gone on.");
      await waitFor(idle);
      type("/quit\r");
      expect(await console.left).toBe(0);
      expect(said(console, 2)).toContain(SEEN);
      const [name = "", ...others] = readdirSync(join(place.cwd, "kept"));
      expect(others).toEqual([]);
      const moved = join(place.cwd, "kept", name);
      const [old = ""] = sessionsOf(place);
      expect(moved.endsWith(old.slice(dirname(old).length))).toBe(true); // the same id
      expect(readFileSync(moved, "utf8").startsWith(readFileSync(old, "utf8"))).toBe(true);
      expect(answersIn(readLog(moved)).filter((each) => each.includes(SEEN))).toHaveLength(1);
      const env = modelEnvironment(server.url);
      const verified = await place.run(["session", "verify", `kept/${name}`], { env });
      expect(verified).toMatchObject({
        code: 0,
        stdout: expect.stringContaining("Every request is explained"),
      });
      const again = await place.run(["-r", moved, "-p", "more", "--model", "anthropic/scripted"], { env });
      expect(again).toMatchObject({ code: 0, stdout: "More.\n" });
      expect(said(console, 3)).toContain(SEEN);
    },
  );

  it(
    "left as it is, it asks no more until the next line, which writes it where it can",
    LONG_ONLY,
    async () => {
      const { console, disk, place, type, answer, waitFor, screen } = await afterTheAnswer("torn");
      type("the question\r");
      await waitFor(asked);
      await answer(`3${enter}`);
      await waitFor(/are kept in memory until indus ends; your next line first tries to write them/);
      await waitFor(idle);
      const times = (): number => screen().split("indus asks").length - 1;
      expect(times()).toBe(1);
      type("go on\r");
      await waitFor(/indus asks[\s\S]*indus asks/);
      await waitFor(asked);
      type("\x03");
      await waitFor(/your next line[\s\S]*your next line/);
      await waitFor(idle);
      expect(times()).toBe(2);
      disk.heal();
      type("go on\r");
      await waitFor("Gone on.");
      await waitFor(idle);
      expect(said(console, 2)).toContain(SEEN);
      expect(answersIn(place.entries()).filter((each) => each.includes(SEEN))).toHaveLength(1);
      expect(place.problems()).toEqual([]);
    },
  );

  it("a home that cannot take the first line: Enter alone goes on in a fresh folder", LONG_ONLY, async () => {
    const place = createWorkplace();
    const disk = failingDisk(place, "read-only");
    disk.fail();
    const console = await open([{ text: SEEN }, { text: "More." }], {
      place,
      env: disk.env,
      idle,
      columns: COLUMNS,
    });
    const { type, answer, waitFor, screen } = console;
    type("the first line\r");
    await waitFor(asked);
    expect(screen()).toContain("EROFS");
    await answer(`2${enter}`);
    await waitFor(folder);
    await answer("\r");
    await waitFor("Your line is in the session, but unanswered");
    await waitFor(idle);
    type("go on\r");
    await waitFor(SEEN);
    await waitFor(idle);
    expect(said(console, 0)).toMatch(/the first line[\s\S]*go on/);
    expect(sessionsOf(place)).toEqual([]);
    const [fresh = "", ...others] = readdirSync(disk.temporary).filter((each) =>
      each.startsWith("indus-session-"),
    );
    expect(others).toEqual([]);
    const [name = ""] = readdirSync(join(disk.temporary, fresh)).filter((each) => each.endsWith(".jsonl"));
    const lines = readLog(join(disk.temporary, fresh, name)).filter(({ type }) => type === "user");
    expect(lines).toHaveLength(2);
    const questions = screen().split("indus asks").length;
    type("/new\r");
    await waitFor(`, in ${join(disk.temporary, fresh)}`);
    await waitFor(idle);
    type("another session\r");
    await waitFor(/another session[\s\S]*More\./);
    expect(screen().split("indus asks")).toHaveLength(questions);
    expect(readdirSync(join(disk.temporary, fresh)).filter((each) => each.endsWith(".jsonl"))).toHaveLength(
      2,
    );
    expect(sessionsOf(place)).toEqual([]);
  });

  it.each(rows(["full", "read-only"] as const, theFirst))(
    "a session of a home that is %s is gone on with: that is said, and its next line goes where the person says",
    async (kind) => {
      const { place, disk, old } = await earlierSession(kind);
      const before = readFileSync(old);
      const console = await open([{ text: "Gone on." }], {
        ...{ place, env: disk.env, idle, columns: COLUMNS },
        args: ["-c"],
      });
      const { type, answer, waitFor, screen } = console;
      expect(screen()).toContain(
        "It is open read-only; with your next line you choose where the session continues",
      );
      type("go on\r");
      await waitFor(asked);
      await answer(`2${enter}`);
      await waitFor(folder);
      await answer("kept\r");
      await waitFor("Your line is in the session, but unanswered");
      await waitFor(idle);
      type("what was it\r");
      await waitFor("Gone on.");
      await waitFor(idle);
      expect(said(console, 0)).toMatch(
        /the question[\s\S]*The answer is forty-two[\s\S]*go on[\s\S]*what was it/,
      );
      expect(readFileSync(old)).toEqual(before);
      const moved = join(place.cwd, "kept", basename(old));
      const verified = await place.run(["session", "verify", moved]);
      expect(verified).toMatchObject({
        code: 0,
        stdout: expect.stringContaining("Every request is explained"),
      });
    },
  );

  it(
    "a session that was opened for reading is written in its place once there is room",
    LONG_ONLY,
    async () => {
      const { place, disk } = await earlierSession("full");
      const { type, waitFor } = await open([{ text: "Gone on." }], {
        ...{ place, env: disk.env, idle, columns: COLUMNS },
        args: ["-c"],
      });
      disk.heal();
      type("go on\r");
      await waitFor("Gone on.");
      await waitFor(idle);
      expect(sessionsOf(place)).toHaveLength(1);
      expect(answersIn(place.entries())).toHaveLength(2);
      expect(place.problems()).toEqual([]);
    },
  );

  it(
    "another session does not take the place of one that still holds what could not be written",
    LONG_ONLY,
    async () => {
      const { disk, place, type, answer, waitFor } = await afterTheAnswer();
      type("the question\r");
      await waitFor(asked);
      await answer(`3${enter}`);
      await waitFor(/your next line first tries to write them/);
      await waitFor(idle);
      type("/new\r");
      await waitFor(
        /would lose entries that could not be written: send a line, then choose where to write them/,
      );
      await waitFor(idle);
      disk.heal();
      type("/new\r");
      await waitFor("New session:");
      await waitFor(idle);
      expect(answersIn(place.entries()).filter((each) => each.includes(SEEN))).toHaveLength(1);
      expect(place.problems()).toEqual([]);
    },
  );
});

/** A session whose disk fails before it is gone on with. */
async function earlierSession(kind: "full" | "read-only") {
  const place = await createServedWorkplace([{ text: SEEN }]);
  expect(await place.run(["-p", "the question", "--model", "anthropic/scripted"])).toMatchObject({ code: 0 });
  const disk = failingDisk(place, kind);
  disk.fail();
  const [old = ""] = sessionsOf(place);
  return { place, disk, old };
}

describe("where nobody can be asked", () => {
  it.each(rows([["-p"], ["--json", "-p"]], theFirst))(
    "%s with -c ends with why, before the model is asked",
    async (...how) => {
      const { place, disk, old } = await earlierSession("read-only");
      const run = await place.run([...how, "go on", "-c", "--model", "anthropic/scripted"], {
        env: disk.env,
      });
      expect(run.code).toBe(1);
      expect(run.stderr + run.stdout).toContain(`The session log ${old} cannot be written: EROFS`);
      expect(place.server.requests).toHaveLength(1);
    },
  );

  it("what only reads sessions works, and says so of what does not", LONG_ONLY, async () => {
    const { place, disk, old } = await earlierSession("read-only");
    const env = { ...disk.env, FAULT_FOLDER: place.home };
    const id = basename(old, ".jsonl");
    for (const args of [
      ["sessions"],
      ["sessions", "--json"],
      ["sessions", "search", "forty-two"],
      ["usage"],
      ["export", id, "-o", "-"],
      ["session", "verify"],
      ["session", "cassette", id, "-o", "tape.jsonl"],
      ["session", "rewind", id, "--to", "1"],
    ])
      expect(await place.run(args, { env }), args.join(" ")).toMatchObject({ code: 0, stderr: "" });
    const renamed = await place.run(["sessions", "rename", id, "a name"], { env });
    expect(renamed).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/cannot be written: EROFS[^\n]*\n$/),
    });
  });
});

describe("the twin", () => {
  it("where nobody is asked, what could not be written is lost", LONG_ONLY, async () => {
    let fail = (): void => undefined;
    const place = await createServedWorkplace((_, index) => {
      if (index === 0) fail();
      return { text: index === 0 ? SEEN : "Gone on." };
    });
    const disk = failingDisk(place, "full");
    fail = disk.fail;
    const model = ["--model", "anthropic/scripted"];
    const first = await place.run(["-p", "the question", ...model], { env: disk.env });
    expect(first).toMatchObject({ code: 1, stderr: expect.stringContaining("ENOSPC") });
    expect(first.stdout + first.stderr).not.toMatch(/asks|in memory/);
    disk.heal();
    expect(await place.run(["-p", "go on", "-c", ...model])).toMatchObject({ code: 0, stdout: "Gone on.\n" });
    expect(JSON.stringify(place.server.requests[1]?.body)).not.toContain(SEEN);
  });

  it("left as it is, it ends with the program", LONG_ONLY, async () => {
    const place = createWorkplace();
    const disk = failingDisk(place, "full");
    const { type, answer, waitFor, left } = await openPlainConsole(answers(disk), {
      place,
      env: disk.env,
      columns: COLUMNS,
    });
    type("hello\r");
    await waitFor(/Hello\.[\s\S]*\n› ?$/);
    type("the question\r");
    await waitFor(/1-3 › ?$/);
    await answer("3\r");
    await waitFor(/your next line[\s\S]*\n› ?$/);
    type("/quit\r");
    await left;
    expect(answersIn(place.entries()).join()).not.toContain(SEEN);
    expect(place.problems()).toEqual([]);
  });
});
