// One suite for every engine of content search: what the portable walker finds is what each must find, in its order.

import { mkdirSync, symlinkSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { FsSearch, GrepQuery } from "../kernel/contract.ts";
import { createWorkspace, type Workspace } from "../test-workspace.ts";

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
    hits: ["late:2: hit"],
  },
  "files over 2 MiB are skipped, a file of 2 MiB is not": {
    files: { exact: "hit\n".padEnd(2_097_152, "-\n"), over: "hit\n".padEnd(2_097_153, "-\n") },
    pattern: "hit",
    hits: ["exact:1: hit"],
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
  "a byte order mark belongs to the first line": {
    files: { a: "\ufeffhit\nhit\n" },
    pattern: "^hit",
    hits: ["a:2: hit"],
  },
  "UTF-16 is binary": {
    files: { a: Buffer.from("\ufeffhit", "utf16le") },
    pattern: "hit",
    hits: [],
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
  "flags may open the pattern": {
    files: { a: "HIT" },
    pattern: "(?i)h.t",
    hits: ["a:1: HIT"],
  },
};

/** Runs every case against an engine. `grep` must answer: undefined counts as a failure. */
export function describeSearch(name: string, grep: FsSearch["grep"]): void {
  describe(name, () => {
    test.each(Object.entries(CASES))("%s", async (_title, one) => {
      const ws = createWorkspace();
      mkdirSync(ws.path("."), { recursive: true });
      for (const [file, content] of Object.entries(one.files)) ws.put(file, content);
      one.prepare?.(ws);
      const query: GrepQuery = {
        root: ws.path(one.root ?? "."),
        pattern: one.pattern,
        ignoreCase: one.ignoreCase ?? false,
        maxHits: one.maxHits ?? 100,
      };
      const result = await grep(query, new AbortController().signal);
      const hits = result?.hits.map(
        (hit) => `${hit.path.slice(ws.root.length + 1)}:${hit.line}: ${hit.text}`,
      );
      expect({ hits, truncated: result?.truncated }).toEqual({
        hits: one.hits,
        truncated: one.truncated ?? false,
      });
    });
  });
}
