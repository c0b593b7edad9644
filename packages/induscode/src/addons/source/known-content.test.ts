// What stands for an addon's content is what no program can set: whoever changes bytes and restores every time that can be restored is
// noticed, before anything of it runs.

import {
  lstatSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nowMs, useWallClock } from "indusagi/core";
import { describe, expect, it, onTestFinished } from "vitest";
import { createFolder, writeFiles } from "../../../../../tests/support/test-folder.ts";
import { type AddonSource, addonId } from "../contract.ts";
import { hashAddon } from "./content-hash.ts";
import { isMarked } from "./entry-marks.ts";
import { createKnownContent } from "./known-content.ts";

const INSTALLED = "node_modules/left/index.js";
const FILES = {
  "manifest.toml": 'id = "x"',
  "lib/a.js": "1",
  [INSTALLED]: "1",
  "node_modules/left/package.json": "{}",
};
/** In whole seconds, which a test can restore exactly. */
const LONG_AGO = new Date("2026-01-01");
const hasMarks = isMarked(realpathSync(tmpdir()));

/** An addon whose content is known, and how much of it this reads. */
function known(files: Readonly<Record<string, string>> = FILES) {
  const root = createFolder(files);
  for (const name of Object.keys(files)) utimesSync(join(root, name), LONG_AGO, LONG_AGO);
  const source: AddonSource = { id: addonId("x"), path: root, root, scope: "project" };
  const { content, home } = inHome();
  return { root, source, home, content, hash: later(() => content.hash(source)) };
}

function inHome(home: string = createFolder()) {
  return { home, content: createKnownContent({ home }) };
}

/** What is there is old enough by then. */
function later<Result>(work: () => Result): Result {
  const back = useWallClock(() => Date.now() + 60_000);
  try {
    return work();
  } finally {
    back();
  }
}

/** Other bytes, and everything as before that a program can restore. */
function changeInPlace(path: string): void {
  const before = lstatSync(path);
  const text = readFileSync(path, "utf8");
  writeFileSync(path, text.replace(/^./, "2"));
  utimesSync(path, before.atime, before.mtime);
  const { size, mtimeMs, ino, mode } = lstatSync(path);
  // A guard that went by these would see the file that was trusted.
  expect({ size, mtimeMs, ino, mode }).toEqual({
    ...{ size: before.size, mtimeMs: before.mtimeMs, ino: before.ino, mode: before.mode },
  });
}

function bytesReadBy(work: () => unknown): number {
  const count = (): number => Number(/^rchar: (\d+)$/m.exec(readFileSync("/proc/self/io", "utf8"))?.[1]);
  const before = count();
  work();
  return count() - before;
}

describe.skipIf(!hasMarks)("the known content of an addon", () => {
  it("is its hash, and is not read again while nothing changes", () => {
    const large = "x".repeat(1_000_000);
    const { root, source, home, hash } = known({ ...FILES, "data.txt": large, "node_modules/y/data": large });
    expect(hash).toBe(hashAddon(root));
    const { content } = inHome(home); // as a next start
    for (const look of [content.hash, content.hashToRun]) {
      let found = "";
      const read = bytesReadBy(() => {
        found = look(source);
      });
      expect(found).toBe(hash);
      expect(read).toBeLessThan(large.length);
    }
  });

  it.each<[string, (root: string) => void]>([
    ["to the manifest, with its times restored", (root) => changeInPlace(join(root, "manifest.toml"))],
    ["to a file, with its times restored", (root) => changeInPlace(join(root, "lib/a.js"))],
    [
      "to a file: another one that is as old",
      (root) => {
        const { atime, mtime } = lstatSync(join(root, "lib/a.js"));
        writeFiles(root, { "../other": "2" });
        utimesSync(join(root, "../other"), atime, mtime);
        renameSync(join(root, "../other"), join(root, "lib/a.js"));
      },
    ],
    [
      "to a folder: another one",
      (root) => {
        renameSync(join(root, "lib"), `${root}-lib-before`);
        writeFiles(root, { "lib/a.js": "2" });
      },
    ],
    [
      "to an installed package: another version",
      (root) => {
        rmSync(join(root, INSTALLED));
        writeFiles(root, { [INSTALLED]: "2" });
      },
    ],
    ["to the installed packages: a new file", (root) => writeFiles(root, { "node_modules/new.js": "" })],
    [
      "to a file: a link",
      (root) => {
        rmSync(join(root, "lib/a.js"));
        symlinkSync("x", join(root, "lib/a.js"));
      },
    ],
  ])("is a new hash at the next look, after a change %s", (_what, change) => {
    const { root, source, content, hash } = known();
    change(root);
    const changed = content.hash(source);
    expect(changed).not.toBe(hash);
    expect(changed).toBe(hashAddon(root));
  });

  it("is a new hash before it runs, after an installed file was changed in place", () => {
    const { root, source, content, hash } = known();
    changeInPlace(join(root, INSTALLED));
    expect(content.hash(source)).toBe(hash);
    expect(content.hashToRun(source)).toBe(hashAddon(root));
    expect(content.hash(source)).toBe(hashAddon(root));
  });

  it.each<[string, (folder: string) => void]>([
    ["replaced", (folder) => writeFiles(folder, { "parser.js": "2" })],
    ["brought", (folder) => writeFiles(folder, { "more/parser.js": "1" })],
    ["removed", (folder) => rmSync(join(folder, "parser.js"))],
  ])("is a new hash before it runs, after a file deep in an installed package was %s", (_what, change) => {
    const deep = "node_modules/@a/left/lib/deep";
    const { root, source, content } = known({ ...FILES, [`${deep}/parser.js`]: "1" });
    change(join(root, deep));
    expect(content.hashToRun(source)).toBe(hashAddon(root));
    expect(content.hash(source)).toBe(hashAddon(root));
  });

  it("looks at a start at no folder inside of installed packages", () => {
    const files = Object.fromEntries(
      Array.from({ length: 300 }, (_, at) => [`node_modules/left/part${at}/index.js`, "1"]),
    );
    const { root, source, home, hash } = known({ ...FILES, ...files });
    rmSync(join(root, "node_modules/left/part7"), { recursive: true });
    const { content } = inHome(home);
    expect([content.hash(source), content.hashToRun(source)]).toEqual([hashAddon(root), hashAddon(root)]);
    expect(hash).not.toBe(hashAddon(root));
    // The twin: below the folder of the package, it is found just before something runs.
    const below = known({ ...FILES, ...files });
    rmSync(join(below.root, "node_modules/left/part7/index.js"));
    const next = inHome(below.home).content;
    expect([next.hash(below.source), next.hashToRun(below.source)]).toEqual([
      below.hash,
      hashAddon(below.root),
    ]);
  });

  it("is read again after a change that changes no byte, and is the same", () => {
    const { root, source, content, hash } = known();
    const { atime, mtime } = lstatSync(join(root, "lib/a.js"));
    utimesSync(join(root, "lib/a.js"), atime, mtime);
    expect(content.hash(source)).toBe(hash);
  });

  it.each<[string, number]>([
    ["its last change is as recent as a later one could be", 0],
    ["a clock that stepped back says that it comes from the future", -60_000],
  ])("is not remembered while %s", (_when, stepMs) => {
    const root = createFolder(FILES);
    const source: AddonSource = { id: addonId("x"), path: root, root, scope: "project" };
    const { content } = inHome();
    const start = Date.now();
    onTestFinished(useWallClock(() => start + stepMs));
    const read = (): number => bytesReadBy(() => content.hash(source));
    const first = read();
    expect(read()).toBe(first);
    expect(nowMs()).toBe(start + stepMs);
  });

  it("is compared after a load by the file that says what the addon is", () => {
    const { root, source, content } = known();
    const look = (): string => later(() => content.hash(source));
    const hash = look();
    expect(content.stillHas(source, hash)).toBe(true);
    expect(content.stillHas(source, hash)).toBe(true); // by its bytes: nothing has looked since
    look();
    changeInPlace(join(root, "manifest.toml"));
    expect(content.stillHas(source, hash)).toBe(false);
    expect(content.stillHas(source, hash)).toBe(false);
  });

  it.each(["", "{}", '{"version":1,"hash":"x"}', "[]", '{"version":2}'])(
    "is read where the record is %s",
    (damage) => {
      const { root, source, home, hash } = known();
      const record = join(home, "cache/contents");
      for (const name of readdirSync(record)) writeFileSync(join(record, name), damage);
      changeInPlace(join(root, "lib/a.js"));
      expect(inHome(home).content.hash(source)).not.toBe(hash);
    },
  );
});
