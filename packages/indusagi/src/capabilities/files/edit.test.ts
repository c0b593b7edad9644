import { chmodSync, linkSync, lstatSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { growthOf } from "../../../../../tests/support/effort.ts";
import { isLong, LONG_ONLY } from "../../../../../tests/support/long-form.ts";
import { createWorkspace, type Workspace } from "../../../../../tests/support/test-workspace.ts";
import type { JsonValue } from "../../core/schema/json-schema.ts";
import { localFs } from "../backends/local-fs.ts";
import { editTool } from "./edit.ts";
import { editReplacements } from "./edit-replacements.ts";
import { MODIFIED_SINCE_READ_MESSAGE } from "./read-state-gate.ts";
import { replaceSpans } from "./replace-spans.ts";
import { findNearest, findSnippet } from "./snippet-match.ts";

const edit = editTool();

/** Edits a file with this content; returns the file's new content and the outcome. */
async function editing(
  ws: Workspace,
  content: string | Uint8Array,
  input: { readonly oldText: string; readonly newText: string; readonly replaceAll?: boolean },
): Promise<{ readonly content: string; readonly output: JsonValue; readonly isError: boolean }> {
  const path = ws.put("a.txt", content);
  const { output, isError } = await ws.call(edit, { path: "a.txt", ...input });
  return { content: readFileSync(path, "utf8"), output, isError };
}

test("a snippet that is there once is replaced, and the outcome is a summary with a diff", async () => {
  const ws = createWorkspace();
  expect(await editing(ws, "one\ntwo\nthree\n", { oldText: "two", newText: "TWO" })).toEqual({
    content: "one\nTWO\nthree\n",
    output: [
      { kind: "text", text: "Edited a.txt: 1 replacement." },
      {
        kind: "json",
        value: { path: "a.txt", replacements: 1, diff: "@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n" },
      },
    ],
    isError: false,
  });
});

test("a snippet that is there more than once is refused, unless every place is meant", async () => {
  const ws = createWorkspace();
  expect(await editing(ws, "a\nb\na\n", { oldText: "a", newText: "x" })).toEqual({
    content: "a\nb\na\n",
    output:
      "oldText occurs 2 times in a.txt (lines 1, 3). Include more of the surrounding text, or set replaceAll.",
    isError: true,
  });
  expect((await editing(ws, "a\nb\na\n", { oldText: "a", newText: "xa", replaceAll: true })).content).toBe(
    "xa\nb\nxa\n",
  );
});

test("places that overlap are counted, where going on behind each match sees one", async () => {
  const ws = createWorkspace();
  const twice =
    "oldText occurs 2 times in a.txt (lines 1, 1). Include more of the surrounding text, or set replaceAll.";
  expect(await editing(ws, "aaa\n", { oldText: "aa", newText: "b" })).toEqual({
    content: "aaa\n",
    output: twice,
    isError: true,
  });
  expect((await editing(ws, "}\n\n}\n\n}\n", { oldText: "}\n\n}", newText: "}" })).output).toContain(
    "occurs 2 times in a.txt (lines 1, 3).",
  );
  expect((await editing(ws, "a  b a\tb a", { oldText: "a b\na", newText: "x" })).output).toContain(
    "occurs 2 times in a.txt, ignoring whitespace (lines 1, 1).",
  );
  expect((await editing(ws, "aaaaa", { oldText: "aa", newText: "b", replaceAll: true })).content).toBe("bba");
  expect("aaa".split("aa")).toHaveLength(2); // the twin: one place
});

test("half a character is nowhere and never written, where a search by units finds it", async () => {
  const ws = createWorkspace();
  const [high = "", low = ""] = "😀".split("");
  for (const half of [high, low, `a${high}`, `${low}b`]) {
    const { content, output } = await editing(ws, "a😀b\n", { oldText: half, newText: "x" });
    expect([content, output]).toEqual(["a😀b\n", expect.stringMatching(/^oldText is not in a\.txt/)]);
    expect("a😀b\n").toContain(half); // the twin
  }
  expect((await editing(ws, "a😀b", { oldText: "😁", newText: "x" })).output).toBe(
    "oldText is not in a.txt. The closest match is at line 1: a😀b\n" +
      'It first differs at line 1, column 2: oldText has "😁", the file has "😀".',
  );
  expect(await editing(ws, "a😀b", { oldText: "b", newText: high })).toEqual({
    content: "a😀b",
    output:
      '"newText" contains half of a character (a lone surrogate), which cannot be encoded. Use the whole character.',
    isError: true,
  });
});

test("lines that blank lines separate are not taken for neighbours, where collapsing whitespace joins them", async () => {
  const ws = createWorkspace();
  const before = "first\n\n  next\n";
  const result = await editing(ws, before, { oldText: "first\nnext", newText: "both" });
  expect(result).toEqual({
    content: before,
    output:
      "oldText is not in a.txt. The closest match is at line 1: first\n" +
      'It first differs at line 1, column 6: oldText has " ", the file has a blank line.',
    isError: true,
  });
  expect(before.replaceAll(/\s+/g, " ")).toContain("first next"); // the twin
  expect(
    (await editing(ws, "first\nnext\n", { oldText: "first\n\nnext", newText: "other" })).output,
  ).toContain('oldText has a blank line, the file has " ".');
  // The number of blank lines, and what they contain, is whitespace like any other.
  expect(
    (await editing(ws, "first\r\n\t\r\n\r\nnext", { oldText: "first\n\nnext", newText: "x" })).content,
  ).toBe("x");
});

test("every place is found, as comparing at each finds it", () => {
  let seed = 7;
  const random = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((seed / 2_147_483_648) * below);
  };
  const anyText = (length: number): string => Array.from({ length }, () => "ab \n"[random(4)]).join("");
  const plain = (text: string): string =>
    text.trim().replaceAll(/\s+/g, (run) => (run.split("\n").length > 2 ? "\n" : " "));
  for (let round = 0; round < (isLong ? 5_000 : 300); round++) {
    const [text, snippet] = [anyText(random(30)), anyText(1 + random(5))];
    const { spans, places, isFuzzy } = findSnippet(text, snippet);
    const expected: string[] = [];
    for (let start = 0; start < text.length; start++) {
      if (isFuzzy && /^\s/.test(text.slice(start))) continue;
      for (let end = start + 1; end <= text.length; end++) {
        const place = text.slice(start, end);
        if (isFuzzy ? plain(place) === plain(snippet) && /\S$/.test(place) : place === snippet)
          expected.push(place);
      }
    }
    expect([text, snippet, places]).toEqual([text, snippet, expected.length]);
    for (const { start, end } of spans) expect(expected).toContain(text.slice(start, end));
    expect(spans.length > 0).toBe(places > 0);
    expect(spans.every((span, index) => span.start >= (spans[index - 1]?.end ?? 0))).toBe(true);
  }
});

test("an edit that asks for nothing is refused", async () => {
  const ws = createWorkspace();
  expect((await editing(ws, "a", { oldText: "a", newText: "a" })).output).toBe(
    "oldText and newText are identical, so there is nothing to change.",
  );
  expect((await editing(ws, "a", { oldText: "", newText: "b" })).output).toBe('"oldText" must not be empty.');
  expect((await editing(ws, "x  y", { oldText: "x y", newText: "x  y" })).output).toBe(
    "The edit changes nothing in a.txt: the file already has the new text.",
  );
});

test("text that differs only in whitespace is found, and nothing but it is touched", async () => {
  const ws = createWorkspace();
  const before = "\tif (a) {\n\t\tgo( 1 );\n\t}\n\n  other   spacing\t\n";
  const result = await editing(ws, before, {
    oldText: "  if (a) {\n    go( 1 );\n  }\n",
    newText: "  if (b) {\n    stop();\n  }\n",
  });
  expect(result.content).toBe("\tif (b) {\n\t\tstop();\n\t}\n\n  other   spacing\t\n");
  expect(result.output).toMatchObject([
    { text: "Edited a.txt: 1 replacement, matched ignoring whitespace." },
    {},
  ]);
});

test("a fuzzy match ends at its last non-blank, so it never swallows the blank before the next word", async () => {
  const ws = createWorkspace();
  expect((await editing(ws, "foo   bar baz", { oldText: "foo bar ", newText: "qux " })).content).toBe(
    "qux baz",
  );
});

test("dollar signs in the new text are themselves, where String.replace expands them", async () => {
  const ws = createWorkspace();
  const newText = "$& $1 $$ $` $'";
  expect((await editing(ws, "cost: X\n", { oldText: "X", newText })).content).toBe(`cost: ${newText}\n`);
  expect("cost: X\n".replace("X", newText)).not.toBe(`cost: ${newText}\n`); // the twin
});

test("carriage returns are kept everywhere and given to what is inserted, where re-joining lines flattens them", async () => {
  const ws = createWorkspace();
  const before = "one\r\ntwo\r\nthree\r\nlone\rreturn\r\n";
  const input = { oldText: "one\ntwo", newText: "1\n2\n2b" };
  expect((await editing(ws, before, input)).content).toBe("1\r\n2\r\n2b\r\nthree\r\nlone\rreturn\r\n");
  const naive = before.split(/\r?\n/).join("\n").replace(input.oldText, input.newText); // the twin
  expect(naive).not.toContain("\r\n");
});

test("in a file of mixed line ends, the nearest one decides for what is inserted", async () => {
  const ws = createWorkspace();
  const before = "a\r\nb\nc\r\n";
  expect((await editing(ws, before, { oldText: "a", newText: "a\nA" })).content).toBe("a\r\nA\r\nb\nc\r\n");
  expect((await editing(ws, before, { oldText: "b", newText: "b\nB" })).content).toBe("a\r\nb\nB\nc\r\n");
});

test("a byte order mark, a missing final line end and tabs survive", async () => {
  const ws = createWorkspace();
  expect((await editing(ws, "\ufeff\tone\n\ttwo", { oldText: "one", newText: "1" })).content).toBe(
    "\ufeff\t1\n\ttwo",
  );
});

const LATIN = Buffer.from("caf\xe9 \x80 = old\r\n\x81\x93\xff", "latin1");

test.each([
  ["Windows-1252", LATIN, "latin1"],
  ["UTF-16LE", Buffer.from("\ufeffcaf\u00e9 😀 = old\r\n\u202e", "utf16le"), "utf16le"],
  ["UTF-16BE", Buffer.from("\ufeffcaf\u00e9 😀 = old\r\n", "utf16le").swap16(), undefined],
] as const)(
  "text of %s is edited in place, where a lenient decoder destroys it",
  async (name, before, naive) => {
    const ws = createWorkspace();
    const path = ws.put("a.txt", before);
    const { output, isError } = await ws.call(edit, {
      path: "a.txt",
      oldText: "= old\n",
      newText: "= neu\nü\n",
    });
    expect([isError, output]).toMatchObject([
      false,
      [{ text: `Edited a.txt: 1 replacement. The encoding is still ${name}.` }, {}],
    ]);
    const swap = (bytes: Buffer): Buffer => (naive === undefined ? Buffer.from(bytes).swap16() : bytes);
    const changed = swap(before)
      .toString(naive ?? "utf16le")
      .replace("= old\r\n", "= neu\r\n\u00fc\r\n");
    expect(readFileSync(path)).toEqual(swap(Buffer.from(changed, naive ?? "utf16le")));
    writeFileSync(path, before.toString("utf8").replace("old", "neu")); // the twin
    expect(readFileSync(path, "utf8")).toContain("\ufffd");
  },
);

test("a character that the file's encoding has not is refused, and what is no text is left as it is", async () => {
  const ws = createWorkspace();
  const path = ws.put("a.txt", LATIN);
  expect(await ws.call(edit, { path: "a.txt", oldText: "old", newText: "→ new" })).toEqual({
    id: "call",
    output:
      'Cannot edit a.txt: it is not UTF-8 and is read as Windows-1252 (Latin-1), which has no "→". ' +
      "Use only characters of that encoding, or convert the file first: iconv -f WINDOWS-1252 -t UTF-8.",
    isError: true,
  });
  expect(readFileSync(path)).toEqual(LATIN);
  ws.put("b", Buffer.from([0xff, 0, 0x6f, 0x6c, 0x64]));
  expect((await ws.call(edit, { path: "b", oldText: "old", newText: "new" })).output).toBe(
    "Cannot edit b: it is not text: it has a NUL at byte 1, and is not valid UTF-8.",
  );
});

test("every byte of every encoding outside of an edit stays what it is", async () => {
  const ws = createWorkspace();
  const all = Buffer.from(Array.from({ length: 255 }, (_, index) => index + 1));
  const path = ws.put("a.txt", Buffer.concat([all, Buffer.from("here"), all]));
  await ws.call(edit, { path: "a.txt", oldText: "here", newText: "there" });
  expect(readFileSync(path)).toEqual(Buffer.concat([all, Buffer.from("there"), all]));
});

test.skipIf(process.platform === "win32")(
  "mode, hard links and symbolic links survive, where a bare rename loses all three",
  async () => {
    const ws = createWorkspace();
    const path = ws.put("real.sh", "echo old\n");
    chmodSync(path, 0o755);
    symlinkSync("real.sh", ws.path("link.sh"));
    await ws.call(edit, { path: "link.sh", oldText: "old", newText: "new" });
    expect([
      readFileSync(path, "utf8"),
      (statSync(path).mode & 0o777).toString(8),
      lstatSync(ws.path("link.sh")).isSymbolicLink(),
    ]).toEqual(["echo new\n", "755", true]);

    linkSync(path, ws.path("hard.sh"));
    await ws.call(edit, { path: "real.sh", oldText: "new", newText: "newer" });
    expect([readFileSync(ws.path("hard.sh"), "utf8"), statSync(path).nlink]).toEqual(["echo newer\n", 2]);

    const { renameSync } = await import("node:fs"); // the twin
    renameSync(ws.put("temp", "echo newest\n"), ws.path("link.sh"));
    expect([readFileSync(path, "utf8"), lstatSync(ws.path("link.sh")).isSymbolicLink()]).toEqual([
      "echo newer\n",
      false,
    ]);
  },
);

test("a miss names the nearest text and where it first differs", async () => {
  const ws = createWorkspace();
  const before = "function one() {\n  return 1;\n}\n\nfunction two() {\n  return 2;\n}\n";
  expect((await editing(ws, before, { oldText: "function two() {\n  return 3;", newText: "x" })).output).toBe(
    "oldText is not in a.txt. The closest match is at line 5: function two() {\n" +
      'It first differs at line 6, column 10: oldText has "3", the file has "2".',
  );
  expect((await editing(ws, "abc", { oldText: "abcd", newText: "x" })).output).toBe(
    "oldText is not in a.txt. The closest match is at line 1: abc\n" +
      'It first differs at line 1, column 4: oldText has "d", the file has nothing more.',
  );
  expect((await editing(ws, "abc", { oldText: "zebra", newText: "x" })).output).toBe(
    "oldText is not in a.txt, nor is anything similar. Read the file again.",
  );
});

test("an edit made before is recognised", async () => {
  const ws = createWorkspace();
  expect((await editing(ws, "a\nnew text\n", { oldText: "old text", newText: "new text" })).output).toBe(
    "oldText is not in a.txt, but newText is, at line 2: the edit appears to be already applied.",
  );
  const long = "a text that says enough to be known";
  const within = await editing(ws, `a\nb ${long} c\n`, { oldText: "old text", newText: long });
  expect(within.output).toContain("at line 2: the edit appears to be already applied");
});

test("a short text that is in the file for another reason is not taken for an edit made before", async () => {
  const ws = createWorkspace();
  for (const [text, newText] of [
    ["const total = x;\n", "x"],
    ["return;\nreturn;\n", "return;"],
    ["a 1 b\n", "1"],
  ] as const) {
    const { output } = await editing(ws, text, { oldText: "something else", newText });
    expect(output).toMatch(/^oldText is not in a\.txt[.,] (?!but newText)/);
  }
});

test("edits of one file side by side all arrive, where reading first and writing later loses some", async () => {
  const ws = createWorkspace();
  const path = ws.put("a.txt", Array.from({ length: 10 }, (_, index) => `<${index}>\n`).join(""));
  symlinkSync("a.txt", ws.path("link.txt"));
  const outcomes = await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      ws.call(edit, { path: index % 2 ? "a.txt" : "link.txt", oldText: `<${index}>`, newText: `(${index})` }),
    ),
  );
  expect(outcomes.filter((outcome) => outcome.isError)).toEqual([]);
  expect(readFileSync(path, "utf8")).not.toContain("<");
});

test("a file that someone else changes meanwhile is not overwritten", async () => {
  const ws = createWorkspace();
  const path = ws.put("a.txt", "old");
  const fs = {
    ...localFs(),
    readBytes: async (target: string) => {
      const bytes = await localFs().readBytes(target);
      writeFileSync(path, "somebody else's work");
      return bytes;
    },
  };
  expect((await ws.call(edit, { path: "a.txt", oldText: "old", newText: "new" }, { fs })).output).toBe(
    MODIFIED_SINCE_READ_MESSAGE,
  );
  expect(readFileSync(path, "utf8")).toBe("somebody else's work");
});

test("a very long diff is cut in its middle to 16 KB", async () => {
  const ws = createWorkspace();
  const before = Array.from({ length: 3_000 }, (_, index) => `line ${index}\n`).join("");
  const { output } = await editing(ws, before, { oldText: "line", newText: "LINE", replaceAll: true });
  const [, block] = output as { value: { diff: string; replacements: number } }[];
  expect(block?.value.replacements).toBe(3_000);
  expect(Buffer.byteLength(block?.value.diff ?? "")).toBeLessThan(16_384 + 100);
});

test("a text that repeats itself is searched in linear time, where comparing at every place takes the square", () => {
  const search = (size: number): void => {
    const text = "a  ".repeat(size);
    const snippet = `${"a ".repeat(size / 50)}b`;
    expect(findSnippet(text, snippet)).toMatchObject({ spans: [], places: 0 });
    expect(findNearest(text, snippet)).toMatchObject({ line: 1, expected: "b", found: "a" });
    // Places that all overlap one another, for both kinds of search.
    const opening = size / 50;
    expect(findSnippet("a".repeat(size), "a".repeat(opening)).places).toBe(size - opening + 1);
    expect(findSnippet(text, `${"a ".repeat(opening)}a`)).toMatchObject({
      places: size - opening,
      isFuzzy: true,
    });
  };
  expect(growthOf(isLong ? [10_000, 100_000, 1_000_000] : [2_000, 20_000, 200_000], search)).toBe("even");
});

test("a hundred thousand matches in one line get their line ends in linear time", LONG_ONLY, () => {
  const replaced = (matches: number): string => {
    const text = `\r\n${"a;".repeat(matches)}`;
    const found = editReplacements(text, findSnippet(text, ";"), { oldText: ";", newText: "\n" });
    return found.kind === "clear" ? replaceSpans(text, found.replacements).text : "";
  };
  expect(replaced(500_000)).toBe(`\r\n${"a\r\n".repeat(500_000)}`);
  expect(growthOf([5_000, 50_000, 500_000], replaced)).toBe("even");
});
