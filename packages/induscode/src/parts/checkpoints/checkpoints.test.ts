import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { localFs } from "indusagi/capabilities";
import { useWallClock } from "indusagi/core";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import * as fc from "../../../../../tests/support/fast-check.ts";
import { LONG_ONLY } from "../../../../../tests/support/long-form.ts";
import type { CheckpointEntry } from "../../conductor/contract.ts";
import type { Access } from "../../feature/tool.ts";
import { notedFiles } from "../../session/noted-files.ts";
import { HOME_FILES, homePath } from "../../store/home-files.ts";
import { createCheckpoints } from "./checkpoints.ts";
import { createFileContents, pruneContents } from "./file-contents.ts";
import { createLazyCheckpoints } from "./lazy-checkpoints.ts";
import { TICK_MS } from "./seen-file.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

function place(
  files: Readonly<Record<string, string>> = { "a.txt": "one", "b.txt": "two", "c.txt": "three" },
) {
  const base = mkdtempSync(join(tmpdir(), "indus-checkpoints-"));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const [home, cwd] = [join(base, "home"), join(base, "work")];
  mkdirSync(cwd);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), text);
  }
  const told: string[] = [];
  const session = (maxFiles?: number) =>
    createCheckpoints({
      home,
      cwd,
      folder: "w",
      looksAtAll: true,
      tell: (text) => told.push(text),
      maxFiles,
    });
  /** Something that a turn does to files; what it started may run on. */
  const act = async (
    checkpoints: ReturnType<typeof session>,
    access: Access,
    change: () => unknown = () => undefined,
    runsOn?: () => boolean,
  ) => {
    const after = await checkpoints.before([access]);
    await change();
    after(runsOn);
  };
  const command: Access = { kind: "execute", command: "make", cwd };
  /** A turn that runs one command. */
  const turn = async (checkpoints: ReturnType<typeof session>, change?: () => unknown) => {
    checkpoints.begin();
    await act(checkpoints, command, change);
    return checkpoints.end();
  };
  const store = dirname(homePath(home, "checkpoint", "w", "x"));
  const index = homePath(home, "checkpointIndex", "w");
  const kept = () => readdirSync(store).filter((name) => name !== "index.json");
  /** Reading a file again touches its stored content. */
  const yesterday = new Date(Date.now() - DAY_MS);
  const ageContents = () => {
    for (const name of kept()) utimesSync(join(store, name), yesterday, yesterday);
  };
  const touched = () =>
    kept().filter((name) => statSync(join(store, name)).mtimeMs > yesterday.getTime() + DAY_MS / 2).length;
  return { home, cwd, told, session, act, command, turn, store, index, kept, ageContents, touched };
}

/** So that no file counts as just written, however fast the machine is. */
function aMinuteLater(): void {
  onTestFinished(useWallClock(() => Date.now() + 60_000));
}

describe("the index of a folder's files", () => {
  beforeEach(aMinuteLater);

  it("lets the next session's first look read only what changed since", async () => {
    const { cwd, session, turn, ageContents, touched, kept } = place();
    await turn(session());
    expect(kept()).toHaveLength(3);
    ageContents();
    writeFileSync(join(cwd, "b.txt"), "another two");
    const entry = await turn(session(), () => rmSync(join(cwd, "a.txt")));
    expect(entry?.files.map(({ path, after }) => [path, after])).toEqual([["a.txt", "absent"]]);
    expect(touched()).toBe(1); // the new content of b.txt
  });

  it("what was looked at within a tick of its last change is read again: it may have changed within the same tick", async () => {
    const { cwd, session, turn, ageContents, touched } = place();
    onTestFinished(useWallClock(() => statSync(join(cwd, "c.txt")).ctimeMs));
    await turn(session());
    ageContents();
    await turn(session());
    expect(touched()).toBe(3);
  });

  it.each([
    ["is damaged", (index: string) => truncateSync(index, 20)],
    ["is gone", (index: string) => rmSync(index)],
    [
      "is of another version",
      (index: string) => writeFileSync(index, readFileSync(index, "utf8").replace('"v":1', '"v":2')),
    ],
    [
      "holds what it should not",
      (index: string) =>
        writeFileSync(index, JSON.stringify({ v: 1, readAt: Date.now(), files: [["a.txt", 1, 2], 3] })),
    ],
  ])("where it %s, everything is read", async (_how, harm) => {
    const { session, turn, index, ageContents, touched } = place();
    await turn(session());
    ageContents();
    harm(index);
    await turn(session());
    expect(touched()).toBe(3);
  });

  it("a content that is gone is kept again, and so is everything after half a month: nothing in use is old enough to go", async () => {
    const { session, turn, store, kept, ageContents, touched } = place();
    await turn(session());
    const [gone = ""] = kept();
    rmSync(join(store, gone));
    await turn(session());
    expect(existsSync(join(store, gone))).toBe(true);
    ageContents();
    const now = Date.now();
    onTestFinished(useWallClock(() => now + 16 * DAY_MS));
    await turn(session());
    expect(touched()).toBe(3);
  });
});

describe("a turn of several commands", () => {
  /** The answer to a model call takes long enough for a look. */
  const answer = async (checkpoints: { readonly meanwhile: () => void }) => {
    checkpoints.meanwhile();
    await sleep(3 * TICK_MS);
  };
  const changesIn = (entry: CheckpointEntry | undefined) =>
    entry?.files.map(
      ({ path, before, after }) =>
        `${path}${before === "absent" ? " made" : ""}${after === "absent" ? " gone" : ""}`,
    );

  it("is looked at while the model answers: what somebody else changes after its last command is not its own", async () => {
    const { cwd, session, act, command } = place();
    const checkpoints = session();
    checkpoints.begin();
    for (const name of ["made.txt", "a.txt"]) {
      await act(checkpoints, command, () => writeFileSync(join(cwd, name), name));
      await answer(checkpoints);
    }
    await act(checkpoints, command, () => rmSync(join(cwd, "made.txt")));
    await act(checkpoints, command, () => writeFileSync(join(cwd, "c.txt"), "another"));
    await answer(checkpoints);
    writeFileSync(join(cwd, "b.txt"), "by somebody else");
    expect(changesIn(await checkpoints.end())).toEqual(["a.txt", "c.txt"]);
  });

  it("is looked at to its end where something that a command started runs on", async () => {
    const { cwd, session, act, command } = place();
    const checkpoints = session();
    checkpoints.begin();
    await act(checkpoints, command, undefined, () => true);
    await answer(checkpoints);
    writeFileSync(join(cwd, "b.txt"), "by what runs on");
    expect(changesIn(await checkpoints.end())).toEqual(["b.txt"]);
  });

  it.each([true, false])(
    "a file that a command made and a call wrote is one that the turn made (looked at between: %s)",
    async (looks) => {
      const { cwd, session, act, command } = place();
      const checkpoints = session();
      checkpoints.begin();
      const path = join(cwd, "made.txt");
      await act(checkpoints, command, () => writeFileSync(path, "by a command"));
      if (looks) await answer(checkpoints);
      await act(checkpoints, { kind: "write", path }, () => writeFileSync(path, "by a call"));
      expect(changesIn(await checkpoints.end())).toEqual(["made.txt made"]);
    },
  );

  it("a file that a call wrote and a command removed is what it was before the call", async () => {
    const { home, cwd, session, act, command } = place();
    const checkpoints = session();
    checkpoints.begin();
    const path = join(cwd, "a.txt");
    await act(checkpoints, { kind: "write", path }, () => writeFileSync(path, "by a call"));
    await act(checkpoints, command, () => rmSync(path));
    const entry = await checkpoints.end();
    expect(changesIn(entry)).toEqual(["a.txt gone"]);
    expect(
      createFileContents(home, "w")
        .content(entry?.files[0]?.before ?? "")
        ?.toString(),
    ).toBe("one");
  });
});

it.each([".gitignore", ".git/info/exclude"])(
  "files that %s covers no longer are none that the turn made: going back would remove them",
  async (rules) => {
    const { cwd, session, turn, told } = place({ "a.txt": "one", [rules]: "/out\n", "out/old.txt": "two" });
    const checkpoints = session();
    await sleep(TICK_MS);
    const entry = await turn(checkpoints, async () => {
      await sleep(TICK_MS);
      rmSync(join(cwd, rules));
      writeFileSync(join(cwd, "out", "new.txt"), "three");
    });
    const made = entry?.files.filter(({ before }) => before === "absent").map(({ path }) => path);
    expect(made).toEqual(["out/new.txt"]);
    expect(told).toEqual([
      "Checkpoints: the state before this turn is missing for 1 file: ignore rules covered the file when the turn began, and no longer do.",
    ]);
  },
);

it("where contents cannot be stored, that is said once, and where they need no storing, nothing", async () => {
  const { cwd, session, turn, told, store } = place();
  mkdirSync(dirname(store), { recursive: true });
  writeFileSync(store, "in the way");
  const checkpoints = session();
  const entry = await turn(checkpoints, () => writeFileSync(join(cwd, "a.txt"), "changed"));
  expect(entry?.files.map(({ path, before }) => [path, before])).toEqual([["a.txt", "unkept"]]);
  expect(told).toEqual([
    expect.stringMatching(
      /^Checkpoints: .*[abc]\.txt could not be stored \(.+\): a rewind cannot restore it/,
    ),
  ]);
});

it("a turn that could not be looked at to its end says so", async () => {
  const { cwd, session, turn, told } = place();
  const checkpoints = session();
  const entry = await turn(checkpoints, () => rmSync(cwd, { recursive: true }));
  expect([entry?.isIncomplete, told]).toEqual([true, [expect.stringContaining("checkpoint is incomplete")]]);
});

describe("the limits of checkpoints", () => {
  it("of a folder with more files, the rest is not looked at, which is said once", async () => {
    const { session, turn, told, kept } = place();
    const checkpoints = session(2);
    await turn(checkpoints);
    await turn(checkpoints);
    expect(kept()).toHaveLength(2);
    expect(told).toEqual([
      expect.stringContaining("has 1 file over the limit of 2; what commands do to those is not recorded"),
    ]);
  });

  it("a file that was left out before is none that the turn made, once others made room for it", async () => {
    const { cwd, session, turn } = place();
    const entry = await turn(session(2), () => rmSync(join(cwd, "a.txt")));
    expect(entry?.files.map(({ path, after }) => [path, after])).toEqual([["a.txt", "absent"]]);
  });

  it("contents that nobody asked for in 30 days go, and the oldest above a gigabyte", () => {
    const { home, store } = place();
    mkdirSync(store, { recursive: true });
    const now = Date.now();
    const put = (name: string, bytes: number, age: number): void => {
      writeFileSync(join(store, name), "");
      truncateSync(join(store, name), bytes); // sparse: takes no disk space
      const at = new Date(now - age);
      utimesSync(join(store, name), at, at);
    };
    put("young", 10, 29 * DAY_MS);
    put("old", 10, 31 * DAY_MS);
    pruneContents(home, "w");
    expect(readdirSync(store)).toEqual(["young"]);
    const each = HOME_FILES.checkpoint.maxBytes;
    const many = 1024 ** 3 / each + 2;
    for (let at = 0; at < many; at++) put(`f${String(at).padStart(4, "0")}`, each, (many - at) * 60_000);
    pruneContents(home, "w");
    const left = readdirSync(store).sort();
    expect([left.length, left[0]]).toEqual([1024 ** 3 / each, "f0002"]);
  });
});

/** What programs do to a folder, as shell commands. */
const CHANGES: readonly ((a: string, b: string, text: string) => string)[] = [
  (a, _b, text) => `echo ${text} >> ${a}`,
  (a, _b, text) => `touch -r ${a} ../stamp; printf ${text} > ${a}; touch -r ../stamp ${a}`,
  (a, _b, text) => `printf ${text} > ../new; mv -f ../new ${a}`,
  (a, b) => `mv -f ${a} ${b}`,
  (a, b) => `cp -p ${a} ${b}`,
  (a) => `rm -f ${a}`,
  (a) => `chmod 600 ${a}`,
  (a) => `chmod 755 ${a}`,
  (a, b, text) => `ln -f ${a} ${b}; printf ${text} > ${b}`,
  (a, b) => `rm -f ${a}; ln -s ${b} ${a}`,
  (a, b, text) => `mkdir -p ../in/deep; printf ${text} > ../in/deep/${b}; mv ../in moved-${a}`,
  (_a, b, text) => `mkdir -p d && printf ${text} > d/${b}`,
  (_a, b) => `mv d e-${b}; mkdir -p d`,
  (a) => `rm -f ${a}; mkdir -p ${a}`,
  (a) => `rm -rf d; : > ${a}`,
];
const PLACES = ["a.txt", "b.txt", "c.txt"] as const;

function everyFile(folder: string): Map<string, string> {
  const cwd = realpathSync(folder);
  // What lies behind a link to a folder is listed too, under the link's name.
  const files = readdirSync(cwd, { recursive: true, withFileTypes: true }).filter(
    (each) => each.isFile() && realpathSync(each.parentPath) === each.parentPath,
  );
  return new Map(
    files.map((each) => {
      const path = join(each.parentPath, each.name);
      return [relative(cwd, path), `${statSync(path).mode} ${readFileSync(path, "utf8")}`];
    }),
  );
}

describe.skipIf(process.platform === "win32")("a look that reads only what changed", LONG_ONLY, () => {
  const change = fc
    .tuple(fc.nat(CHANGES.length - 1), fc.constantFrom(...PLACES), fc.constantFrom(...PLACES), fc.nat(9))
    .filter(([, a, b]) => a !== b)
    .map(([at, a, b, digit]) => CHANGES[at]?.(a, b, String(digit).repeat(3)) ?? "");
  const changes = fc.array(change, { maxLength: 4 });

  it("finds what a comparison of everything finds, whatever programs did in turns and between them", async () => {
    const turns = fc.array(fc.record({ between: changes, within: changes }), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(turns, async (all) => {
        const { cwd, session, turn } = place();
        const run = (lines: readonly string[]): void =>
          void spawnSync("sh", ["-c", lines.join("\n")], { cwd, stdio: "ignore" });
        const checkpoints = session();
        for (const { between, within } of all) {
          run(between);
          const before = everyFile(cwd);
          const entry = await turn(checkpoints, () => run(within));
          const after = everyFile(cwd);
          const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
            (path) => before.get(path) !== after.get(path),
          );
          expect((entry?.files ?? []).map(({ path }) => path).sort()).toEqual(changed.sort());
        }
      }),
      { numRuns: 20 },
    );
  });
});

/** As a session has them: loaded when something is about to change. */
function lazily({ session }: ReturnType<typeof place>, looksAtAll: boolean) {
  const loads: string[] = [];
  const load = async () => {
    loads.push("now");
    return session();
  };
  return { checkpoints: createLazyCheckpoints(looksAtAll, load, () => undefined), loads };
}

it("what the host writes for an addon is in the turn's checkpoint, and so is a folder that it removes", async () => {
  const scene = place({ "a.txt": "one", "d/b.txt": "two", "d/e/c.txt": "three" });
  const { checkpoints } = lazily(scene, false);
  const fs = notedFiles(localFs(), checkpoints.before);
  checkpoints.begin();
  await fs.writeFile(join(scene.cwd, "a.txt"), "written by an addon");
  await fs.writeFile(join(scene.cwd, "new.txt"), "made");
  await checkpoints.before([{ kind: "write", path: join(scene.cwd, "d") }]);
  rmSync(join(scene.cwd, "d"), { recursive: true });
  const entry = await checkpoints.end();
  expect(
    entry?.files.map(({ path, before, after }) => [path, before === "absent", after === "absent"]),
  ).toEqual([
    ["a.txt", false, false],
    ["new.txt", true, false],
    ["d/b.txt", false, true],
    ["d/e/c.txt", false, true],
  ]);
});

it("nothing is loaded before something is about to change: by a call that names it, or by a command where those are kept", async () => {
  const [edits, all] = [lazily(place(), false), lazily(place(), true)];
  for (const { checkpoints } of [edits, all]) {
    checkpoints.begin();
    await checkpoints.before([
      { kind: "execute", command: "true", cwd: "/" },
      { kind: "read", path: "/" },
    ]);
    expect(await checkpoints.end()).toBeUndefined();
  }
  expect([edits.loads, all.loads]).toEqual([[], ["now"]]);
});

it("a command is looked at if the session that was gone to changed files, also long after the start, and no longer in a new one", async () => {
  const scene = place();
  const { checkpoints } = lazily(
    {
      ...scene,
      session: () => createCheckpoints({ ...scene, folder: "w", looksAtAll: false, tell: () => undefined }),
    },
    false,
  );
  const turn = async (text: string): Promise<readonly string[]> => {
    checkpoints.begin();
    const after = await checkpoints.before([scene.command]);
    writeFileSync(join(scene.cwd, "a.txt"), text);
    after();
    return ((await checkpoints.end())?.files ?? []).map(({ path }) => path);
  };
  expect(await turn("by a session that changed nothing")).toEqual([]);
  checkpoints.wrote(["a.txt"]);
  expect(await turn("by one that changed it")).toEqual(["a.txt"]);
  checkpoints.wrote([]);
  expect(await turn("by a new one")).toEqual([]);
});

it("where they cannot be loaded, what is about to change goes on, and that is said once", async () => {
  const told: string[] = [];
  const broken = () => Promise.reject(new Error("the installation is another one now"));
  const checkpoints = createLazyCheckpoints(false, broken, (text) => told.push(text));
  for (const path of ["/w/a", "/w/b"]) {
    checkpoints.begin();
    await checkpoints.before([{ kind: "write", path }]);
    expect(await checkpoints.end()).toBeUndefined();
  }
  expect(told).toEqual(["This session has no checkpoints: the installation is another one now"]);
});

it("of a removed folder with more files than are looked at, the rest is named", async () => {
  const { cwd, session, told } = place({ "d/a": "1", "d/b": "2", "d/c": "3" });
  const checkpoints = session(2);
  checkpoints.begin();
  await checkpoints.before([{ kind: "write", path: join(cwd, "d") }]);
  rmSync(join(cwd, "d"), { recursive: true });
  expect((await checkpoints.end())?.files).toHaveLength(2);
  expect(told).toEqual([
    `Checkpoints: ${join(cwd, "d")} has 3 files; what happens to those after the first 2 is not recorded.`,
  ]);
});
