// Counts the output of the real tools, so that neither side can change alone.

import { findTool, grepTool, lsTool, readTool } from "indusagi/capabilities";
import { expect, it } from "vitest";
import { createWorkspace } from "../../../../../tests/support/test-workspace.ts";
import { foundCount } from "./found-count.ts";
import { callHead } from "./item-lines.ts";

const TOOLS = {
  grep: grepTool({ respectGitignore: true }),
  find: findTool(),
  ls: lsTool(),
  read: readTool(),
};

function counter() {
  const place = createWorkspace();
  const count = async (
    name: keyof typeof TOOLS,
    input: Parameters<typeof place.call>[1],
    maxBytes = 50_000,
  ): Promise<string> => {
    const budget = { kind: "middle", maxBytes } as const;
    const { output } = await place.call(TOOLS[name], input, { budget });
    return foundCount(name, String(output));
  };
  return { ...place, count };
}

it("the count of a search is that of its hits, not of its lines", async () => {
  const { put, count } = counter();
  put("three.txt", "one\ntwo\nthree\n");
  put("sub/[id].tsx", "one\n");
  put("bin", new Uint8Array([0, 1, 2]));
  put(".gitignore", "ignored\n");
  put("ignored", "one\n");
  expect(await count("grep", { pattern: "zzzqq" })).toBe("nothing found");
  expect(await count("grep", { pattern: "one" })).toBe("2 matches");
  expect(await count("grep", { pattern: "two" })).toBe("1 match");
  expect(await count("grep", { pattern: ".", maxHits: 2 })).toBe("2+ matches");
  expect(await count("find", { query: "zzzqq" })).toBe("nothing found");
  expect(await count("find", { query: "[id].tsx" })).toBe("1 path"); // not a note, though it begins like one
  expect(await count("find", { query: "t" })).toBe("3 paths");
  expect(await count("ls", {})).toBe("4 entries");
  expect(await count("ls", { path: "sub" })).toBe("1 entry");
});

it("a search whose result was cut says that there are more", async () => {
  const { put, count } = counter();
  put("many", "a line\n".repeat(100));
  expect(await count("grep", { pattern: "line" })).toBe("100 matches");
  expect(await count("grep", { pattern: "line" }, 200)).toMatch(/^\d\d?\+ matches$/);
});

it("the count of a read is that of the lines that it showed", async () => {
  const { put, count } = counter();
  put("three.txt", "one\ntwo\nthree\n");
  put("long.txt", "a line\n".repeat(100));
  put("empty.txt", "");
  expect(await count("read", { path: "three.txt" })).toBe("3 lines");
  expect(await count("read", { path: "three.txt", offset: 2, limit: 1 })).toBe("1 line");
  expect(await count("read", { path: "long.txt" }, 300)).toBe("21 lines"); // the first and the last lines
  expect(await count("read", { path: "empty.txt" })).toBe("empty");
  expect(await count("read", { path: "three.txt", byteOffset: 2 })).toBe("");
});

it("what an older session's log says of a search that found nothing is understood", () => {
  expect(foundCount("find", "Nothing under . is named like x.")).toBe("nothing found");
});

it("the row of a search that found nothing says so", () => {
  const output = "No line under . matches zzzqq.";
  const row = callHead({ kind: "call", callId: "1", name: "grep", title: "zzzqq", state: "ok", output }, 80);
  expect(row.map(({ text }) => text).join("")).toBe("✓ grep zzzqq  nothing found");
});
