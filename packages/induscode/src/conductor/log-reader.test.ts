import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { NO_DAMAGE } from "../../../../tests/support/test-damage.ts";
import { describeDamage, type LogDamage, lookAtLog, readEntries, scanEntries } from "./log-reader.ts";

const LINES: readonly string[] = [
  '{"n":0,"at":1,"type":"session","v":1,"id":"s1","cwd":"/w","version":"1"}',
  '{"n":1,"at":2,"type":"user","content":[{"kind":"text","text":"one ✓"}],"via":"submit"}',
  '{"n":2,"at":3,"type":"notice","origin":"o","text":"two"}',
  '{"n":3,"at":4,"type":"tool","callId":"c","name":"ls","state":"ok","text":"{\\"n\\":9}","output":{"n":9,"at":9,"type":"clear"}}',
  '{"n":4,"at":5,"type":"end","how":"complete"}',
];
const WHOLE = `${LINES.join("\n")}\n`;

let path: string;
beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), "indus-log-reader-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  path = join(folder, "s1.jsonl");
});

/** The numbers of the entries in these bytes, and what was wrong with the rest. */
function read(content: string | Uint8Array): {
  readonly numbers: readonly number[];
  readonly damage: LogDamage;
} {
  writeFileSync(path, content);
  const { entries, damage } = readEntries(path);
  return { numbers: entries.map(({ n }) => n), damage };
}

const ALL = [0, 1, 2, 3, 4];
const zeros = (count: number): string => "\0".repeat(count);
const withLine = (at: number, line: string): string => `${LINES.with(at, line).join("\n")}\n`;

describe("a log that is whole", () => {
  it.each([
    ["as it was written", WHOLE],
    ["behind a byte order mark", `\ufeff${WHOLE}`],
    ["with blank lines", `\n${LINES.join("\n\n  \n")}\n\n`],
    ["with the line ends of another system", WHOLE.replaceAll("\n", "\r\n")],
    ["without its last newline", WHOLE.slice(0, -1)],
    ["with blanks in the place of its last newline", `${WHOLE.slice(0, -1)} \r`],
  ])("is read %s, and nothing is said", (_how, text) => {
    expect(read(text)).toEqual({ numbers: ALL, damage: NO_DAMAGE });
    expect(describeDamage(readEntries(path).damage)).toEqual([]);
    expect(lookAtLog(path)).toEqual({ kind: "session" });
  });

  it("would not be read behind a byte order mark by a reader of JSON alone (the twin)", () => {
    expect(() => JSON.parse(`\ufeff${LINES[0]}`)).toThrow(SyntaxError);
  });
});

describe("damage costs only itself", () => {
  it.each<[string, string, readonly number[], Partial<LogDamage>, string]>([
    [
      "a first line that is damaged",
      withLine(0, LINES[0]?.slice(0, 20) ?? ""),
      [1, 2, 3, 4],
      { lines: 1, missing: 1, isHeadless: true },
      "has 1 damaged line, skipped; lacks 1 entry; lacks its first line: its id is taken from its file name",
    ],
    [
      "a first line that is gone",
      `${LINES.slice(1).join("\n")}\n`,
      [1, 2, 3, 4],
      { missing: 1, isHeadless: true },
      "lacks 1 entry; lacks its first line: its id is taken from its file name",
    ],
    ["a line torn in its middle", withLine(2, "{"), [0, 1, 3, 4], { lines: 1, missing: 1 }, ""],
    ["a line of zeros", withLine(2, zeros(4_096)), [0, 1, 3, 4], { lines: 1, missing: 1 }, ""],
    [
      "zeros across three lines",
      `${LINES[0]}\n${LINES[1]?.slice(0, 30)}${zeros(4_096)}${LINES[3]?.slice(40)}\n${LINES[4]}\n`,
      [0, 4],
      { lines: 1, missing: 3 },
      "has 1 damaged line, skipped; lacks 3 entries",
    ],
    [
      "zeros before a line",
      withLine(2, `${zeros(512)}${LINES[2]}`),
      ALL,
      { salvaged: 1 },
      "has 1 entry in damaged lines, kept",
    ],
    [
      "zeros behind a line",
      withLine(2, `${LINES[2]}${zeros(512)}`),
      ALL,
      { salvaged: 1 },
      "has 1 entry in damaged lines, kept",
    ],
    [
      "an entry that begins in the middle of another's line",
      withLine(2, `${LINES[1]?.slice(0, 40)}${LINES[2]}`),
      ALL,
      { salvaged: 1 },
      "has 1 entry in damaged lines, kept",
    ],
    [
      "a line twice",
      withLine(2, `${LINES[2]}\n${LINES[2]}`),
      [0, 1, 2, 2, 3, 4],
      { repeated: 1 },
      "has 1 entry out of order",
    ],
    [
      "400 torn bytes at the end",
      `${WHOLE}{"n":5,"at":6,${" ".repeat(386)}`,
      ALL,
      { tail: 400 },
      "ended with 400 bytes of an incomplete entry, cut off",
    ],
    [
      "4 KiB of zeros at the end",
      `${WHOLE}${zeros(4_096)}`,
      ALL,
      { tail: 4_096, isTailZero: true },
      "ended with 4096 bytes of zeros, cut off",
    ],
    [
      "zeros in the place of the last newline",
      `${WHOLE.slice(0, -1)}${zeros(100)}`,
      ALL,
      { tail: 100, isTailZero: true },
      "ended with 100 bytes of zeros, cut off",
    ],
    [
      "zeros before a last line without newline",
      `${WHOLE}${zeros(9)}{"n":5,"at":6,"type":"clear"}`,
      [...ALL, 5],
      { salvaged: 1 },
      "",
    ],
  ])("%s", (_what, text, numbers, damage, said) => {
    const found = read(text);
    expect(found).toEqual({ numbers, damage: { ...NO_DAMAGE, ...damage } });
    if (said !== "") expect(describeDamage(found.damage).join("; ")).toBe(said);
  });

  it("wherever one byte is lost or zeroed, every other line is read", () => {
    const whole = Buffer.from(WHOLE);
    const ends = LINES.map((_line, at) => Buffer.byteLength(`${LINES.slice(0, at + 1).join("\n")}\n`));
    for (let at = 0; at < whole.length; at++) {
      const hit = ends.findIndex((end) => at < end);
      const isLineEnd = whole[at] === 10; // then two lines become one
      const others = ALL.filter((n) => n !== hit && !(isLineEnd && n === hit + 1));
      const zeroed = Buffer.from(whole);
      zeroed[at] = 0;
      const lost = Buffer.concat([whole.subarray(0, at), whole.subarray(at + 1)]);
      for (const bytes of [zeroed, lost]) expect(read(bytes).numbers).toEqual(expect.arrayContaining(others));
    }
  });

  it("no entry is made of what a tool printed", () => {
    const line = LINES[3] ?? "";
    for (let at = 0; at < line.length; at++)
      expect(read(withLine(3, line.slice(at))).numbers).not.toContain(9);
  });

  it("a long run of zeros is read past without being held", () => {
    writeFileSync(path, WHOLE);
    truncateSync(path, 64 * 1024 * 1024);
    const before = process.memoryUsage().arrayBuffers;
    const { entries, damage } = readEntries(path);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 * 1024 * 1024);
    expect(entries).toHaveLength(5);
    expect(damage.tail).toBe(64 * 1024 * 1024 - Buffer.byteLength(WHOLE));
  });
});

it.each([
  ["of one byte each", "plain"],
  ["of two bytes", "é"],
  ["of four bytes", "😀"],
  ["that are no characters", "\xff\xfe\xe2\x9c"],
])("knows the place of each line whose characters are %s", (_which, text) => {
  const bytes = Buffer.from(text, text.startsWith("\xff") ? "latin1" : "utf8");
  const line = (n: number): Buffer =>
    Buffer.concat([
      Buffer.from(`{"n":${n},"at":1,"type":"notice","origin":"o","text":"`),
      bytes,
      Buffer.from('"}\n'),
    ]);
  const all = Buffer.concat([line(0), line(1), line(2)]);
  writeFileSync(path, all);
  const found: (readonly [number, string])[] = [];
  const { goodLength } = scanEntries(path, ({ n }, _text, place) => {
    if (place) found.push([n, all.toString("latin1", place.at, place.at + place.bytes)]);
  });
  expect(goodLength).toBe(all.length);
  expect(found).toEqual([0, 1, 2].map((n) => [n, line(n).toString("latin1").slice(0, -1)]));
});

describe("a line longer than what is read at once", () => {
  it("is read, whole or behind zeros", () => {
    const long = `{"n":5,"at":6,"type":"notice","origin":"o","text":"${"✓x".repeat(1_500_000)}"}`;
    expect(read(`${WHOLE}${long}\n${LINES[4]}\n`).numbers).toEqual([...ALL, 5, 4]);
    expect(read(`${WHOLE}${zeros(3_000_000)}${long}\n`)).toEqual({
      numbers: [...ALL, 5],
      damage: { ...NO_DAMAGE, salvaged: 1 },
    });
  });
});

describe("a newer format", () => {
  const NEWER = '{"n":0,"at":1,"type":"session","v":4,"id":"s1"}';

  it.each([
    ["in the first line", `${NEWER}\n${LINES[1]}\n`],
    ["behind a byte order mark", `\ufeff${NEWER}\n`],
    ["without a newline", NEWER],
  ])("is recognised %s", (_where, text) => {
    writeFileSync(path, text);
    expect(readEntries(path).newerFormat).toBe(4);
    expect(lookAtLog(path)).toEqual({
      kind: "unreadable",
      reason: "it has format 4, written by a newer indus; this indus reads formats up to 3",
    });
  });

  it("is not what a session entry without a number has: that is damage", () => {
    writeFileSync(path, `${NEWER.replace("4", '"x"')}\n${LINES[1]}\n`);
    expect(readEntries(path)).toMatchObject({ damage: { lines: 1, isHeadless: true } });
    expect(readEntries(path).newerFormat).toBeUndefined();
  });
});

describe("lookAtLog", () => {
  it.each([
    ["", { kind: "empty" }],
    ["\n \n", { kind: "empty" }],
    ["hello\n", { kind: "unreadable", reason: "it contains no readable entry" }],
    [zeros(10), { kind: "unreadable", reason: "it contains no readable entry" }],
    [`${LINES[1]}\n`, { kind: "session" }],
  ])("of %j", (text, look) => {
    writeFileSync(path, text);
    expect(lookAtLog(path)).toEqual(look);
  });

  it("of what is no file says why it cannot be read", () => {
    expect(lookAtLog(tmpdir())).toMatchObject({
      kind: "unreadable",
      reason: "it is not a regular file",
    });
    execFileSync("mkfifo", [`${path}-pipe`]); // no one ever writes to it
    expect(lookAtLog(`${path}-pipe`)).toEqual({ kind: "unreadable", reason: "it is not a regular file" });
    expect(lookAtLog(`${path}-gone`)).toMatchObject({ kind: "unreadable" });
  });
});
