// What edits and writes keep, and what searches find.

import { spawnSync } from "node:child_process";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import type { Workplace } from "../../tests/support/indus.ts";
import { bash, calls, printed, rowsOf } from "./calls.ts";
import type { Situation } from "./situation.ts";

const file = rowsOf("files");
const search = rowsOf("searches");

const having =
  (files: Readonly<Record<string, string>>, encoding: BufferEncoding = "latin1") =>
  ({ bytes }: Workplace): void => {
    for (const [path, text] of Object.entries(files)) bytes(path, Buffer.from(text, encoding));
  };

const readAndEdit = (path: string, oldText: string, newText: string) =>
  calls(["read", { path }], ["edit", { path, oldText, newText }]);
const readAndWrite = (path: string, content: string) =>
  calls(["read", { path }], ["write", { path, content }]);
const BOM = "\xef\xbb\xbf";
const LONG = "0123456789abcdef".repeat(150_000);

export const FILE_ROWS: readonly Situation[] = [
  file(
    "a Makefile quoted with blanks",
    "an edit with tabs",
    readAndEdit("Makefile", "    echo a", "    echo a\n    echo b"),
    { files: { Makefile: "all:\n\techo a\n\techo b\n" }, bytes: 2_000 },
    { prepare: having({ Makefile: "all:\n\techo a\n" }) },
  ),
  file(
    "Python with tabs, quoted with blanks",
    "an edit with tabs",
    readAndEdit("p.py", "        x = 1", "        x = 1\n        w = 9"),
    { files: { "p.py": "def f():\n\tif True:\n\t\tx = 1\n\t\tw = 9\n" }, bytes: 2_000 },
    { prepare: having({ "p.py": "def f():\n\tif True:\n\t\tx = 1\n" }) },
  ),
  file(
    "BOM and CRLF, overwritten",
    "both kept, with a notice",
    readAndWrite("a.csv", "b\n"),
    { read: [/a/, /kept: BOM, CRLF/], files: { "a.csv": `${BOM}b\r\n` }, bytes: 2_000 },
    { prepare: having({ "a.csv": `${BOM}a\r\n` }) },
  ),
  file(
    "CRLF, quoted with LF",
    "an edit with CRLF",
    readAndEdit("c.txt", "one\ntwo", "one\nthree"),
    { files: { "c.txt": "one\r\nthree\r\nend\r\n" }, bytes: 2_000 },
    { prepare: having({ "c.txt": "one\r\ntwo\r\nend\r\n" }) },
  ),
  file(
    "lone CR, overwritten",
    "the line breaks kept",
    readAndWrite("mac.txt", "x\ny\n"),
    { files: { "mac.txt": "x\ry\r" }, bytes: 2_000 },
    { prepare: having({ "mac.txt": "a\rb\r" }) },
  ),
  file(
    "no line break at the end",
    "no line break added",
    readAndEdit("n.txt", "b", "c"),
    { files: { "n.txt": "a\nc" }, bytes: 2_000 },
    { prepare: having({ "n.txt": "a\nb" }) },
  ),
  file(
    "UTF-16 with a mark",
    "an edit in UTF-16",
    readAndEdit("u.txt", "alpha", "beta"),
    { files: { "u.txt": "\xff\xfeb\0e\0t\0a\0\n\0" }, bytes: 2_000 },
    { prepare: having({ "u.txt": "\xff\xfea\0l\0p\0h\0a\0\n\0" }) },
  ),
  file(
    "UTF-16 without a mark",
    "the encoding's name, and how to convert the file",
    calls(["read", { path: "w.txt" }]),
    { read: [/UTF-16LE without a byte order mark\. Convert it first: iconv/], bytes: 1_000 },
    { prepare: having({ "w.txt": "a\0l\0p\0h\0a\0\n\0" }) },
  ),
  file(
    "Windows-1252",
    "an edit that keeps its bytes",
    readAndEdit("l.txt", "two", "caf\u00e9"),
    { files: { "l.txt": "\xa9 one\ncaf\xe9\n" }, bytes: 2_000 },
    { prepare: having({ "l.txt": "\xa9 one\ntwo\n" }) },
  ),
  file(
    "Shift-JIS",
    "the encoding's probable name",
    calls(["read", { path: "j.txt" }]),
    { read: [/probably SHIFT_JIS/], bytes: 1_500 },
    { prepare: having({ "j.txt": "2f2f2090dd92e882f093c782dd8d9e82de0a" }, "hex") },
  ),
  file(
    "an executable file, edited and overwritten",
    "its mode kept",
    [
      ...readAndEdit("x.sh", "a", "b"),
      ...readAndWrite("x.sh", "echo c\n"),
      ...bash("stat -c %a x.sh || stat -f %Lp x.sh"),
    ],
    { read: [/./, /Edited/, /./, /Saved/, printed("755")], bytes: 4_000 },
    { prepare: (place) => chmodSync(place.file("x.sh", "echo a\n"), 0o755) },
  ),
  file(
    "a FIFO",
    "a notice that a FIFO cannot be written",
    calls(["write", { path: "p", content: "x" }]),
    { read: [/not a regular file|FIFO|pipe/i], bytes: 1_000 },
    { needs: ["bash"], prepare: ({ cwd }) => void spawnSync("mkfifo", [join(cwd, "p")]) },
  ),
  file(
    "text that begins like a GIF",
    "the text",
    calls(["read", { path: "g.md" }]),
    { read: [/GIF89a is a format/], bytes: 1_000 },
    { prepare: having({ "g.md": "GIF89a is a format\n" }) },
  ),

  search(
    "a match in a line of 5 MB",
    "the text around the match",
    calls(["grep", { pattern: "needle", path: "a.json" }]),
    { read: [/needle[\s\S]*\[line of 4800006 characters, shown from/], bytes: 3_500 },
    { prepare: having({ "a.json": `${LONG}needle${LONG}\n` }) },
  ),
  search(
    "an edit in a line of 5 MB",
    "the changed part of the line",
    [
      ...calls(["read", { path: "a.json" }]),
      ...calls(["edit", { path: "a.json", oldText: "needle", newText: "thread" }]),
    ],
    { read: [/byteOffset/, /needle[\s\S]*thread/], bytes: 80_000 },
    { prepare: having({ "a.json": `${LONG}needle${LONG}\n` }) },
  ),
  search(
    "names with breaks, quotes and tabs",
    "each on its line, and read as shown",
    calls(["ls", {}], ["read", { path: '"a\\nb\\"c.txt"' }]),
    { read: [/ "a\\nb\\"c\.txt"$/m, /the text/], bytes: 1_500 },
    { prepare: having({ 'a\nb"c.txt': "the text\n" }) },
  ),
  search(
    "names with brackets",
    "the file of that name",
    calls(["find", { query: "app/[id]/page.tsx" }], ["read", { path: "app/[id]/page.tsx" }]),
    { read: [/app\/\[id\]\/page\.tsx/, /the page/], bytes: 1_500 },
    { prepare: having({ "app/[id]/page.tsx": "the page\n" }) },
  ),
  search(
    "what .gitignore names",
    "a notice that the file was left out",
    calls(["grep", { pattern: "hit" }], ["grep", { pattern: "hit", includeIgnored: true }]),
    {
      read: [/^a\.txt:1: hit\n\[1 ignored file was skipped; set includeIgnored/, /b\.log:1: hit/],
      bytes: 1_500,
    },
    { prepare: having({ ".gitignore": `${BOM}*.log\r\n`, "a.txt": "hit\n", "b.log": "hit\n" }) },
  ),
  search(
    "binary files",
    "a notice that the files were left out",
    calls(["grep", { pattern: "hit" }]),
    { read: [/binary/], bytes: 1_000 },
    { prepare: having({ "b.bin": "hit\0\x01\x02\n" }) },
  ),
  search(
    "a pattern that would hang",
    "the matches",
    calls(["grep", { pattern: "(a+)+$" }]),
    { read: [/^No /], bytes: 4_000 },
    { prepare: having({ "e.txt": `${"a".repeat(5_000)}b\n` }) },
  ),
  search(
    "nothing found",
    "a sentence that nothing was found",
    calls(["grep", { pattern: "absent" }], ["find", { query: "*.absent" }]),
    { read: [/^No /, /^No /], bytes: 1_500 },
    { prepare: having({ "a.txt": "x\n" }) },
  ),
];
