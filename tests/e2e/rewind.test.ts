// Checkpoints and rewind, by the real command: files that tools, commands and addons changed go back with the conversation.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Entry } from "../../packages/induscode/src/conductor/contract.ts";
import { LONG_ONLY, rows, theFirst } from "../support/long-form.ts";
import { isInstalled, lacks } from "../support/needs.ts";
import { createServedShared } from "../support/served-workplace.ts";
import { openTerminal } from "../support/terminal.ts";
import { untilHolds } from "../support/until.ts";

const MODEL = ["--model", "anthropic/scripted", "--permission-mode", "bypass"] as const;
const write = (path: string, content: string) => ({ calls: [{ name: "write", input: { path, content } }] });
const read = (path: string) => ({ calls: [{ name: "read", input: { path } }] });
const bash = (command: string) => ({ calls: [{ name: "bash", input: { command } }] });
const DONE = { text: "Done." };

type Turns = Parameters<typeof createServedShared>[0];

async function workplace(turns: Turns) {
  const place = await createServedShared(turns);
  place.settings({ localServers: [], checkpoints: "all" });
  const at = (path: string): string => join(place.cwd, path);
  const text = (path: string): string | undefined =>
    existsSync(at(path)) ? readFileSync(at(path), "utf8") : undefined;
  const say = (words: string, ...more: readonly string[]) => place.run(["-p", words, ...MODEL, ...more]);
  const rewind = (...args: readonly string[]) =>
    place.run([
      "session",
      "rewind",
      basename(place.logs().findLast((log) => !log.includes("/delegates/")) ?? "", ".jsonl"),
      ...args,
    ]);
  const checkpoints = (): readonly Entry[] => place.entries().filter(({ type }) => type === "checkpoint");
  return { ...place, at, text, say, rewind, checkpoints };
}

describe("indus session rewind", () => {
  it("shows what would change, takes files and conversation back, and undoes it", async () => {
    const place = await workplace([
      ...[
        write("new.txt", "made"),
        bash("printf changed > kept.txt; rm gone.txt; mkdir -p deep; printf x > deep/er.txt"),
        DONE,
      ],
      ...[write("new.txt", "again"), DONE],
    ]);
    const { text, say, rewind, logs, run, server } = place;
    place.file("kept.txt", "as it was");
    place.file("gone.txt", "still here");
    chmodSync(place.at("gone.txt"), 0o755);
    await say("change things");
    await say("and more", "-c");
    const [first = ""] = logs();
    const list = await rewind();
    expect(list.stdout).toMatch(/^2: and more \(1 file\)\n1: change things \(4 files\)\n/);
    expect(list.stdout).toContain(`indus session rewind ${basename(first, ".jsonl")} --to N`);
    const shown = await rewind("--to", "1");
    expect([shown.code, shown.stdout]).toEqual([
      0,
      expect.stringMatching(/4 files\n(?: {2}.*\n){4}Nothing was changed/),
    ]);
    expect(text("new.txt")).toBe("again");
    expect(logs()).toHaveLength(1);

    const done = await rewind("--to", "1", "--yes");
    expect([done.code, done.stderr]).toEqual([0, ""]);
    expect(["new.txt", "kept.txt", "gone.txt", "deep/er.txt"].map(text)).toEqual([
      undefined,
      "as it was",
      "still here",
      undefined,
    ]);
    expect(existsSync(place.at("deep"))).toBe(false);
    expect(statSync(place.at("gone.txt")).mode & 0o777).toBe(0o755);
    expect(logs()).toHaveLength(2);
    await say("what now?", "-c");
    expect(JSON.stringify(server.requests.at(-1)?.body)).not.toContain("change things");
    for (const log of logs())
      expect((await run(["session", "verify", basename(log, ".jsonl")])).code).toBe(0);

    const undone = await rewind("--undo");
    expect([undone.code, undone.stdout]).toEqual([
      0,
      expect.stringContaining(`indus -r ${basename(first, ".jsonl")}`),
    ]);
    expect(["new.txt", "kept.txt", "gone.txt", "deep/er.txt"].map(text)).toEqual([
      "again",
      "changed",
      undefined,
      "x",
    ]);
  });

  it.each([
    ["after it", "mine.txt", async () => undefined],
    ["between its turns", "between.txt", async () => undefined],
  ])("refuses over what the person changed %s, names it, and changes nothing", async (when, name) => {
    const place = await workplace([
      write(name, "one"),
      write("other.txt", "x"),
      DONE,
      bash(`printf three > ${name}`),
      DONE,
    ]);
    await place.say("first");
    if (when === "between its turns") place.file(name, "two, the person's");
    await place.say("second", "-c");
    if (when === "after it") place.file(name, "four, the person's");
    const before = place.text(name);
    const { code, stdout } = await place.rewind("--to", "1", "--yes");
    expect([code, stdout]).toEqual([
      1,
      expect.stringMatching(
        new RegExp(`refused\\n {2}! ${name} (has since been changed|was changed between)`),
      ),
    ]);
    expect([place.text(name), place.text("other.txt")]).toEqual([before, "x"]);
    expect(place.logs()).toHaveLength(1);
  });

  it("leaves alone what the person changed and no turn did, and what is ignored", LONG_ONLY, async () => {
    const place = await workplace([
      bash("printf b > a.txt; printf b > built/x.o; mkdir -p node_modules/m; printf b > node_modules/m/i.js"),
      DONE,
    ]);
    mkdirSync(place.at(".git"));
    place.file(".gitignore", "built/\n");
    place.file("a.txt", "a");
    place.file("built/x.o", "a");
    await place.say("build");
    place.file("own.txt", "the person's");
    expect((await place.rewind("--to", "1", "--yes")).code).toBe(0);
    expect(["a.txt", "built/x.o", "node_modules/m/i.js", "own.txt"].map(place.text)).toEqual([
      "a",
      "b",
      "b",
      "the person's",
    ]);
  });

  it("says which file was too large to keep, and leaves it as it is", LONG_ONLY, async () => {
    const place = await workplace([bash("printf b >> large.bin; printf b > small.txt"), DONE]);
    place.bytes("large.bin", Buffer.alloc(5 * 1024 * 1024, 1));
    place.file("small.txt", "a");
    await place.say("grow");
    const { code, stdout } = await place.rewind("--to", "1", "--yes");
    expect([code, stdout]).toEqual([0, expect.stringContaining("large.bin is not changed")]);
    expect([place.text("small.txt"), statSync(place.at("large.bin")).size]).toEqual([
      "a",
      5 * 1024 * 1024 + 1,
    ]);
  });

  it.each([
    ["a link to another file", "ln -sf other.txt it.txt", "precious"],
    [
      "a file that is too large to keep",
      "head -c 5000000 /dev/zero >> it.txt; echo mine >> other.txt",
      "preciousmine\n",
    ],
  ])("leaves alone %s, which it could not bring back, and so does undo", async (_what, command, other) => {
    const place = await workplace([write("it.txt", "small"), DONE, bash(command), DONE]);
    place.settings({ localServers: [] });
    place.file("other.txt", "precious");
    await place.say("write");
    await place.say("replace", "-c");
    const is = place.text("it.txt");
    const { code, stdout } = await place.rewind("--to", "2", "--yes");
    expect([code, stdout]).toEqual([0, expect.stringContaining("it.txt is not changed")]);
    expect(await place.rewind("--undo")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("Undone."),
    });
    expect([place.text("it.txt"), place.text("other.txt")]).toEqual([is, other]);
  });

  it(
    "what the person changes while the model answers after a command is the person's",
    LONG_ONLY,
    async () => {
      const answer = Promise.withResolvers<void>();
      const place = await workplace([
        bash("printf new > a.txt"),
        { ...DONE, trouble: { kind: "held", until: answer.promise } },
      ]);
      place.file("b.txt", "as it was");
      const said = place.say("go");
      const digest = createHash("sha256").update("new").digest("hex");
      await untilHolds(() =>
        expect(readdirSync(join(place.home, "checkpoints"), { recursive: true }).join()).toContain(digest),
      );
      place.file("b.txt", "the person's");
      answer.resolve();
      expect((await said).code).toBe(0);
      expect((await place.rewind("--to", "1", "--yes")).stdout).toContain(": 1 file\n");
      expect(["a.txt", "b.txt"].map(place.text)).toEqual([undefined, "the person's"]);
    },
  );

  it(
    "goes back step by step, also after an undo: what a rewind restored is nobody else's change",
    LONG_ONLY,
    async () => {
      const versions = ["A", "B", "C"];
      const place = await workplace([
        ...versions.flatMap((version) => [bash(`printf ${version} > a.txt`), DONE]),
      ]);
      for (const version of versions) await place.say(version, ...(version === "A" ? [] : ["-c"]));
      const back = async (...args: readonly string[]) => {
        const { code, stdout } = await place.rewind(...args);
        return [code, stdout.includes("!"), place.text("a.txt")];
      };
      expect(await back("--to", "3", "--yes")).toEqual([0, false, "B"]);
      expect(await back("--to", "2", "--yes")).toEqual([0, false, "A"]);
      expect(await back("--undo")).toEqual([0, false, "B"]);
      expect(await back("--to", "1", "--yes")).toEqual([0, false, undefined]);
    },
  );

  it("restores a folder that became a file, and a file that became a folder", LONG_ONLY, async () => {
    const place = await workplace([
      bash("rm -r folder; echo x > folder; rm file; mkdir -p file/deep; echo y > file/deep/er.txt"),
      DONE,
      bash("echo z > z.txt"),
      DONE,
    ]);
    place.file("folder/a.txt", "in it");
    place.file("file", "as it was");
    await place.say("swap");
    const next = await place.say("and more", "-c");
    expect(next.stderr).not.toContain("checkpoint");
    const done = await place.rewind("--to", "1", "--yes");
    expect([done.code, done.stdout]).toEqual([0, expect.not.stringContaining("!")]);
    expect(["folder/a.txt", "file", "z.txt"].map(place.text)).toEqual(["in it", "as it was", undefined]);
    expect((await place.rewind("--undo")).code).toBe(0);
    expect(["folder", "file/deep/er.txt", "z.txt"].map(place.text)).toEqual(["x\n", "y\n", "z\n"]);
  });

  it("leaves alone a folder in a file's place that holds what no turn made", LONG_ONLY, async () => {
    const place = await workplace([bash("rm file; mkdir file; echo y > file/made.txt"), DONE]);
    place.file("file", "as it was");
    await place.say("swap");
    mkdirSync(place.at("file/mine"));
    const { stdout } = await place.rewind("--to", "1", "--yes");
    expect(stdout).toContain("file is not changed");
    expect([place.text("file/made.txt"), existsSync(place.at("file/mine"))]).toEqual([undefined, true]);
  });

  it("says that a turn that a kill ended has no checkpoint", async () => {
    const place = await workplace([write("a.txt", "x"), DONE]);
    await place.say("go");
    const [log = ""] = place.logs();
    const lines = readFileSync(log, "utf8").trimEnd().split("\n");
    writeFileSync(
      log,
      `${lines
        .slice(
          0,
          lines.findIndex((line) => line.includes('"type":"checkpoint"')),
        )
        .join("\n")}\n`,
    );
    expect((await place.rewind("--to", "1")).stdout).toContain('it is unknown what the turn "go" changed');
  });

  it("says what a damaged log lacks, and does nothing with an empty one", LONG_ONLY, async () => {
    const place = await workplace([write("a.txt", "x"), DONE]);
    await place.say("go");
    const [log = ""] = place.logs();
    writeFileSync(log, `${readFileSync(log, "utf8")}no entry\n`);
    expect((await place.rewind()).stderr).toContain("has 1 damaged line, skipped");
    writeFileSync(log, "");
    expect(await place.rewind()).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("contains no readable entry"),
    });
  });

  it("never writes through a folder that has become a link", async () => {
    const place = await workplace([write("dir/a.txt", "new"), DONE]);
    await place.say("go");
    const outside = join(place.home, "outside");
    mkdirSync(outside);
    writeFileSync(join(outside, "a.txt"), "new");
    rmSync(place.at("dir"), { recursive: true });
    symlinkSync(outside, place.at("dir"));
    const [first = ""] = place.logs();
    const { code, stdout } = await place.rewind("--to", "1", "--yes");
    expect([code, readFileSync(join(outside, "a.txt"), "utf8")]).toEqual([1, "new"]);
    expect(stdout).toMatch(
      /^Nothing was changed: .+\nYou are now in session \S+; the earlier conversation is still in\s+\S+\./,
    );
    expect(stdout).toContain(`To continue the earlier conversation: indus -r ${basename(first, ".jsonl")}\n`);
    // The twin: by its path alone the file would be reached.
    rmSync(place.at("dir/a.txt"));
    expect(existsSync(join(outside, "a.txt"))).toBe(false);
  });

  it.skipIf(lacks("git", isInstalled("git")))(
    "touches neither git's index nor its history",
    LONG_ONLY,
    async () => {
      const place = await workplace([bash("printf b > a.txt"), write("c.txt", "c"), DONE]);
      place.file("a.txt", "a");
      const git = (...args: readonly string[]): string =>
        execFileSync("git", ["-c", "user.name=x", "-c", "user.email=x@example.invalid", ...args], {
          cwd: place.cwd,
          encoding: "utf8",
        });
      git("init", "-q");
      git("add", ".");
      git("commit", "-qm", "x");
      const state = () => [
        readFileSync(place.at(".git/index")).toString("base64"),
        readFileSync(place.at(".git/HEAD"), "utf8"),
        globSync("objects/**/*", { cwd: place.at(".git") }).sort(),
      ];
      const before = state();
      await place.say("go");
      expect((await place.rewind("--to", "1", "--yes")).code).toBe(0);
      expect(state()).toEqual(before);
      expect(git("status", "--porcelain")).toBe("");
    },
  );
});

it("a delegate's writes are taken back too", LONG_ONLY, async () => {
  const place = await workplace(({ rawBody }, index) => {
    if (rawBody.includes("You are the delegate"))
      return index % 2 === 1 ? write("by-delegate.txt", "new") : DONE;
    return index === 0 ? { calls: [{ name: "task", input: { agent: "maker", objective: "Write." } }] } : DONE;
  });
  place.file(
    ".indus/agents/maker.toml",
    'description = "Makes."\nwhen = "x"\ntools = ["write"]\nprompt = "Be brief."\n',
  );
  await place.say("hand on");
  expect(place.text("by-delegate.txt")).toBe("new");
  expect((await place.rewind("--to", "1", "--yes")).code).toBe(0);
  expect(place.text("by-delegate.txt")).toBeUndefined();
});

it("off, it writes nothing and says how to have it", LONG_ONLY, async () => {
  const place = await workplace([write("a.txt", "x"), bash("printf y > b.txt"), DONE]);
  place.settings({ localServers: [], checkpoints: "off" });
  await place.say("go");
  expect([place.checkpoints(), existsSync(join(place.home, "checkpoints"))]).toEqual([[], false]);
  const { stdout } = await place.run(["-c", ...MODEL], { stdin: "/rewind 1\n/quit\n" });
  expect(stdout).toContain('changes to files are not recorded: "checkpoints" is "off"');
});

describe("where nothing is set", () => {
  it("what calls wrote goes back, with what commands did to it since; of commands' other files it is said", async () => {
    const place = await workplace([
      ...[read("kept.txt"), write("a.txt", "one"), write("kept.txt", "new"), DONE],
      ...[bash("printf more >> a.txt; printf y > b.txt"), DONE],
      ...[read("a.txt"), write("a.txt", "three"), DONE],
    ]);
    place.settings({ localServers: [] });
    place.file("kept.txt", "as it was");
    await place.say("write");
    const own = await place.run(["-c", ...MODEL], { stdin: "command\nwrite again\n/rewind 1\n/quit\n" });
    expect(own.stdout).toMatch(
      /Before line 1, "write": 2 files\n[\s\S]*! changes that commands made to other/,
    );
    const done = await place.rewind("--to", "1", "--yes");
    expect([done.code, done.stderr]).toEqual([0, ""]);
    expect(["a.txt", "kept.txt", "b.txt"].map(place.text)).toEqual([undefined, "as it was", "y"]);
  });

  it(
    "a session that writes nothing keeps nothing, and nothing is said of commands it did not run",
    LONG_ONLY,
    async () => {
      const place = await workplace([bash("printf y > b.txt"), DONE, write("a.txt", "x"), DONE]);
      place.settings({ localServers: [] });
      await place.say("command");
      expect([place.checkpoints(), existsSync(join(place.home, "checkpoints"))]).toEqual([[], false]);
      await place.say("write");
      const { stdout } = await place.rewind("--to", "1");
      expect(stdout).toMatch(/Before line 1, "write": 1 file\n {2}removed {3}a\.txt\nNothing was changed/);
    },
  );
});

describe("/rewind", () => {
  it("in the plain console: lists, shows, does, undoes", async () => {
    const place = await workplace([write("a.txt", "x"), DONE]);
    const { stdout } = await place.run([...MODEL], {
      stdin: "make it\n/rewind\n/rewind 1\n/rewind 7\n/rewind soon\n/rewind apply 1\n/rewind undo\n/quit\n",
    });
    expect(stdout).toMatch(
      /1: make it \(1 file\)[\s\S]*Before line 1, "make it": 1 file\n {2}removed {3}a\.txt/,
    );
    expect(stdout).toContain("Nothing was changed yet. To go back: /rewind apply 1; for only the files");
    expect(stdout).toContain("You have entered 1 line in this session: choose from 1 to 1.");
    expect(stdout).toContain("Usage: /rewind N");
    expect(stdout).toMatch(/You are now in session \S+; the earlier conversation is still in\s+\S+/);
    expect(stdout).toContain("Undone.");
    expect(place.text("a.txt")).toBe("x");
  });

  it("in the rich console: a picker of the lines", LONG_ONLY, async () => {
    const place = await workplace([write("a.txt", "x"), DONE, DONE]);
    const terminal = openTerminal({ console: "rich", place, url: place.server.url, args: [...MODEL] });
    await terminal.waitFor("scripted");
    terminal.type("make it\r");
    await terminal.waitFor("Done.");
    terminal.type("/rewind");
    await terminal.waitFor("restore files, conversation");
    terminal.type("\r");
    await terminal.waitFor("1: make it (1 file)");
    terminal.type("\r");
    await terminal.waitFor(/Before line 1, "make it": 1 file[\s\S]*removed {3}a\.txt[\s\S]*❯ stay here/);
    terminal.type("\x1b[B");
    await terminal.waitFor(/❯ files and conversation[\s\S]*files only[\s\S]*conversation only/);
    terminal.type("\x1b[A\r");
    await terminal.waitFor("Nothing was changed.");
    expect(place.text("a.txt")).toBe("x");
    terminal.type("/rewind 1\r");
    await terminal.waitFor(/❯ stay here[\s\S]*Enter accepts/);
    terminal.type("\r"); // pressed without a look
    await terminal.waitFor(/(?:Nothing was changed\.[\s\S]*){2}/);
    expect(place.text("a.txt")).toBe("x");
    terminal.type("/rewind 1\r");
    await terminal.waitFor(/(?:Nothing was changed\.[\s\S]*){2}❯ stay here[\s\S]*Enter accepts/);
    terminal.type("\x1b[B\r");
    await terminal.waitFor(/You are now in session \S+; the earlier conversation is still in\s+\S+/);
    expect(place.text("a.txt")).toBeUndefined();
    terminal.type("/rewind undo\r");
    await terminal.waitFor("Undone.");
    expect(place.text("a.txt")).toBe("x");
  });
});

describe("one of the two", () => {
  it("files only: the conversation stays, the model is told, and the files come again by an undo", async () => {
    const place = await workplace([write("a.txt", "x"), DONE, { text: "I see." }]);
    const { stdout } = await place.run([...MODEL], {
      stdin: "make it\n/rewind apply 1 files\nand now?\n/rewind undo\n/quit\n",
    });
    expect(stdout).toMatch(
      /removed {3}a\.txt\nOnly files were restored; the conversation is not changed\. To undo it: \/rewind undo/,
    );
    const asked = JSON.stringify(place.server.requests.at(-1)?.body.messages);
    expect(asked).toMatch(/make it.*and now\?.*restored files of the working folder/);
    expect(stdout).toContain("Undone.");
    expect(place.text("a.txt")).toBe("x");
    expect(place.logs()).toHaveLength(1);
    expect(place.problems()).toEqual([]);
  });

  it(
    "/undo: the files of the last turn that changed some, then of the one before it, until none is left",
    LONG_ONLY,
    async () => {
      const place = await workplace([write("a.txt", "x"), DONE, write("b.txt", "y"), DONE, DONE]);
      const { stdout } = await place.run([...MODEL], {
        stdin: "/undo\nmake a\nmake b\nlook\n/undo\n/rewind undo\n/undo\n/undo\n/undo\n/quit\n",
      });
      expect(stdout).toContain("No turn of this session is known to have changed a file.");
      const undone = stdout.match(/Before line \d, "make \w": 1 file\n {2}removed {3}\w\.txt\nOnly files/g);
      expect(undone?.map((each) => each.slice(12, 26))).toEqual([
        '2, "make b": 1',
        '2, "make b": 1',
        '1, "make a": 1',
      ]);
      expect(stdout).toContain("Nothing is left to undo: ");
      expect([place.text("a.txt"), place.text("b.txt")]).toEqual([undefined, undefined]);
    },
  );

  it("a command of the person's own between two turns is no turn that was cut off", async () => {
    const place = await workplace([write("a.txt", "x"), DONE]);
    const { stdout } = await place.run([...MODEL, "--permission-mode", "bypass"], {
      stdin: "make a\n!echo mine\n/rewind apply 1 files\n/quit\n",
    });
    expect(stdout).toContain("removed   a.txt");
    expect(stdout).not.toContain("is unknown");
  });

  it(
    "conversation only: files stay, also those that somebody else changed, and can go back later",
    LONG_ONLY,
    async () => {
      const place = await workplace([
        ...[write("a.txt", "one"), DONE],
        ...[bash("printf two > a.txt"), DONE],
        ...[bash("printf three > a.txt"), DONE],
      ]);
      await place.say("first");
      await place.say("second", "-c");
      const shown = await place.rewind("--to", "2", "--conversation-only");
      expect(shown.stdout).toMatch(/only the conversation; files are not changed\nNothing was changed\./);
      const [first = ""] = place.logs();
      const gone = await place.rewind("--to", "2", "--conversation-only", "--yes");
      expect([gone.code, gone.stdout]).toEqual([
        0,
        expect.stringContaining(`indus -r ${basename(first, ".jsonl")}`),
      ]);
      expect(place.text("a.txt")).toBe("two");
      expect((await place.rewind("--undo")).stdout).toContain(
        "That rewind changed only the conversation, so there are no files to restore.",
      );
      expect(place.text("a.txt")).toBe("two");
      await place.say("third", "-c");
      expect(JSON.stringify(place.server.requests.at(-1)?.body.messages)).not.toContain("second");
      const back = await place.rewind("--to", "1", "--yes");
      expect([back.code, back.stdout]).toEqual([0, expect.stringContaining("removed   a.txt")]);
      expect(place.text("a.txt")).toBeUndefined();
    },
  );

  it("from outside, files only: the session stays the same one", LONG_ONLY, async () => {
    const place = await workplace([write("a.txt", "x"), DONE]);
    await place.say("make it");
    const done = await place.rewind("--to", "1", "--files-only", "--yes");
    expect([done.code, done.stdout]).toEqual([0, expect.stringContaining("Only files were restored")]);
    expect([place.text("a.txt"), place.logs().length]).toEqual([undefined, 1]);
    expect((await place.rewind("--undo")).code).toBe(0);
    expect(place.text("a.txt")).toBe("x");
  });

  it("where files are refused, the conversation alone can go back", LONG_ONLY, async () => {
    const place = await workplace([write("a.txt", "x"), DONE]);
    await place.say("make it");
    place.file("a.txt", "the person's");
    expect((await place.rewind("--to", "1", "--files-only", "--yes")).code).toBe(1);
    expect((await place.rewind("--to", "1", "--conversation-only", "--yes")).code).toBe(0);
    expect(place.text("a.txt")).toBe("the person's");
  });

  it.each(
    rows(
      [
        [["--files-only", "--conversation-only", "--to", "1"], "cannot be combined"],
        [["--files-only"], "--files-only needs --to"],
        [["--conversation-only", "--undo"], "--conversation-only needs --to"],
      ],
      theFirst,
    ),
  )("%j is refused", async (flags, why) => {
    const place = await workplace([DONE]);
    await place.say("hello");
    const { code, stderr } = await place.rewind(...flags);
    expect([code, stderr]).toEqual([2, expect.stringContaining(why)]);
  });
});
