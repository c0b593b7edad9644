// Random trees with random ignore files: all engines agree with each other and with git.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import * as fc from "../../../../../tests/support/fast-check.ts";
import { LONG_ONLY } from "../../../../../tests/support/long-form.ts";
import { isInstalled, lacks } from "../../../../../tests/support/needs.ts";
import { localFs } from "../backends/local-fs.ts";
import { memoryFs } from "../backends/memory-fs.ts";
import type { Fs, GrepQuery } from "../kernel/contract.ts";
import { nativeGrep } from "./content-search.ts";
import { openIgnoreScope } from "./ignore-scope.ts";
import { portableGrep } from "./portable-grep.ts";
import { createTally, walk } from "./walk.ts";

const { signal } = new AbortController();
const { search: _native, ...seam } = localFs();

const names = fc.constantFrom("a", "b", "ab", "a.log", "b.log", "lib", ".x", "node_modules");
const plainSegments = fc.constantFrom(
  "a",
  "b",
  "lib",
  "*",
  "?",
  "*.log",
  "a*",
  "*b",
  "[ab]",
  "[!a]",
  "**",
  "a?",
);
const oddSegments = fc.constantFrom("{a,b}", "[[:alpha:]]", "***", "[b-a]", "[a", "\\", "a\\ ");
const path = fc.array(names, { minLength: 1, maxLength: 4 }).map((segments) => segments.join("/"));

function rulesOf(segments: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const rule = fc
    .tuple(
      fc.constantFrom("", "", "!", "/", "!/", "\\"),
      fc.array(segments, { minLength: 1, maxLength: 3 }),
      fc.constantFrom("", "", "/", " "),
    )
    .map(([start, middle, end]) => `${start}${middle.join("/")}${end}`);
  return fc.array(rule, { minLength: 1, maxLength: 4 }).map((rules) => rules.join("\n"));
}

interface Sketch {
  readonly files: readonly string[];
  /** Ignore files by their folder. */
  readonly ignoreFiles: readonly (readonly [string, string])[];
  readonly repositories: readonly (readonly [string, string])[];
  readonly root: string;
}

function sketches(segments: fc.Arbitrary<string>): fc.Arbitrary<Sketch> {
  const folder = fc.oneof(fc.constant("."), path);
  return fc.record({
    files: fc.array(path, { minLength: 1, maxLength: 12 }),
    ignoreFiles: fc.array(fc.tuple(folder, rulesOf(segments)), { minLength: 1, maxLength: 3 }),
    repositories: fc.array(fc.tuple(folder, rulesOf(segments)), { maxLength: 2 }),
    root: folder,
  });
}

async function inTree<Result>(sketch: Sketch, work: (top: string) => Promise<Result>): Promise<Result> {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "trees-")));
  const put = (name: string, content: string): void => {
    try {
      mkdirSync(dirname(join(top, name)), { recursive: true });
      writeFileSync(join(top, name), content);
    } catch (error) {
      // A file is where a folder should be, or the other way round: skip this entry.
      if (!["EEXIST", "ENOTDIR", "EISDIR"].includes(String((error as NodeJS.ErrnoException).code)))
        throw error;
    }
  };
  try {
    for (const file of sketch.files) put(file, "hit\n");
    for (const [folder, rules] of sketch.ignoreFiles) put(`${folder}/.gitignore`, rules);
    for (const [folder, rules] of sketch.repositories) put(`${folder}/.git/info/exclude`, rules);
    return await work(top);
  } finally {
    rmSync(top, { recursive: true, force: true });
  }
}

test("every engine finds the same in the same order, with and without ignore files", {
  ...LONG_ONLY,
  timeout: 600_000,
}, async () => {
  let answers = 0;
  let refusals = 0;
  const odd = fc.oneof(oddSegments, fc.constant("a**")); // git itself deviates from gitignore(5) here
  const segments = fc.oneof({ weight: 20, arbitrary: plainSegments }, { weight: 1, arbitrary: odd });
  const options = fc.record({ respectGitignore: fc.boolean(), maxHits: fc.constantFrom(3, 100) });
  const agree = fc.asyncProperty(sketches(segments), options, (sketch, { respectGitignore, maxHits }) =>
    inTree(sketch, async (top) => {
      const root = existsSync(join(top, sketch.root)) ? join(top, sketch.root) : top;
      const query: GrepQuery = { root, pattern: "h.t", ignoreCase: false, maxHits, respectGitignore };
      const expected = await portableGrep(seam, query, { signal });
      expect(await portableGrep(localFs(), query, { signal })).toEqual(expected);
      const found = await nativeGrep(localFs(), query, signal);
      if (found === undefined) refusals++;
      else {
        answers++;
        expect(found).toEqual(expected);
      }
    }),
  );
  await fc.assert(agree, { numRuns: 60 });
  expect([answers > 0, refusals > 0]).toEqual([true, true]);
});

test.skipIf(lacks("git", isInstalled("git")))(
  "what is left out is what git leaves out",
  { ...LONG_ONLY, timeout: 600_000 },
  async () => {
    const segments = fc.oneof({ weight: 3, arbitrary: plainSegments }, { weight: 1, arbitrary: oddSegments });
    const git = (cwd: string, ...args: readonly string[]): string =>
      spawnSync("git", args, {
        cwd,
        encoding: "utf8",
        env: { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" },
      }).stdout;
    const agree = fc.asyncProperty(sketches(segments), (sketch) =>
      inTree({ ...sketch, repositories: [] }, async (top) => {
        git(top, "init", "--quiet", ".");
        const listed = git(top, "ls-files", "--others", "--exclude-standard", "-z")
          .split("\0")
          .filter(Boolean);
        const kept = listed.filter((name) => !/(^|\/)node_modules\//.test(name));
        expect(await filesBelow(seam, top)).toEqual(kept.sort());
      }),
    );
    await fc.assert(agree, { numRuns: 60 });
  },
);

async function filesBelow(fs: Fs, root: string): Promise<readonly string[]> {
  const tally = createTally();
  const files: string[] = [];
  for await (const entry of walk({ fs, root, signal, tally, scope: await openIgnoreScope(fs, root, tally) }))
    if (!entry.isDirectory) files.push(entry.path.slice(root.length + 1));
  return files.sort();
}

test("a walk goes through any tree in the order of a plain descent", async () => {
  const wide = fc.array(fc.constantFrom("a", "b", "B", "a-", "é", "a.b", "Z"), {
    minLength: 1,
    maxLength: 7,
  });
  const trees = fc.uniqueArray(
    wide.map((segments) => `/${segments.join("/")}`),
    { maxLength: 80 },
  );
  const agree = fc.asyncProperty(trees, async (paths) => {
    const files = paths.filter((file) => !paths.some((other) => other.startsWith(`${file}/`)));
    const fs = memoryFs(Object.fromEntries(files.map((file) => [file, ""])));
    const walked: string[] = [];
    for await (const entry of walk({ fs, root: "/", signal })) walked.push(entry.path);
    expect(walked).toEqual(await plainDescent(fs, "/"));
  });
  await fc.assert(agree, { numRuns: 200 });
});

async function plainDescent(fs: Fs, folder: string): Promise<readonly string[]> {
  const paths: string[] = [];
  const children = [...(await fs.readDir(folder))].sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const child of children) {
    paths.push(join(folder, child.name));
    if (child.isDirectory) paths.push(...(await plainDescent(fs, join(folder, child.name))));
  }
  return paths;
}
