import { expect, test } from "vitest";
import type { GrepQuery } from "../kernel/contract.ts";
import { memoryFs } from "./memory-fs.ts";
import { scopedSearch } from "./scoped-search.ts";

const QUERY: GrepQuery = { root: "/", pattern: "x", ignoreCase: false, maxHits: 9 };

test.each([
  ["one file that the search program found changed, and none later", 1, "x is here", 1],
  ["a file that changed after the search", undefined, "now it is y", 1],
  ["one of each", 2, "now it is y", 3],
  ["none", undefined, "x is here", undefined],
])("a search counts the files that changed while it ran: %s", async (_which, changed, now, counted) => {
  const hits = [{ path: "/a", line: 1, text: "x is here", at: 0 }];
  const native = { grep: async () => ({ hits, truncated: false, timedOut: false, changed }) };
  const search = scopedSearch(native, memoryFs({ "/a": now }));
  const result = await search.grep(QUERY, "/", new AbortController().signal);
  expect(result?.changed).toBe(counted);
});
