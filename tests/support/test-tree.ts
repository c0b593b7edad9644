// A home folder with a repository in it, separate for each test and removed after it.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

/** Absolute paths. `base` contains `home`, and the repository `cwd` with its `.git`. */
export interface Tree {
  readonly base: string;
  readonly home: string;
  readonly cwd: string;
}

/** Files by their paths under `base` (`home/repo/AGENTS.md`); `-> target` makes a link. */
export function createTree(files: Readonly<Record<string, string>> = {}): Tree {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "indus-briefing-")));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const tree = { base, home: join(base, "home"), cwd: join(base, "home/repo") };
  mkdirSync(join(tree.cwd, ".git"), { recursive: true });
  writeTree(tree, files);
  return tree;
}

export function writeTree({ base }: Tree, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    const path = join(base, name);
    mkdirSync(dirname(path), { recursive: true });
    if (text.startsWith(LINK)) symlinkSync(text.slice(LINK.length), path);
    else writeFileSync(path, text);
  }
}

const LINK = "-> ";
