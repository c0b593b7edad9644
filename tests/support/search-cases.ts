// One suite for every content search engine: each must find what the portable walker finds, in the same order.

import { spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { describe, expect, onTestFinished, test } from "vitest";
import type {
  FsSearch,
  GrepQuery,
  SearchOmissions,
} from "../../packages/indusagi/src/capabilities/kernel/contract.ts";
import { createWorkspace, type Workspace } from "./test-workspace.ts";

interface SearchCase {
  readonly files: Readonly<Record<string, string | Uint8Array>>;
  readonly pattern: string;
  readonly ignoreCase?: boolean;
  readonly maxHits?: number;
  /** Where to search, below the workspace. */
  readonly root?: string;
  readonly prepare?: (ws: Workspace) => void;
  /** `path:line: text`, paths below the workspace. */
  readonly hits: readonly string[];
  readonly truncated?: boolean;
  /** If present: ignored files are left out, and this is their number. */
  readonly ignored?: number;
  /** What else was not searched. */
  readonly omitted?: SearchOmissions;
  /** An ignore file that a native program must not be given: the walker has to answer. */
  readonly isForWalkerOnly?: boolean;
}

const MANY = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`f${index}`, "hit\n".repeat(100)]));

const CASES: Readonly<Record<string, SearchCase>> = {
  "files come in the order of a descent by sorted names": {
    files: {
      "b.txt": "x1",
      "b/z.txt": "x2",
      "B.txt": "x3",
      "a/c/d.txt": "x4",
      "a/c.txt": "x5",
      "b-c": "x6",
      é: "x7",
    },
    pattern: "x\\d",
    hits: [
      "B.txt:1: x3",
      "a/c/d.txt:1: x4",
      "a/c.txt:1: x5",
      "b/z.txt:1: x2",
      "b-c:1: x6",
      "b.txt:1: x1",
      "é:1: x7",
    ],
  },
  "each matching line is one hit": {
    files: { a: "no\nfoo foo\n\nbar foo\nfoo" },
    pattern: "foo",
    hits: ["a:2: foo foo", "a:4: bar foo", "a:5: foo"],
  },
  "case counts unless it is ignored": {
    files: { a: "Straße\nSTRASSE\nÉtÉ\nété\nK\n" },
    pattern: "été",
    ignoreCase: true,
    hits: ["a:3: ÉtÉ", "a:4: été"],
  },
  "stores of other tools and captures of jobs are passed over at any depth": {
    files: {
      ".git/x": "hit",
      "node_modules/p/x": "hit",
      "a/node_modules/x": "hit",
      ".indus-process/o": "hit",
      "a/x": "hit",
      ".hidden": "hit",
      "node_modules.txt": "hit",
      ".gitignore": "a\nhit",
    },
    pattern: "hit",
    hits: [".gitignore:2: hit", ".hidden:1: hit", "a/x:1: hit", "node_modules.txt:1: hit"],
  },
  "a pruned folder is searched when it is asked for": {
    files: { "node_modules/p/x": "hit", "node_modules/p/node_modules/y": "hit" },
    root: "node_modules/p",
    pattern: "h.t",
    hits: ["node_modules/p/x:1: hit"],
  },
  "a NUL in the opening 4 KiB makes a file binary, a later one does not": {
    files: {
      early: Buffer.concat([Buffer.alloc(4_095, "a"), Buffer.of(0), Buffer.from("\nhit\n")]),
      late: Buffer.concat([Buffer.alloc(4_096, "a"), Buffer.of(0), Buffer.from("\nhit\n")]),
    },
    pattern: "^hit",
    omitted: { binary: 1 },
    hits: ["late:2: hit"],
  },
  "a NUL far behind the first hit makes a file no other than it is": {
    files: {
      a: Buffer.concat([
        Buffer.from("hit one\n"),
        Buffer.alloc(200_000, "-\n"),
        Buffer.from("\0\nhit two\n"),
      ]),
      "b\n0:1: forged": Buffer.concat([
        Buffer.from("hit\n"),
        Buffer.alloc(200_000, "-\n"),
        Buffer.from("\0hit\n"),
      ]),
      c: "hit\n",
    },
    pattern: "h.t",
    hits: [
      "a:1: hit one",
      "a:100003: hit two",
      "b\n0:1: forged:1: hit",
      "b\n0:1: forged:100002: \\0hit",
      "c:1: hit",
    ],
  },
  "files over 2 MiB are skipped and counted, a file of 2 MiB is not": {
    files: { exact: "hit\n".padEnd(2_097_152, "-\n"), over: "hit\n".padEnd(2_097_153, "-\n") },
    pattern: "hit",
    omitted: { tooLarge: 1 },
    hits: ["exact:1: hit"],
  },
  "what is not searched is counted, whatever it is called and whether anything is found or not": {
    files: {
      "big\n1": "hit\n".padEnd(2_097_153, "-\n"),
      "big 2: 7 bytes": "hit\n".padEnd(3_000_000, "-\n"),
      "bin\n2": "\0hit\n",
      "d/e/bin: found binary data at offset 9": "hit\n\0",
      "d/text": "none",
    },
    pattern: "h[i]t",
    omitted: { tooLarge: 2, binary: 2 },
    hits: [],
  },
  "pipes are not waited for, and counted; links are not": {
    files: { a: "hit", "d/b": "hit" },
    prepare: (ws) => {
      if (process.platform === "win32") return;
      expect(spawnSync("mkfifo", [ws.path("pipe"), ws.path("d/pi\npe")])).toMatchObject({ status: 0 });
      symlinkSync("pipe", ws.path("link"));
      symlinkSync("nowhere", ws.path("dangling"));
    },
    pattern: "hit",
    omitted: process.platform === "win32" ? {} : { special: 2 },
    hits: ["a:1: hit", "d/b:1: hit"],
  },
  "a file that is named is searched whatever its size": {
    files: { big: `${"-\n".repeat(1_500_000)}hit\r\n${"-\n".repeat(700_000)}hit`, other: "hit" },
    root: "big",
    pattern: "^h[i]t$",
    hits: ["big:1500001: hit", "big:2200002: hit"],
  },
  "a file that is named is searched whatever it holds": {
    files: { bin: Buffer.from("\0\nhit\xff\0\n", "latin1") },
    root: "bin",
    pattern: "hit",
    hits: ["bin:2: hit\ufffd\\0"],
  },
  "a file that is named stops at the cap": {
    files: { big: "hit\n".repeat(1_000_000) },
    root: "big",
    pattern: "h.t",
    maxHits: 2,
    hits: ["big:1: hit", "big:2: hit"],
    truncated: true,
  },
  "a carriage return belongs to the line end": {
    files: { a: "one\r\ntwo\r\n" },
    pattern: "o$",
    hits: ["a:2: two"],
  },
  "links are not followed": {
    files: { "real/a": "hit" },
    prepare: (ws) => {
      symlinkSync("real", ws.path("folder-link"));
      symlinkSync("real/a", ws.path("file-link"));
      symlinkSync("..", ws.path("real/loop"));
    },
    pattern: "hit",
    hits: ["real/a:1: hit"],
  },
  "one file can be searched": {
    files: { "a/b": "x\nhit", "a/c": "hit" },
    root: "a/b",
    pattern: "h[i]t",
    hits: ["a/b:2: hit"],
  },
  "an empty line matches an empty pattern of a line, and a final line end begins no line": {
    files: { a: "x\n\ny\n" },
    pattern: "^$",
    hits: ["a:2: "],
  },
  "broken UTF-8 is shown replaced": {
    files: { a: Buffer.concat([Buffer.from("hit "), Buffer.of(0xe9), Buffer.from("\n")]) },
    pattern: "hit",
    hits: ["a:1: hit \ufffd"],
  },
  "a byte order mark belongs to no line": {
    files: { a: "\ufeffhit\nhit\n" },
    pattern: "^hit",
    hits: ["a:1: hit", "a:2: hit"],
  },
  "UTF-16 with a mark is text": {
    files: {
      be: Buffer.from("\ufeffx\nh\u00eft 😀\r\n", "utf16le").swap16(),
      le: Buffer.from("\ufeffx\nh\u00eft 😀\r\n", "utf16le"),
      unmarked: Buffer.from("h\u00eft", "utf16le"),
    },
    pattern: "h.t 😀$",
    omitted: { binary: 1 },
    hits: ["be:2: h\u00eft 😀", "le:2: h\u00eft 😀"],
  },
  "a literal is found in UTF-16": {
    files: { le: Buffer.from("\ufeffx\nhit\n", "utf16le") },
    pattern: "hit",
    hits: ["le:2: hit"],
  },
  "a file of UTF-16 that is named is read so": {
    files: { le: Buffer.from(`\ufeff${"-\n".repeat(1_200_000)}h\u00eft\n`, "utf16le") },
    root: "le",
    pattern: "^h.t$",
    hits: ["le:1200001: h\u00eft"],
  },
  "what is an operator elsewhere is itself in a class": {
    files: { a: "foo\nx(?=y\nxfoo\n" },
    pattern: "x[(?=]|[^\\n]foo",
    hits: ["a:2: x(?=y", "a:3: xfoo"],
  },
  "a literal of punctuation is itself": {
    files: { a: "f(x)\nf.x.\n" },
    pattern: "f\\(x\\)",
    hits: ["a:1: f(x)"],
  },
  "the cap keeps the first hits of the order": {
    files: { b: "hit\nhit\n", a: "hit\n", c: "hit\n" },
    pattern: "hit",
    maxHits: 2,
    hits: ["a:1: hit", "b:1: hit"],
    truncated: true,
  },
  "a cap that is just reached is not one that cuts": {
    files: { a: "hit\n", b: "hit\n" },
    pattern: "hit",
    maxHits: 2,
    hits: ["a:1: hit", "b:1: hit"],
  },
  "a pattern that is everywhere ends at the cap too": {
    files: MANY,
    pattern: "h.t",
    maxHits: 3,
    hits: ["f0:1: hit", "f0:2: hit", "f0:3: hit"],
    truncated: true,
  },
  "names may hold anything": {
    files: { "a b:1: c": "hit", "new\nline": "hit", "-dash": "hit" },
    pattern: "h.t",
    hits: ["-dash:1: hit", "a b:1: c:1: hit", "new\nline:1: hit"],
  },
  "a pattern may begin with a dash": {
    files: { a: "--flag+" },
    pattern: "--fl.g",
    hits: ["a:1: --flag+"],
  },
  "a very long line is cut when shown": {
    files: { a: `hit ${"y".repeat(5_000)}` },
    pattern: "hit",
    hits: [`a:1: hit ${"y".repeat(1_996)} … [line of 5004 characters]`],
  },
  "of a very long line, what is around its first match is shown": {
    files: {
      a: `${"é".repeat(9_000)}😀${"x".repeat(998)}hit${"y".repeat(9_000)}hit\r\n`,
      b: `${"x".repeat(60_000)}hit`,
      c: `${"x".repeat(997)}hit${"y".repeat(1_500)}\n`,
    },
    pattern: "hit",
    hits: [
      `a:1: … 😀${"x".repeat(998)}hit${"y".repeat(997)} … [line of 19006 characters, shown from 9001]`,
      `b:1: … ${"x".repeat(1_997)}hit … [line of 60003 characters, shown from 58004]`,
      `c:1: ${"x".repeat(997)}hit${"y".repeat(1_000)} … [line of 2500 characters]`,
    ],
  },
  "flags may open the pattern": {
    files: { a: "HIT" },
    pattern: "(?i)h.t",
    hits: ["a:1: HIT"],
  },
  "ignore files count only when they are asked for": {
    files: { ".gitignore": "a", a: "hit", ".ignore": "b", ".rgignore": "b", b: "hit" },
    pattern: "hit",
    hits: ["a:1: hit", "b:1: hit"],
  },
  "what an ignore file names is left out and counted, and files of other programs do not count": {
    files: {
      ".gitignore": "*.log\n/out/\n!keep.log",
      "a.log": "hit",
      "d/keep.log": "hit",
      "out/x": "hit",
      "out/deep/y": "hit",
      "d/out/z": "hit",
      ".hidden": "hit",
      ".ignore": "d/",
      ".rgignore": "d/",
    },
    pattern: "hit",
    ignored: 3,
    hits: [".hidden:1: hit", "d/keep.log:1: hit", "d/out/z:1: hit"],
  },
  "a nearer ignore file has the last word, except below an ignored folder": {
    files: {
      ".gitignore": "*.log\nout/",
      "d/.gitignore": "!a.log\nx",
      "d/a.log": "hit",
      "d/x": "hit",
      "e/a.log": "hit",
      "out/.gitignore": "!*",
      "out/x": "hit",
    },
    pattern: "hit",
    ignored: 4,
    hits: ["d/a.log:1: hit"],
  },
  "ignore files above the root count up to the root of the repository": {
    files: {
      ".gitignore": "*.out",
      "repo/.git/HEAD": "",
      "repo/.gitignore": "*.log\n/src/b",
      "repo/src/a.log": "hit",
      "repo/src/a.out": "hit",
      "repo/src/b": "hit",
      "repo/src/c": "hit",
    },
    root: "repo/src",
    pattern: "h.t",
    ignored: 2,
    hits: ["repo/src/a.out:1: hit", "repo/src/c:1: hit"],
  },
  "outside a repository the ignore files above the root do not count": {
    files: { ".gitignore": "a", "d/a": "hit", "d/b": "hit", "d/.gitignore": "b" },
    root: "d",
    pattern: "h.t",
    ignored: 1,
    hits: ["d/a:1: hit"],
  },
  "an ignored folder is searched when it is asked for": {
    files: { ".git/HEAD": "", ".gitignore": "out/", "out/a": "hit", "out/out/b": "hit" },
    root: "out",
    pattern: "h.t",
    ignored: 1,
    hits: ["out/a:1: hit"],
  },
  "an ignored file is searched when it is asked for": {
    files: { ".git/HEAD": "", ".gitignore": "a", a: "hit" },
    root: "a",
    pattern: "h.t",
    ignored: 0,
    hits: ["a:1: hit"],
  },
  "info/exclude counts, after every ignore file": {
    files: {
      ".git/HEAD": "",
      ".git/info/exclude": "a\nb",
      "d/.gitignore": "!b",
      "d/a": "hit",
      "d/b": "hit",
      b: "hit",
    },
    pattern: "h.t",
    ignored: 2,
    hits: ["d/b:1: hit"],
  },
  "rules do not reach into a repository inside": {
    files: {
      ".git/HEAD": "",
      ".gitignore": "a",
      "sub/.git/info/exclude": "b",
      "sub/a": "hit",
      "sub/b": "hit",
      a: "hit",
    },
    pattern: "h.t",
    ignored: 2,
    hits: ["sub/a:1: hit"],
  },
  "rules do not reach into a repository inside a folder that is in none": {
    files: { ".gitignore": "a", "sub/.git/HEAD": "", "sub/a": "hit", a: "hit" },
    pattern: "h.t",
    ignored: 1,
    hits: ["sub/a:1: hit"],
    isForWalkerOnly: true,
  },
  "a linked worktree has the exclude file of its repository": {
    files: {
      "main/.git/info/exclude": "a",
      "main/.git/worktrees/w/commondir": "../..\n",
      "w/a": "hit",
      "w/b": "hit",
    },
    prepare: (ws) => ws.put("w/.git", `gitdir: ${ws.path("main/.git/worktrees/w")}\n`),
    root: "w",
    pattern: "^hit",
    ignored: 1,
    hits: ["w/b:1: hit"],
    isForWalkerOnly: true,
  },
  "a link is no folder, and no ignored file": {
    files: { ".gitignore": "link/\nother", "real/a": "hit" },
    prepare: (ws) => {
      symlinkSync("real", ws.path("link"));
      symlinkSync("real/a", ws.path("other"));
    },
    pattern: "h.t",
    ignored: 0,
    hits: ["real/a:1: hit"],
  },
  "rules are read as git reads them": {
    files: { ".gitignore": "{a,b}\n[[:digit:]]\nc**c", a: "hit", 1: "hit", cxc: "hit" },
    pattern: "h.t",
    ignored: 2,
    hits: ["a:1: hit"],
    isForWalkerOnly: true,
  },
  "an ignore file behind a link is passed over, as git passes it over": {
    files: { rules: "a", a: "hit" },
    prepare: (ws) => symlinkSync("rules", ws.path(".gitignore")),
    pattern: "h.t",
    ignored: 0,
    hits: ["a:1: hit"],
    isForWalkerOnly: true,
  },
  "a folder may have the name of an ignore file": {
    files: { ".gitignore/a": "hit" },
    pattern: "h.t",
    ignored: 0,
    hits: [".gitignore/a:1: hit"],
  },
  "a name that is not UTF-8 is passed over": {
    files: { a: "hit" },
    prepare: (ws) => {
      if (process.platform !== "linux") return;
      writeFileSync(Buffer.concat([Buffer.from(`${ws.root}/b`), Buffer.of(0xff)]), "hit");
      mkdirSync(Buffer.concat([Buffer.from(`${ws.root}/c`), Buffer.of(0xff)]));
      writeFileSync(Buffer.concat([Buffer.from(`${ws.root}/c`), Buffer.of(0xff), Buffer.from("/d")]), "hit");
    },
    pattern: "h.t",
    omitted: process.platform === "linux" ? { undecoded: 2 } : {},
    hits: ["a:1: hit"],
  },
  "what lies too deep for the system is counted": {
    files: { a: "hit" },
    prepare: (ws) => descend(ws, "mkdir -p"),
    pattern: "h.t",
    hits: ["a:1: hit"],
    omitted: { unreadable: 1 },
  },
};

// Twenty folders with names of 250 letters: longer than the 4,096 bytes that a path can have.
function descend(ws: Workspace, command: string): void {
  const script = `cd "$1" && for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do ${command} "$2" && cd -P "$2" || exit 1; done`;
  const made = spawnSync("sh", ["-c", script, "sh", ws.root, "d".repeat(250)], { encoding: "utf8" });
  expect(made).toMatchObject({ status: 0 });
  onTestFinished(() => void spawnSync("rm", ["-rf", ws.path("d".repeat(250))])); // runs before the workspace is removed
}

interface SuiteOptions {
  /** The engine returns undefined if a case is for the walker only. */
  readonly leavesToWalker?: boolean;
  /** The cases are for a file system that has only files and folders. */
  readonly isPlain?: boolean;
}

/** Runs every case against an engine. `grep` must answer: undefined counts as a failure. */
export function describeSearch(name: string, grep: FsSearch["grep"], options: SuiteOptions = {}): void {
  describe(name, () => {
    const cases = Object.entries(CASES).filter(([, { prepare }]) => !(options.isPlain && prepare));
    test.each(cases)("%s", async (_title, one) => {
      const ws = createWorkspace();
      mkdirSync(ws.path("."), { recursive: true });
      for (const [file, content] of Object.entries(one.files)) ws.put(file, content);
      one.prepare?.(ws);
      const query: GrepQuery = {
        root: ws.path(one.root ?? "."),
        pattern: one.pattern,
        ignoreCase: one.ignoreCase ?? false,
        maxHits: one.maxHits ?? 100,
        respectGitignore: one.ignored !== undefined,
      };
      const result = await grep(query, new AbortController().signal);
      if (options.leavesToWalker && one.isForWalkerOnly) return expect(result).toBeUndefined();
      const hits = result?.hits.map(
        (hit) => `${hit.path.slice(ws.root.length + 1)}:${hit.line}: ${hit.text}`,
      );
      expect({ ...result, hits }).toEqual({
        hits: one.hits,
        truncated: one.truncated ?? false,
        ...(one.ignored && { ignored: one.ignored }),
        ...one.omitted,
      });
    });
  });
}
