// Which engine answers, and what never reaches ripgrep.

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { symlinkSync, truncateSync } from "node:fs";
import { rgPath } from "@vscode/ripgrep";
import { expect, test } from "vitest";
import { LONG_ONLY, rows } from "../../../../../tests/support/long-form.ts";
import {
  createWorkspace,
  HELD_UP_MS,
  longestBlock,
  type Workspace,
} from "../../../../../tests/support/test-workspace.ts";
import { PATIENCE_MS } from "../../../../../tests/support/until.ts";
import { localFs } from "../backends/local-fs.ts";
import type { Fs, FsSearch, GrepQuery } from "../kernel/contract.ts";
import { nativeGrep, searchContent } from "./content-search.ts";

const { signal } = new AbortController();

function query(root: string, rest: Partial<GrepQuery> = {}): GrepQuery {
  return { root, pattern: "h.t", ignoreCase: false, maxHits: 100, respectGitignore: true, ...rest };
}

/** The files that have hits. */
async function found(fs: Fs, asked: GrepQuery): Promise<readonly string[]> {
  const { hits } = await searchContent(fs, asked, signal);
  return hits.map((hit) => hit.path.slice(asked.root.length + 1));
}

/** "ended" if ripgrep itself finishes within `ms`, undefined otherwise. */
async function ripgrepWithin(ws: Workspace, ms: number): Promise<string | undefined> {
  const child = spawn(rgPath, ["--no-config", "--no-require-git", "--files", ws.root], { stdio: "ignore" });
  const timer = setTimeout(() => child.kill("SIGKILL"), ms);
  const [, killedBy] = await once(child, "close");
  clearTimeout(timer);
  return killedBy === null ? "ended" : undefined;
}

test.skipIf(process.platform === "win32")(
  "an ignore file that never ends does not reach ripgrep, which waits on it for ever",
  async () => {
    const endless: readonly ((ws: Workspace) => unknown)[] = [
      (ws) => symlinkSync("/dev/zero", ws.path(".gitignore")),
      (ws) => spawnSync("mkfifo", [ws.path(".gitignore")]),
    ];
    for (const prepare of endless) {
      const ws = createWorkspace();
      ws.put("sub/a", "hit");
      prepare(ws);
      expect(await found(localFs(), query(ws.root))).toEqual(["sub/a"]);
      expect(await found(localFs(), query(ws.path("sub")))).toEqual(["a"]); // the ignore file above is read as well
      expect(await ripgrepWithin(ws, 300)).toBeUndefined(); // the twin
    }
    const ws = createWorkspace();
    ws.put("a", "hit");
    expect(await ripgrepWithin(ws, PATIENCE_MS)).toBe("ended");
  },
);

test("an ignore file without measure is passed over", async () => {
  const ws = createWorkspace();
  ws.put("a", "hit");
  ws.put(".gitignore", `${"#".repeat(65_536)}\na`);
  expect(await found(localFs(), query(ws.root))).toEqual(["a"]);
  ws.put(".gitignore", "a");
  expect(await found(localFs(), query(ws.root))).toEqual([]);
});

test("as many rules as an ignore file may hold do not stop the event loop", LONG_ONLY, async () => {
  const ws = createWorkspace();
  ws.put(".gitignore", "*a*b?c*\n".repeat(8_192));
  for (let index = 0; index < 100; index++) ws.put(`${"a".repeat(60)}${index}`, "hit");
  const block = await longestBlock(async () => {
    expect(await found(localFs(), query(ws.root))).toHaveLength(100);
  });
  expect(block).toBeLessThan(HELD_UP_MS);
});

test("in a small tree, a large one, and with a cap, a literal is found as a regular expression is", async () => {
  const ws = createWorkspace();
  ws.put(".gitignore", "*.log\nout/");
  for (let index = 0; index < 100; index++) {
    ws.put(`d${index % 9}/f${index}.txt`, "hit\n");
    ws.put(`d${index % 9}/f${index}.log`, "hit\n");
    ws.put(`out/${index}`, "hit\n");
  }
  for (const maxHits of [20, 60, 200]) {
    const literal = await searchContent(localFs(), query(ws.root, { pattern: "hit", maxHits }), signal);
    expect(literal).toEqual(await searchContent(localFs(), query(ws.root, { maxHits }), signal));
    expect([literal.hits.length, literal.ignored]).toEqual([
      Math.min(100, maxHits),
      maxHits < 100 ? undefined : 200,
    ]);
  }
  const small = await searchContent(localFs(), query(ws.path("d1"), { pattern: "hit" }), signal);
  expect([small.hits.length, small.ignored]).toEqual([22, undefined]); // not a repository: d1 has no rules
});

const LINES = [
  "one 1",
  "two [2]",
  "Two - été",
  "\u017f and \u212a",
  "a|b",
  "\tthree/4 😀",
  "FOUR_5",
  "z-a",
  "",
].join("\r\n");

test.each(
  rows(
    [
      "one [0-9]",
      "[Tt]wo",
      "two|three",
      "one 1|été|😀",
      "two \\[[0-9]",
      "a\\|b|FOUR_[4-6]",
      "[sk] and",
      "[a-z]-[a-z]",
      "[z-a]",
      "|two",
      "two|",
      "[]a]",
      "[^a]",
      "[a-]",
      "\ud83d|two",
      "\ufffd|two",
      "a\\-|two",
      "[a-z]".repeat(60),
    ],
    (_, at) => at % 4 === 0,
  ),
)("what is matched here of %j is what ripgrep finds, whatever the case", async (pattern) => {
  const ws = createWorkspace();
  ws.put("a.txt", LINES);
  ws.put("deep/b.txt", `\ufeff${LINES}`);
  for (const ignoreCase of [false, true])
    for (const root of [ws.root, ws.path("a.txt")]) {
      const asked = query(root, { pattern, ignoreCase });
      const outcome = (hits: Promise<unknown>) => hits.catch((error: unknown) => error);
      expect(await outcome(searchContent(localFs(), asked, signal))).toEqual(
        await outcome(nativeGrep(localFs(), asked, signal)),
      );
    }
});

test("a small tree is searched without a program for plain characters, simple classes and |, if the pattern is short", async () => {
  const ws = createWorkspace();
  const local = localFs();
  let started = 0;
  const grep: FsSearch["grep"] = (asked, given) => {
    started += 1;
    return (local.search as FsSearch).grep(asked, given);
  };
  const fs: Fs = { ...local, search: { grep, opensPaths: true } };
  ws.put("a", "hit 1");
  for (const [pattern, programs] of [
    ["hit [0-9]", 0],
    ["hot|hit", 0],
    ["hit", 0],
    ["hit [0-9]+", 1],
    ["h.t", 1],
    ["(h|x)it", 1],
    [`hit|${"x".repeat(256)}`, 1],
  ] as const) {
    started = 0;
    expect(await found(fs, query(ws.root, { pattern }))).toEqual(["a"]);
    expect([pattern, started]).toEqual([pattern, programs]);
  }
  for (let index = 0; index < 100; index++) ws.put(`f${index}`, "hit 2");
  started = 0;
  expect(await found(fs, query(ws.root, { pattern: "hit [1]" }))).toEqual(["a"]);
  expect(started).toBe(1);
});

test("without ripgrep the walker answers", async () => {
  const ws = createWorkspace();
  ws.put("a", "hit");
  const fs: Fs = { ...localFs(), search: { grep: () => Promise.resolve(undefined), opensPaths: true } };
  expect(await found(fs, query(ws.root))).toEqual(["a"]);
});

test(
  "a search of thousands of files ends when it is cancelled, and never holds the event loop up",
  LONG_ONLY,
  async () => {
    const ws = createWorkspace();
    for (let index = 0; index < 3_000; index++)
      ws.put(`d${index % 100}/f${index}`, "no match here\n".repeat(50));
    const noRipgrep = () => Promise.resolve(undefined);
    const walker = { ...localFs(), search: { grep: noRipgrep } };
    const walkerOnDisk = { ...localFs(), search: { grep: noRipgrep, opensPaths: true } };
    for (const fs of [localFs(), walkerOnDisk, walker]) {
      const abort = new AbortController();
      const block = await longestBlock(async () => {
        const search = searchContent(fs, query(ws.root), abort.signal);
        setImmediate(() => abort.abort());
        await expect(search).rejects.toThrow("Cancelled.");
      });
      expect(block).toBeLessThan(HELD_UP_MS);
    }
  },
);

test("a search ends when its time is over, with what it has", LONG_ONLY, async () => {
  const ws = createWorkspace();
  const path = ws.put("endless", "hit\n");
  truncateSync(path, 2 ** 40); // a sparse file: one line without end
  const { hits, timedOut } = await searchContent(localFs(), query(path, { maxMs: 300 }), signal);
  expect([hits.length <= 1, timedOut]).toEqual([true, true]);

  const { search: _native, ...seam } = localFs();
  const readBytes: Fs["readBytes"] = (_path, range) =>
    Promise.resolve(Buffer.alloc(range?.maxBytes ?? 0, "hit\n-\n"));
  for (const pattern of ["none", "n.ne"]) {
    expect(await searchContent({ ...seam, readBytes }, query(path, { pattern, maxMs: 300 }), signal)).toEqual(
      {
        hits: [],
        truncated: false,
        timedOut: true,
      },
    );
  }
  for (let index = 0; index < 200; index++) ws.put(`tree/${index}`, "hay\n");
  for (const pattern of ["none", "n.ne"]) {
    const found = await searchContent(seam, query(ws.path("tree"), { pattern, maxMs: -1 }), signal);
    expect(found).toEqual({ hits: [], truncated: false, timedOut: true });
  }
});
