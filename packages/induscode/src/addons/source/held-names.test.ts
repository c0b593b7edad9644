import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createFolder, writeFiles } from "../../../../../tests/support/test-folder.ts";
import { createHeldNames, type HeldNames, type Writer } from "./held-names.ts";
import { protectedPlaces } from "./protected-places.ts";

const FILES = { "a.txt": "", "src/a.txt": "", "lib/AGENTS.md": "kept" };

function writer(root: string, changes: Partial<Writer> = {}): Writer {
  return { addon: "planter", root, kept: protectedPlaces(root).paths, isConfined: true, ...changes };
}

interface Scene {
  readonly home: string;
  readonly root: string;
  readonly names: HeldNames;
}

function createScene(changes: Partial<Writer> = {}): Scene {
  const [home, root] = [createFolder(), createFolder(FILES)];
  const names = createHeldNames(home);
  names.begin(writer(root, changes));
  return { home, root, names };
}

function isHeld(names: HeldNames, path: string): boolean {
  return names.refusal(path) !== undefined;
}

/** Like the file of a killed session: its process is gone. */
function killOwner(home: string): void {
  for (const name of readdirSync(join(home, "held"))) {
    const path = join(home, "held", name);
    const record = JSON.parse(readFileSync(path, "utf8")) as { owner?: unknown };
    writeFileSync(path, JSON.stringify({ ...record, owner: { pid: 1, startedAt: "never" } }));
  }
}

describe("what appears while a process may write", () => {
  it("is held at once in its session, as a file, in a folder and behind a link; what was there is not", () => {
    const { root, names } = createScene();
    writeFiles(root, {
      "src/AGENTS.md": "x",
      "src/.claude/skills/x/SKILL.md": "x",
      "node_modules/x/AGENTS.md": "x",
    });
    for (const path of ["src/AGENTS.md", "src/.claude/skills", "src/notes.md", "node_modules/x/AGENTS.md"])
      expect([path, isHeld(names, join(root, path))]).toEqual([path, true]);
    for (const path of ["lib/AGENTS.md", "AGENTS.md", ".indus/skills"])
      expect([path, isHeld(names, join(root, path))]).toEqual([path, false]);
    expect(isHeld(names, "/elsewhere/AGENTS.md")).toBe(false);
  });

  it("stays held after it, by its name alone; other files do not", () => {
    const { home, root, names } = createScene();
    writeFiles(root, { "src/AGENTS.md": "x", "src/notes.md": "x" });
    symlinkSync("notes.md", join(root, "src/CLAUDE.md"));
    expect(names.settle()).toEqual([expect.stringMatching(/planter.*: src\/AGENTS\.md, src\/CLAUDE\.md/)]);
    writeFiles(root, { "lib/deep/AGENTS.md": "the person's" });
    const later = createHeldNames(home);
    expect(isHeld(later, join(root, "src/AGENTS.md"))).toBe(true);
    expect(isHeld(later, join(root, "src/CLAUDE.md"))).toBe(true);
    expect(isHeld(later, join(root, "lib/deep/AGENTS.md"))).toBe(false);
    expect(later.lines()).toHaveLength(1);
  });

  it("leaves nothing behind where nothing appeared", () => {
    const { home, names } = createScene();
    expect(names.settle()).toEqual([]);
    expect(readdirSync(join(home, "held"))).toEqual([]);
  });

  it("is held where the session was killed before it could compare", () => {
    const { home, root } = createScene();
    writeFiles(root, { "src/AGENTS.md": "x" });
    killOwner(home);
    const later = createHeldNames(home);
    expect(isHeld(later, join(root, "src/AGENTS.md"))).toBe(true);
    writeFiles(root, { "src/CLAUDE.md": "the person's" });
    expect(isHeld(createHeldNames(home), join(root, "src/CLAUDE.md"))).toBe(false);
  });

  it("is held for another session that runs at the same time, until the first has ended", () => {
    const { home, root, names } = createScene();
    const beside = createHeldNames(home);
    writeFiles(root, { "src/AGENTS.md": "x" });
    expect(isHeld(beside, join(root, "src/AGENTS.md"))).toBe(true);
    expect(beside.accept(join(root, "src"))).toEqual([]);
    names.settle();
    expect(createHeldNames(home).accept(join(root, "src"))).toEqual([join(root, "src/AGENTS.md")]);
    expect(isHeld(createHeldNames(home), join(root, "src/AGENTS.md"))).toBe(false);
  });

  it("is forgotten once it is removed", () => {
    const { home, root, names } = createScene();
    writeFiles(root, { "src/AGENTS.md": "x" });
    names.settle();
    rmSync(join(root, "src/AGENTS.md"));
    const later = createHeldNames(home);
    expect(later.lines()).toEqual([]);
  });

  it("is held at the root as well where no sandbox guards the names there", () => {
    const { root, names } = createScene({ isConfined: false });
    writeFileSync(join(root, "AGENTS.md"), "x");
    expect(isHeld(names, join(root, "AGENTS.md"))).toBe(true);
    expect(isHeld(names, join(root, "lib/AGENTS.md"))).toBe(false);
  });

  it("stays held after the session where there was too much to compare", () => {
    const { home, root, names } = createScene();
    for (let n = 0; n < 2_100; n++) mkdirSync(join(root, `src/f${n}`));
    writeFiles(root, { "src/f99/deep/AGENTS.md": "x" });
    expect(names.settle()).toEqual([expect.stringContaining("more than can be checked")]);
    const later = createHeldNames(home);
    const place = join(root, "src/f99/deep/AGENTS.md");
    expect(isHeld(later, place)).toBe(true);
    expect(later.accept(place)).toEqual([place]);
    expect(isHeld(createHeldNames(home), place)).toBe(false);
  });
});

describe("what appears while a command runs", () => {
  const EVIL = { "src/AGENTS.md": "evil", "src/.claude/skills/evil/SKILL.md": "evil", ".envrc": "evil" };
  const before = (root: string): readonly string[] =>
    protectedPlaces(root).paths.filter((path) => existsSync(path));

  function sceneOf(): Scene & ReturnType<HeldNames["commands"]> {
    const [home, root] = [createFolder(), createFolder(FILES)];
    const names = createHeldNames(home);
    return { home, root, names, ...names.commands(root) };
  }

  it("is held by the next session where this one was killed; what was there is not", () => {
    const { home, root, begin } = sceneOf();
    begin(before(root), []);
    writeFiles(root, EVIL);
    killOwner(home);
    const later = createHeldNames(home);
    for (const path of Object.keys(EVIL))
      expect([path, isHeld(later, join(root, path))]).toEqual([path, true]);
    expect(isHeld(later, join(root, "lib/AGENTS.md"))).toBe(false);
    expect(later.lines()).toEqual([
      expect.stringContaining("appeared while the model's commands, which may"),
    ]);
    expect(later.accept(join(root, "src"))).toHaveLength(2);
    expect(isHeld(createHeldNames(home), join(root, "src/AGENTS.md"))).toBe(false);
  });

  it("is held as well where instructions import it and it was not there; one that is there all the time is not", () => {
    const { home, root, begin } = sceneOf();
    const [made, unmade] = [join(root, "src/later.md"), join(root, "src/never.md")];
    begin(before(root), [made, unmade]);
    writeFiles(root, { "src/later.md": "x", "src/other.md": "x" });
    killOwner(home);
    const later = createHeldNames(home);
    expect([made, join(root, "src/other.md")].map((path) => isHeld(later, path))).toEqual([true, false]);
    expect(later.lines()[0]).toContain("src/later.md.");
    expect(later.lines()[0]).not.toContain("never.md");
  });

  it("is held in this and other sessions while the command runs, and no longer when none runs", () => {
    const { home, root, names, begin, end } = sceneOf();
    begin(before(root), []);
    writeFiles(root, EVIL);
    for (const each of [names, createHeldNames(home)])
      expect(isHeld(each, join(root, "src/AGENTS.md"))).toBe(true);
    end(); // after what appeared was moved away: what is there now is the person's
    for (const each of [names, createHeldNames(home)])
      expect(isHeld(each, join(root, "src/AGENTS.md"))).toBe(false);
  });

  it("is not held where the session was killed while none ran: that was the person (the twin)", () => {
    const { home, root, begin, end } = sceneOf();
    begin(before(root), []);
    end();
    writeFiles(root, EVIL);
    killOwner(home);
    expect(isHeld(createHeldNames(home), join(root, "src/AGENTS.md"))).toBe(false);
    expect(readdirSync(join(home, "held"))).toEqual([]);
  });

  it("writes one file for a session, again only where the names are others, and none is left", () => {
    const { home, root, names, begin, end } = sceneOf();
    const files = (): readonly (readonly [string, number])[] =>
      readdirSync(join(home, "held")).map((name) => [name, statSync(join(home, "held", name)).ino]);
    begin(before(root), []);
    const [[active = "", first] = []] = files();
    end();
    begin(before(root), []);
    expect(files()).toEqual([[active, first]]);
    end();
    expect(files()).toEqual([[active.replace(".json", ".idle.json"), first]]);
    writeFiles(root, { "src/AGENTS.md": "the person's" });
    begin(before(root), []);
    expect(files().filter(([name, file]) => name === active && file !== first)).toHaveLength(1);
    end();
    expect(names.settle()).toEqual([]);
    expect(files()).toEqual([]);
  });
});
