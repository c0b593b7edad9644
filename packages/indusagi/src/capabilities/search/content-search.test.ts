// Which engine answers, and what never reaches ripgrep.

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { symlinkSync } from "node:fs";
import { rgPath } from "@vscode/ripgrep";
import { expect, test } from "vitest";
import { localFs } from "../backends/local-fs.ts";
import type { Fs, GrepQuery } from "../kernel/contract.ts";
import { createWorkspace, longestBlock, type Workspace } from "../test-workspace.ts";
import { searchContent } from "./content-search.ts";

const { signal } = new AbortController();

function query(root: string, rest: Partial<GrepQuery> = {}): GrepQuery {
  return { root, pattern: "h.t", ignoreCase: false, maxHits: 100, respectGitignore: true, ...rest };
}

/** The files with hits. */
async function found(fs: Fs, asked: GrepQuery): Promise<readonly string[]> {
  const { hits } = await searchContent(fs, asked, signal);
  return hits.map((hit) => hit.path.slice(asked.root.length + 1));
}

/** What ripgrep itself says within a second; undefined when it has not ended by then. */
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
      expect(await found(localFs(), query(ws.path("sub")))).toEqual(["a"]); // the file above is read as well
      expect(await ripgrepWithin(ws, 300)).toBeUndefined(); // the twin
    }
    const ws = createWorkspace();
    ws.put("a", "hit");
    expect(await ripgrepWithin(ws, 5_000)).toBe("ended");
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

test("as many rules as an ignore file may hold do not stop the event loop", async () => {
  const ws = createWorkspace();
  ws.put(".gitignore", "*a*b?c*\n".repeat(8_192));
  for (let index = 0; index < 100; index++) ws.put(`${"a".repeat(60)}${index}`, "hit");
  const block = await longestBlock(async () => {
    expect(await found(localFs(), query(ws.root))).toHaveLength(100);
  });
  expect(block).toBeLessThan(100);
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
  expect([small.hits.length, small.ignored]).toEqual([22, undefined]); // no repository: d1 has no rules
});

test("without ripgrep the walker answers", async () => {
  const ws = createWorkspace();
  ws.put("a", "hit");
  const fs: Fs = { ...localFs(), search: { grep: () => Promise.resolve(undefined), opensPaths: true } };
  expect(await found(fs, query(ws.root))).toEqual(["a"]);
});

test.each([
  ["ripgrep", localFs()],
  [
    "the walker on the disk",
    { ...localFs(), search: { grep: () => Promise.resolve(undefined), opensPaths: true } },
  ],
  ["the walker on the seam", { ...localFs(), search: { grep: () => Promise.resolve(undefined) } }],
] as const)(
  "a search by %s of thousands of files ends within 200 ms of its cancellation",
  async (_name, fs) => {
    const ws = createWorkspace();
    for (let index = 0; index < 3_000; index++)
      ws.put(`d${index % 100}/f${index}`, "no match here\n".repeat(50));
    const abort = new AbortController();
    let abortedAt = 0;
    setTimeout(() => {
      abortedAt = performance.now();
      abort.abort();
    }, 5);
    const block = await longestBlock(async () => {
      await expect(searchContent(fs, query(ws.root), abort.signal)).rejects.toThrow("Cancelled.");
    });
    expect(performance.now() - abortedAt).toBeLessThan(200);
    expect(block).toBeLessThan(100);
  },
);
