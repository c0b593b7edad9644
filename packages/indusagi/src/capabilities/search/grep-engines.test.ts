import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { growthOf } from "../../../../../tests/support/effort.ts";
import { isLong, LONG_ONLY } from "../../../../../tests/support/long-form.ts";
import { describeSearch } from "../../../../../tests/support/search-cases.ts";
import { createWorkspace, HELD_UP_MS, longestBlock } from "../../../../../tests/support/test-workspace.ts";
import { localFs } from "../backends/local-fs.ts";
import { memoryFs } from "../backends/memory-fs.ts";
import { ripgrepSearch } from "../backends/ripgrep.ts";
import { scopedFs } from "../backends/scoped-fs.ts";
import type { Fs, FsSearch } from "../kernel/contract.ts";
import { nativeGrep, searchContent } from "./content-search.ts";
import { PatternError } from "./pattern.ts";
import { portableGrep } from "./portable-grep.ts";

const { search: _native, ...seam } = localFs();
const portable: FsSearch["grep"] = (query, signal) => portableGrep(seam, query, { signal });
const onDisk: FsSearch["grep"] = (query, signal) => portableGrep(localFs(), query, { signal });
const native: FsSearch["grep"] = (query, signal) => nativeGrep(localFs(), query, signal);

describeSearch("the portable walker whose thread reads the disk", onDisk);
describeSearch("ripgrep", native, { leavesToWalker: true });
describeSearch("the memory", (query, signal) => searchContent(copyOf(query.root), query, signal), {
  isPlain: true,
});

describe("what these three are made into", LONG_ONLY, () => {
  const scope = { mayRead: () => true, mayWrite: () => false };
  describeSearch("the portable walker", portable);
  describeSearch("whichever engine answers soonest", (query, signal) =>
    searchContent(localFs(), query, signal),
  );
  describeSearch("a seam within a scope", (query, signal) =>
    searchContent(scopedFs(localFs(), scope), query, signal),
  );
  describeSearch("a seam without a search, within a scope", (query, signal) =>
    searchContent(scopedFs(seam, scope), query, signal),
  );
});

/** A copy in memory of what is on the disk around `root`. */
function copyOf(root: string): Fs {
  const top = /^.*?capabilities-[^/\\]+/.exec(root)?.[0] ?? root;
  const files = readdirSync(top, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map((entry) => join(entry.parentPath, entry.name));
  return memoryFs(Object.fromEntries(paths.map((path) => [path, readFileSync(path)])));
}

const { signal } = new AbortController();

test("both engines refuse the same broken pattern", async () => {
  const ws = createWorkspace();
  ws.put("a", "x");
  const query = { root: ws.root, pattern: "(x", ignoreCase: false, maxHits: 10 };
  await expect(portable(query, signal)).rejects.toThrow(PatternError);
  await expect(ripgrepSearch.grep(query, signal)).rejects.toThrow(
    "Could not compile the search pattern: unclosed group",
  );
});

test("both engines stop when they are cancelled", async () => {
  const ws = createWorkspace();
  ws.put("a", "x");
  const query = { root: ws.root, pattern: "x+", ignoreCase: false, maxHits: 10 };
  await expect(portable(query, AbortSignal.abort())).rejects.toThrow("Cancelled.");
  await expect(ripgrepSearch.grep(query, AbortSignal.abort())).rejects.toThrow("Cancelled.");
});

// Each additional `a` doubles the time of a backtracking matcher.
const EVIL = { pattern: "(a+)+$", line: `${"a".repeat(40)}!` };

/** Makes five seconds pass as soon as a file is read; only the long form lets the thread run for that long. */
const hurried: Fs = {
  ...seam,
  async readBytes(...args) {
    const bytes = await seam.readBytes(...args);
    const now = Date.now;
    vi.spyOn(Date, "now").mockImplementation(() => now() + 6_000);
    return bytes;
  },
};

test("a pattern of exponential time never blocks the event loop: ripgrep is linear, the thread has a deadline", async () => {
  const ws = createWorkspace();
  ws.put("a.txt", `${EVIL.line}\n`);
  const query = { root: ws.root, pattern: EVIL.pattern, ignoreCase: false, maxHits: 10 };
  const block = await longestBlock(async () => {
    expect(await ripgrepSearch.grep(query, signal)).toEqual({ hits: [], truncated: false });
    await expect(portableGrep(isLong ? seam : hurried, query, { signal })).rejects.toThrow(
      "Could not compile the search pattern: matching takes over 5 seconds. Simplify it.",
    );
  });
  expect(block).toBeLessThan(HELD_UP_MS); // matching this line would take days
  // The twin, on shorter lines: matching here blocks everything.
  const naive = (length: number): boolean => new RegExp(EVIL.pattern).test(`${"a".repeat(length)}!`);
  expect(growthOf([10, 14, 20], naive)).toBe("steep");
});

test("a cancelled match does not wait for the deadline", async () => {
  const ws = createWorkspace();
  ws.put("a.txt", EVIL.line);
  const abort = new AbortController();
  setTimeout(() => abort.abort(), 300);
  const query = { root: ws.root, pattern: EVIL.pattern, ignoreCase: false, maxHits: 10 };
  await expect(portable(query, abort.signal)).rejects.toThrow("Cancelled."); // the deadline has a different message
});

test("on a tree with thousands of hits both engines agree to the line", async () => {
  const ws = createWorkspace();
  for (let i = 0; i < 200; i++) ws.put(`d${i % 7}/e${i % 3}/f${i}.txt`, `match ${i}\nother\n`.repeat(20));
  for (const maxHits of [10, 1_999, 2_000, 3_999, 4_000, 5_000]) {
    const query = { root: ws.root, pattern: "match \\d+", ignoreCase: false, maxHits };
    expect(await ripgrepSearch.grep(query, signal)).toEqual(await portable(query, signal));
  }
});
