import { execFileSync } from "node:child_process";
import { mkdirSync, truncateSync } from "node:fs";
import { expect, test } from "vitest";
import { createWorkspace } from "../../../../../tests/support/test-workspace.ts";
import { standardBudget } from "../backends/local.ts";
import { localFs } from "../backends/local-fs.ts";
import type { Fs, ReadStateRecord } from "../kernel/contract.ts";
import { READ_LIMITS } from "./line-window.ts";
import { readTool } from "./read.ts";

const read = readTool();

test("lines stand behind a six-wide number, and the header says which they are", async () => {
  const ws = createWorkspace();
  ws.put("a.txt", "one\ntwo\nthree\n");
  const outputs = [];
  for (const window of [{}, { offset: 2, limit: 1 }, { offset: 3 }, { limit: 9 }]) {
    outputs.push((await ws.call(read, { path: "a.txt", ...window })).output);
  }
  const all = "Showing lines 1–3 of 3.\n     1\tone\n     2\ttwo\n     3\tthree";
  expect(outputs).toEqual([
    all,
    "Showing lines 2–2 of 3. 1 line remaining: continue with offset 3.\n     2\ttwo",
    "Showing lines 3–3 of 3.\n     3\tthree",
    all,
  ]);
});

test("the header of a read says that a file is empty, has CRLF line ends or no final one", async () => {
  const ws = createWorkspace();
  ws.put("empty", "");
  ws.put("crlf", "a\r\nb");
  expect((await ws.call(read, { path: "empty" })).output).toBe("The file is empty.");
  expect((await ws.call(read, { path: "crlf" })).output).toBe(
    "Showing lines 1–2 of 2. Line endings are CRLF. The last line has no line ending.\n     1\ta\n     2\tb",
  );
  ws.put("mixed", "a\r\nb\n");
  expect((await ws.call(read, { path: "mixed" })).output).toBe(
    "Showing lines 1–2 of 2. Line endings are mixed: carriage returns are shown.\n     1\ta\r\n     2\tb",
  );
});

test.skipIf(process.platform === "win32")(
  "a path that cannot be read is refused with the reason",
  async () => {
    const ws = createWorkspace();
    mkdirSync(ws.path("folder"));
    ws.put("short", "a\n");
    ws.put("binary", Buffer.from([0xe9, 0x0a, 0]));
    ws.put("utf32", Buffer.from([0xff, 0xfe, 0, 0, 0x61, 0, 0, 0]));
    ws.put("utf16", Buffer.from([0xff, 0xfe, 0x61]));
    execFileSync("mkfifo", [ws.path("pipe")]);
    const refusals = [];
    for (const input of [
      { path: "none" },
      { path: "folder" },
      { path: "pipe" },
      { path: "/dev/zero" },
      { path: "binary" },
      { path: "utf32" },
      { path: "utf16" },
      { path: "short", byteOffset: 2 },
      { path: "short", byteOffset: -1 },
      { path: "short", byteOffset: 0, offset: 1 },
      { path: "short", offset: 5 },
      { path: "short", limit: 0 },
      { path: "a\0b" },
      { path: "" },
      { path: " " },
      {},
    ]) {
      const { output, isError } = await ws.call(read, input);
      expect(isError).toBe(true);
      refusals.push(output);
    }
    expect(refusals).toEqual([
      "Cannot read none: no such file or directory. Use find or ls to look for it.",
      "Cannot read folder: it is a directory. Use ls to list it.",
      "Cannot read pipe: it is not a regular file.",
      "Cannot read /dev/zero: it is not a regular file.",
      "Cannot read binary: it is not text: it has a NUL at byte 2, and is not valid UTF-8.",
      "Cannot read utf32: it is UTF-32 text.",
      "Cannot read utf16: it has a UTF-16LE byte order mark but is not valid UTF-16LE.",
      "short has 2 bytes: byteOffset 2 is past its end.",
      '"byteOffset" must be a non-negative whole number, got -1.',
      'Use either "offset" (a line) or "byteOffset" (a byte), not both.',
      "short has 1 line: offset 5 is past its end.",
      '"limit" must be a positive whole number, got 0.',
      'read failed: The path "a\\u0000b" contains a NUL byte. Remove it.',
      '"path" must not be empty.',
      '"path" contains only whitespace: expected a path.',
      '"path" is missing: expected a string.',
    ]);
  },
);

test("a long file is cut in its middle between lines, and the header says which and how to see them", async () => {
  const ws = createWorkspace();
  ws.put("long", "x".repeat(50).concat("\n").repeat(5_000));
  const { output } = await ws.call(read, { path: "long" });
  const [header, ...lines] = String(output).split("\n");
  expect(header).toBe(
    "Showing lines 1–565 and 4437–5000 of 5000. " +
      "Lines 566–4436 (197421 bytes) were trimmed: use offset 566 and limit 3871 to see them.",
  );
  expect(lines[565]).toBe("[read: 197421 bytes trimmed to stay within the output ceiling]");
  expect([lines[564], lines[566]]).toEqual([`   565\t${"x".repeat(50)}`, `  4437\t${"x".repeat(50)}`]);
  expect(Buffer.byteLength(lines.join("\n"))).toBeLessThanOrEqual(standardBudget().maxBytes + 70);
});

test("a line longer than an answer is reached by its bytes, where offset and limit could not", async () => {
  const ws = createWorkspace();
  const line = Array.from({ length: 300_000 }, (_, index) => `é${index}`)
    .join("")
    .slice(0, 1_500_000);
  ws.put("minified.js", line);
  let seen = "";
  let { output } = await ws.call(read, { path: "minified.js" });
  const [, head = ""] = String(output).split("\t");
  seen += head;
  expect(String(output).split("\n")[0]).toBe(
    `Showing lines 1–1 of 1. The line is longer than the output ceiling: continue with byteOffset ${Buffer.byteLength(head)}.`,
  );
  for (let calls = 0; calls < 100; calls++) {
    const next = /byteOffset (\d+)\./.exec(String(output).split("\n")[0] ?? "")?.[1];
    if (next === undefined) break;
    ({ output } = await ws.call(read, { path: "minified.js", byteOffset: Number(next) }));
    seen += String(output).slice(String(output).indexOf("\n") + 1);
  }
  expect(seen === line).toBe(true);
});

test("a part of a file is shown by its bytes as it is, whole characters only", async () => {
  const ws = createWorkspace();
  ws.put("a", "aé\r\n😀z");
  const show = async (byteOffset: number, limit?: number): Promise<unknown> =>
    (await ws.call(read, { path: "a", byteOffset, ...(limit !== undefined && { limit }) })).output;
  expect(await show(0)).toBe("Showing bytes 0–9 of 10.\naé\r\n😀z");
  expect(await show(1, 1)).toBe("Showing bytes 1–2 of 10. 7 bytes remaining: continue with byteOffset 3.\né");
  expect(await show(2, 1)).toBe("Showing bytes 1–2 of 10. 7 bytes remaining: continue with byteOffset 3.\né");
  expect(await show(7, 3)).toBe("Showing bytes 5–9 of 10.\n😀z");
});

test("text in another encoding is read, and the encoding is named", async () => {
  const ws = createWorkspace();
  ws.put("le", Buffer.from("\ufeffgrün 😀\r\nzwei\r\n", "utf16le"));
  ws.put("be", Buffer.from("\ufeffgrün", "utf16le").swap16());
  ws.put("1252", Buffer.from("caf\xe9 \x80 \x93x\x94 \x81\n", "latin1"));
  expect((await ws.call(read, { path: "le" })).output).toBe(
    "Showing lines 1–2 of 2. Line endings are CRLF. It is UTF-16LE text.\n     1\tgrün 😀\n     2\tzwei",
  );
  expect((await ws.call(read, { path: "be" })).output).toBe(
    "Showing lines 1–1 of 1. The last line has no line ending. It is UTF-16BE text.\n     1\tgrün",
  );
  expect((await ws.call(read, { path: "1252" })).output).toBe(
    "Showing lines 1–1 of 1. It is not UTF-8: shown as Windows-1252 (Latin-1).\n     1\tcafé € “x” \x81",
  );
  expect((await ws.call(read, { path: "le", byteOffset: 3, limit: 2 })).output).toBe(
    "Showing bytes 2–3 of 32. 28 bytes remaining: continue with byteOffset 4. It is UTF-16LE text.\ng",
  );
});

/** The local files, counting every read. */
function countingFs(): { readonly fs: Fs; readonly largest: () => number } {
  let largest = 0;
  const readBytes: Fs["readBytes"] = async (path, range) => {
    const bytes = await localFs().readBytes(path, range);
    largest = Math.max(largest, bytes.length);
    return bytes;
  };
  const readText: Fs["readText"] = () => Promise.reject(new Error("the whole file was asked for"));
  return { fs: { ...localFs(), readBytes, readText }, largest: () => largest };
}

test("a window of a huge file is found without holding the file", async () => {
  const ws = createWorkspace();
  ws.put(
    "huge",
    Buffer.concat(
      Array.from({ length: 60 }, (_, index) => Buffer.from(`block ${index}\n${"y".repeat(499_999)}\n`)),
    ),
  );
  const { fs, largest } = countingFs();
  expect((await ws.call(read, { path: "huge", offset: 101, limit: 1 }, { fs })).output).toBe(
    "Showing lines 101–101 of 120. 19 lines remaining: continue with offset 102.\n   101\tblock 50",
  );
  expect(largest()).toBeLessThanOrEqual(4_194_304);
  // Whole lines up to the limit; a line over it is cut, and the answer says so.
  expect((await ws.call(read, { path: "huge" }, { fs })).output).toBe(
    "Showing lines 1–1 of 120. 119 lines remaining: continue with offset 2.\n     1\tblock 0",
  );
  const { output } = await ws.call(read, { path: "huge", offset: 2, limit: 1 }, { fs });
  expect(String(output).slice(0, 158)).toBe(
    "Showing lines 2–2 of 120. The line is longer than the output ceiling: continue with byteOffset 65536. " +
      "118 lines remaining: continue with offset 3.\n     2\tyyyy",
  );
  expect(Buffer.byteLength(String(output))).toBeLessThan(standardBudget().maxBytes + 400);
  expect(await ws.call(read, { path: "huge", offset: 121 }, { fs })).toMatchObject({ isError: true });
});

test("of a file too large to count, only what leads to the window's end is read", async () => {
  const ws = createWorkspace();
  const path = ws.put("huge", "one\ntwo\nthree\n");
  truncateSync(path, READ_LIMITS.countedBytes + 1); // a sparse file: one long line of NULs
  let bytesRead = 0;
  const readBytes: Fs["readBytes"] = async (target, range) => {
    const bytes = await localFs().readBytes(target, range);
    bytesRead += bytes.length;
    return bytes;
  };
  const fs = { ...localFs(), readBytes };
  expect((await ws.call(read, { path: "huge", offset: 2, limit: 1 }, { fs })).output).toBe(
    "Showing lines 2–2 of a file too large to count. More lines follow: continue with offset 3.\n     2\ttwo",
  );
  expect(bytesRead).toBeLessThan(5_000_000);
  expect((await ws.call(read, { path: "huge" }, { fs })).output).toBe(
    "Showing lines 1–3 of a file too large to count. More lines follow: continue with offset 4.\n" +
      "     1\tone\n     2\ttwo\n     3\tthree",
  );
  expect((await ws.call(read, { path: "huge", offset: 9 }, { fs })).output).toBe(
    "huge has 4 lines: offset 9 is past its end.",
  );
});

test("a reader that gives up is heard between two ranges", async () => {
  const ws = createWorkspace();
  ws.put("huge", Buffer.alloc(20_000_000, "z\n"));
  const abort = new AbortController();
  const pending = ws.call(read, { path: "huge" }, { signal: abort.signal });
  setTimeout(() => abort.abort(), 1);
  expect(await pending).toEqual({ id: "call", output: "Cancelled while read was running.", isError: true });
});

test("a name is taken as written first, then a unique sibling that looks the same", async () => {
  const ws = createWorkspace();
  ws.put("shot 9.41\u202fAM.txt", "narrow");
  ws.put("cafe\u0301.txt", "decomposed");
  expect((await ws.call(read, { path: "shot 9.41 AM.txt" })).output).toBe(
    'Showing lines 1–1 of 1. The last line has no line ending. The file\'s name is "shot 9.41\u202fAM.txt".\n     1\tnarrow',
  );
  expect((await ws.call(read, { path: "caf\u00e9.txt" })).output).toContain("decomposed");
  ws.put("shot 9.41 AM.txt", "plain");
  expect((await ws.call(read, { path: "shot 9.41 AM.txt" })).output).toContain("plain");
  expect((await ws.call(read, { path: "shot 9.41\u00a0AM.txt" })).isError).toBe(true); // now two names match
});

test("a successful read is noted for the gate, with whole milliseconds", async () => {
  const ws = createWorkspace();
  const path = ws.put("a.txt", "12345");
  const records = new Map<string, ReadStateRecord>();
  const framework = { readState: recordsHandle(records) };
  await ws.call(read, { path: "none" }, { framework });
  await ws.call(read, { path: "a.txt" }, { framework });
  const { modifiedMs } = await localFs().stat(path);
  expect([...records].map(([name, { mtimeMs, size }]) => [name, mtimeMs, size])).toEqual([
    [path, Math.floor(modifiedMs), 5],
  ]);
});

function recordsHandle(records: Map<string, ReadStateRecord>) {
  return {
    get: (path: string) => records.get(path),
    set: (path: string, record: ReadStateRecord) => void records.set(path, record),
    has: (path: string) => records.has(path),
  };
}
