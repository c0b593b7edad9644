// What some tests need from the machine. If it is missing they are skipped, and the end of `npm test` says how many, why and
// what to install: `npm test` names a file in INDUS_TEST_NEEDS, and scripts/test.mjs reads it.

import { spawnSync } from "node:child_process";
import { appendFileSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, TestRunner } from "vitest";

/** How to get each. */
const REMEDIES = {
  bash: "install bash",
  fish: "install fish",
  zsh: "install zsh",
  Chromium: "install chromium",
  bubblewrap: "install bubblewrap, and let it make user namespaces",
  "C++": "install g++",
  git: "install git",
  "mypy or pyright": "install mypy or pyright",
  jq: "install jq",
  "kernel headers": "install linux-libc-dev",
  PostgreSQL: "install postgresql",
  Landlock: "a Linux kernel with Landlock",
  python3: "install python3",
  root: "run as root",
  "not root": "run as somebody else than root",
  strace: "install strace, and let it trace",
} as const;

export type Need = keyof typeof REMEDIES;

const ROOT: string = fileURLToPath(new URL("../..", import.meta.url));

/** For `skipIf`: whether the tests that need it are skipped; if so, that is recorded. */
export function lacks(need: Need, isThere: boolean): boolean {
  const notes = process.env.INDUS_TEST_NEEDS;
  if (!isThere && notes !== undefined) {
    const file = relative(ROOT, expect.getState().testPath ?? "");
    appendFileSync(notes, `${JSON.stringify({ file, need, remedy: REMEDIES[need] })}\n`);
  }
  return !isThere;
}

/** {@link lacks} for a level of the sandbox; a missing weaker level is not recorded, as it cannot be installed. */
export function lacksLevel(level: string, isThere: boolean): boolean {
  if (level === "bubblewrap") return lacks("bubblewrap", isThere);
  return level === "landlock" ? lacks("Landlock", isThere) : !isThere;
}

const installed = new Map<string, boolean>();

/** Whether a program can be started. */
export function isInstalled(program: string): boolean {
  const known = installed.get(program);
  if (known !== undefined) return known;
  const isThere = spawnSync(program, ["--version"], { stdio: "ignore" }).status === 0;
  installed.set(program, isThere);
  return isThere;
}

const PROGRAMS = { "C++": "c++", python3: "python3" } as const;

/** Skips the running test if a program is not installed. */
export function needs(need: keyof typeof PROGRAMS): void {
  const test = TestRunner.getCurrentTest();
  if (test && lacks(need, isInstalled(PROGRAMS[need]))) test.context.skip(`it needs ${need}`);
}

/** Whether this runs as root. */
export const isRoot: boolean = process.getuid?.() === 0;
