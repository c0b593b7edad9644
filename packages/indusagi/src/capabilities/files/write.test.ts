import { execFileSync } from "node:child_process";
import {
  chmodSync,
  linkSync,
  lstatSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { describe, expect, test } from "vitest";
import { createWorkspace, HELD_UP_MS, longestBlock } from "../../../../../tests/support/test-workspace.ts";
import { localFs } from "../backends/local-fs.ts";
import type { CallReport, ReadRange, ReadStateRecord } from "../kernel/contract.ts";
import { editTool } from "./edit.ts";
import { readTool } from "./read.ts";
import { MODIFIED_SINCE_READ_MESSAGE, READ_BEFORE_EDIT_MESSAGE } from "./read-state-gate.ts";
import { writeTool } from "./write.ts";

const write = writeTool();

function gated(): { readonly framework: { readonly readState: Map<string, ReadStateRecord> } } {
  return { framework: { readState: new Map() } };
}

test("a file is saved with the folders it needs, counted in UTF-8 bytes", async () => {
  const ws = createWorkspace();
  const outputs = [];
  for (const content of ["é\n", "x", undefined]) {
    const input = content === undefined ? { path: "a/b/c.txt" } : { path: "a/b/c.txt", content };
    outputs.push((await ws.call(write, input)).output, readFileSync(ws.path("a/b/c.txt"), "utf8"));
  }
  expect(outputs).toEqual([
    "Saved 3 bytes to a/b/c.txt.",
    "é\n",
    "Saved 1 byte to a/b/c.txt.",
    "x",
    "Saved 0 bytes to a/b/c.txt.",
    "",
  ]);
  await ws.call(write, { path: "v.json", content: { a: [1] } });
  expect(readFileSync(ws.path("v.json"), "utf8")).toBe('{\n  "a": [\n    1\n  ]\n}');
});

test("a write under a name of invisible characters is refused, where the system would create the file", async () => {
  const ws = createWorkspace();
  const refused = async (path: string): Promise<unknown> =>
    (await ws.call(write, { path, content: "x" })).output;
  expect(await refused("")).toBe('"path" must not be empty.');
  expect(await refused(" ")).toBe('"path" contains only whitespace: expected a path.');
  expect(await refused("a/ ")).toBe("Cannot write a/ : the path has no file name. Append one.");
  expect(await refused("new/")).toBe("Cannot write new/: the path has no file name. Append one.");
  expect(readdirSync(ws.root)).toEqual([]);
  await ws.call(write, { path: '" "', content: "meant" });
  expect(readdirSync(ws.root)).toEqual([" "]);
  writeFileSync(ws.path("  "), ""); // the twin
});

test.runIf(process.platform === "linux")(
  "a write in /proc or /sys is refused, and says that these are kernel file systems",
  async () => {
    const ws = createWorkspace();
    const reason = "it is in /proc or /sys, kernel file systems where no file can be created. Use a command.";
    symlinkSync("/proc/self", ws.path("link"));
    for (const path of [
      "/proc/x",
      "/proc/a/b",
      "/sys/x",
      "/proc/self/comm",
      "link/comm",
      "../../../../../proc/x",
    ]) {
      expect((await ws.call(write, { path, content: "x" })).output).toBe(`Cannot write ${path}: ${reason}`);
    }
    const edited = await ws.call(editTool(), {
      path: "/proc/self/comm",
      oldText: "e",
      newText: "x",
      replaceAll: true,
    });
    expect(edited).toMatchObject({ isError: true, output: `Cannot edit /proc/self/comm: ${reason}` });
    expect(() => writeFileSync("/proc/x", "")).toThrow(/ENOENT|EACCES/); // the twin: the error does not say why
  },
);

test("a file keeps its encoding when it is overwritten, where writing UTF-8 changes it without a word", async () => {
  const ws = createWorkspace();
  const path = ws.put("a.txt", Buffer.from("\ufeffalt", "utf16le"));
  expect((await ws.call(write, { path: "a.txt", content: "grün" })).output).toBe(
    "Saved 10 bytes to a.txt. The encoding is still UTF-16LE.",
  );
  expect(readFileSync(path)).toEqual(Buffer.from("\ufeffgrün", "utf16le"));
  await ws.call(write, { path: "a.txt", content: "\ufeffx" });
  expect(readFileSync(path)).toEqual(Buffer.from("\ufeffx", "utf16le"));
  ws.put("a.txt", Buffer.from("caf\xe9", "latin1"));
  expect((await ws.call(write, { path: "a.txt", content: "thé €" })).output).toBe(
    "Saved 5 bytes to a.txt. The encoding is still Windows-1252.",
  );
  expect(readFileSync(path)).toEqual(Buffer.from("th\xe9 \x80", "latin1"));
  expect((await ws.call(write, { path: "a.txt", content: "→" })).output).toBe(
    'Cannot write a.txt: it is not UTF-8 and is read as Windows-1252 (Latin-1), which has no "→". ' +
      "Use only characters of that encoding, or convert the file first: iconv -f WINDOWS-1252 -t UTF-8.",
  );
  ws.put("bin", Buffer.from([0xff, 0]));
  expect((await ws.call(write, { path: "bin", content: "→" })).output).toBe(
    "Saved 3 bytes to bin. It was not text before, and is UTF-8 now.",
  );
});

const MARK = "\ufeff";

describe("a file that is overwritten keeps", () => {
  /** What a call writes over these bytes, and what it says beyond the size. */
  async function overwritten(before: string | Buffer, content: string) {
    const ws = createWorkspace();
    const path = ws.put("a.txt", before);
    const { output } = await ws.call(write, { path: "a.txt", content });
    const said = String(output).replace(/^Saved \d+ bytes? to a\.txt\./, "");
    return { bytes: readFileSync(path).toString("latin1"), said: said.trim() };
  }
  const latin1 = (text: string): string => Buffer.from(text).toString("latin1");

  test.each([
    ["its mark and CRLF", `${MARK}a\r\n`, "b\n", `${MARK}b\r\n`, "The file kept: BOM, CRLF."],
    ["its mark", `${MARK}a\n`, "b\n", `${MARK}b\n`, "The file kept: BOM."],
    ["a mark that is all it has", MARK, "b\n", `${MARK}b\n`, "The file kept: BOM."],
    ["CRLF", "a\r\nb\r\n", "1\n2\n3", "1\r\n2\r\n3", "The file kept: CRLF."],
    ["CR", "a\rb\r", "1\n2\n", "1\r2\r", "The file kept: CR."],
  ])("%s", async (_, before, content, after, said) => {
    expect(await overwritten(before, content)).toEqual({ bytes: latin1(after), said });
  });

  test.each([
    ["mixed line ends", "a\r\nb\n", "1\n2\n", "1\n2\n"],
    ["lone carriage returns among others", "a\r\nb\rc\r\n", "1\n", "1\n"],
    ["a line end, where the content has none", "a\r\n", "b", "b"],
    ["line feeds, where the content has CRLF", "a\n", "b\r\n", "b\r\n"],
    ["anything, if it is empty", "", "b\n", "b\n"],
    ["a missing last line end", "a\nb", "c\n", "c\n"],
    ["its mark twice", `${MARK}a\n`, `${MARK}b\n`, `${MARK}b\n`],
    ["CRLF, where the content has its own ends", "a\r\n", "b\r\nc\n", "b\r\nc\n"],
  ])("not %s", async (_, before, content, after) => {
    expect(await overwritten(before, content)).toEqual({ bytes: latin1(after), said: "" });
  });

  test.each(["utf16le", "utf16be"])("CRLF in %s", async (name) => {
    const inUtf16 = (text: string): Buffer => {
      const bytes = Buffer.from(MARK + text, "utf16le");
      return name === "utf16le" ? bytes : bytes.swap16();
    };
    const { bytes, said } = await overwritten(inUtf16("\u0a0d\r\n\u0d0a\r\n"), "é\n\n");
    expect(bytes).toBe(inUtf16("é\r\n\r\n").toString("latin1"));
    expect(said).toBe(
      `The encoding is still UTF-16${name === "utf16le" ? "LE" : "BE"}. The file kept: CRLF.`,
    );
  });

  test("line ends that differ only far behind the opening", async () => {
    const long = `${"x".repeat(4_194_303)}\r\n${"y\r\n".repeat(10)}`;
    expect((await overwritten(long, "1\n")).bytes).toBe("1\r\n");
    expect((await overwritten(`${long}z\n`, "1\n")).bytes).toBe("1\n");
    expect((await overwritten(`${long}z\r`, "1\n")).bytes).toBe("1\n");
  });

  test.skipIf(process.platform === "win32")("its mode and its links", async () => {
    const ws = createWorkspace();
    const path = ws.put("run.sh", "echo a\r\n");
    chmodSync(path, 0o755);
    linkSync(path, ws.path("hard.sh"));
    symlinkSync("run.sh", ws.path("soft.sh"));
    await ws.call(write, { path: "soft.sh", content: "echo b\n" });
    expect(readFileSync(ws.path("hard.sh"), "utf8")).toBe("echo b\r\n");
    expect([statSync(path).mode & 0o777, lstatSync(ws.path("soft.sh")).isSymbolicLink()]).toEqual([
      0o755,
      true,
    ]);
  });
});

describe("whoever looks on", () => {
  async function told(before: string | Buffer | undefined, content: string) {
    const ws = createWorkspace();
    if (before !== undefined) ws.put("a.txt", before);
    const said: string[] = [];
    const report: CallReport = {
      status: (text) => said.push(`status ${text}`),
      diff: (text) => said.push(text),
      cost: () => undefined,
      picture: () => undefined,
    };
    const { output } = await ws.call(write, { path: "a.txt", content }, { framework: { report } });
    return { said, output };
  }

  test("sees what became of a file that was there, in its encoding; the model reads what it always did", async () => {
    const diff = "@@ -1,2 +1,2 @@\n-one\n+eins\n two\n";
    expect(await told("one\ntwo\n", "eins\ntwo\n")).toEqual({
      said: [diff],
      output: "Saved 9 bytes to a.txt.",
    });
    expect((await told(Buffer.from("\ufeffone\ntwo\n", "utf16le"), "eins\ntwo\n")).said).toEqual([diff]);
  });

  test.each([
    ["a new file that is empty", undefined, ""],
    ["what was there already", "x", "x"],
    ["what is no text", Buffer.from([0xff, 0]), "x"],
  ])("sees nothing of %s", async (_, before, content) => {
    expect((await told(before, content)).said).toEqual([]);
  });

  test("sees what a new file holds", async () => {
    expect((await told(undefined, "one\ntwo\n")).said).toEqual(["@@ -0,0 +1,2 @@\n+one\n+two\n"]);
  });

  test("sees the begin and the end of a long change, and is told where there was too much", async () => {
    const lines = (word: string, count: number): string =>
      Array.from({ length: count }, (_, n) => `${word} ${n}\n`).join("");
    const [diff = ""] = (await told(lines("old", 20_000), lines("new", 20_000))).said;
    expect(diff.length).toBeLessThan(17_000);
    expect(diff).toMatch(/^@@[^\n]*\n-old 0\n[\s\S]*\+new 19999\n$/);
    for (const length of [4_194_304, 1_048_576])
      expect((await told("x".repeat(length), "y")).said).toEqual(["status too long for a diff"]);
  });

  test("does not hold others up, however little the texts have in common", async () => {
    const shuffled = (step: number): string =>
      Array.from({ length: 40_000 }, (_, n) => `line ${(n * step) % 40_000}\n`).join("");
    const [before, after] = [shuffled(7_919), shuffled(104_729)];
    expect(await longestBlock(() => told(before, after))).toBeLessThan(HELD_UP_MS);
  });
});

test("half a character is refused, where an encoder writes another one in its place", async () => {
  const ws = createWorkspace();
  expect((await ws.call(write, { path: "a", content: "x\ud83d" })).output).toBe(
    '"content" contains half of a character (a lone surrogate), which cannot be encoded. Use the whole character.',
  );
  expect(() => readFileSync(ws.path("a"))).toThrow("ENOENT");
  expect(Buffer.from("x\ud83d").toString()).toBe("x\ufffd"); // the twin
});

test("a path that cannot be written is refused, and the reason named", async () => {
  const ws = createWorkspace();
  ws.put("file", "");
  ws.put("folder/x", "");
  expect(await ws.call(write, { path: "folder", content: "x" })).toEqual({
    id: "call",
    output: "Cannot write folder: it is a directory.",
    isError: true,
  });
  expect((await ws.call(write, { path: "file/x", content: "x" })).output).toBe(
    "Cannot write file/x: a part of the path is a file, not a directory.",
  );
  expect((await ws.call(write, { content: "x" })).output).toBe('"path" is missing: expected a string.');
});

test("with a gate, only a file read as it is now may be changed, and a new one is exempt", async () => {
  const ws = createWorkspace();
  const path = ws.put("a.txt", "one");
  const options = gated();
  const save = async (content: string): Promise<unknown> =>
    (await ws.call(write, { path: "a.txt", content }, options)).output;

  expect((await ws.call(write, { path: "new.txt", content: "x" }, options)).isError).toBe(false);
  expect(await save("two")).toBe(READ_BEFORE_EDIT_MESSAGE);
  ws.put("folder/x", ""); // a folder cannot be read first
  expect((await ws.call(write, { path: "folder", content: "x" }, options)).output).toBe(
    "Cannot write folder: it is a directory.",
  );
  await ws.call(readTool(), { path: "a.txt" }, options);
  expect(await save("two")).toBe("Saved 3 bytes to a.txt.");
  expect(await save("three")).toBe("Saved 5 bytes to a.txt."); // the tool's own write counts as a read

  ws.put("a.txt", "a linter was here");
  expect(await save("four")).toBe(MODIFIED_SINCE_READ_MESSAGE);
  await ws.call(readTool(), { path: "a.txt" }, options);
  utimesSync(path, new Date(), new Date(Date.now() + 5_000)); // same size, later time
  expect(
    (await ws.call(editTool(), { path: "a.txt", oldText: "linter", newText: "x" }, options)).output,
  ).toBe(MODIFIED_SINCE_READ_MESSAGE);
});

test("an earlier modification time is no change, but other content is", async () => {
  const ws = createWorkspace();
  const path = ws.put("a.txt", "one");
  const options = gated();
  await ws.call(readTool(), { path: "a.txt" }, options);
  utimesSync(path, new Date(), new Date(Date.now() - 86_400_000));
  const edit = { path: "a.txt", oldText: "one", newText: "two" };
  expect((await ws.call(editTool(), edit, options)).isError).toBe(false);
  ws.put("a.txt", "uno"); // a copy of the same size that was put back
  utimesSync(path, new Date(), new Date(Date.now() - 86_400_000));
  expect((await ws.call(write, { path: "a.txt", content: "x" }, options)).output).toBe(
    MODIFIED_SINCE_READ_MESSAGE,
  );
});

test("a file that cannot be read is refused with the reason, and not with the advice to read it first", async () => {
  const ws = createWorkspace();
  const path = ws.put("secret", "text");
  ws.put("binary", Buffer.from([0xff, 0, 1]));
  ws.put("wide", Buffer.from("alpha\n", "utf16le"));
  const fs = {
    ...localFs(),
    readBytes: (target: string, range?: ReadRange) =>
      target === path
        ? Promise.reject(Object.assign(new Error("EACCES"), { code: "EACCES" }))
        : localFs().readBytes(target, range),
  };
  const tried = async (name: string): Promise<unknown> =>
    (await ws.call(write, { path: name, content: "x" }, { ...gated(), fs })).output;
  expect(await tried("secret")).toBe("Cannot write secret: permission denied.");
  expect(await tried("binary")).toBe(
    "Cannot write binary: it is not text: it has a NUL at byte 1, and is not valid UTF-8. To replace it, remove it first.",
  );
  expect(await tried("wide")).toMatch(/^Cannot write wide: it is not text as it is: it looks like UTF-16LE/);
  const edited = await ws.call(
    editTool(),
    { path: "secret", oldText: "a", newText: "b" },
    { ...gated(), fs },
  );
  expect(edited.output).toBe("Cannot edit secret: permission denied.");
});

test.skipIf(process.platform === "win32")(
  "a pipe or a device is refused as no regular file, with and without the gate",
  async () => {
    const ws = createWorkspace();
    execFileSync("mkfifo", [ws.path("pipe")]);
    symlinkSync("/dev/null", ws.path("device"));
    for (const options of [gated(), {}])
      for (const name of ["pipe", "device"])
        expect((await ws.call(write, { path: name, content: "x" }, options)).output).toBe(
          `Cannot write ${name}: it is not a regular file.`,
        );
  },
);

test("the gate's messages stay as they are, byte for byte", () => {
  expect([READ_BEFORE_EDIT_MESSAGE, MODIFIED_SINCE_READ_MESSAGE]).toEqual([
    "File has not been read yet. Read it first before writing to it.",
    "File has been modified since read, either by the user or by a linter. Read it again before attempting to write it.",
  ]);
});
