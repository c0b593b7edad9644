// Following the advice in `read`'s answers restores the whole file, byte for byte, whatever the file and the budget.

import { expect, test } from "vitest";
import * as fc from "../../../../../tests/support/fast-check.ts";
import { makeMemoryContext } from "../backends/memory.ts";
import type { ReadLimits } from "./line-window.ts";
import { readTool } from "./read.ts";

/** A file as reconstructed from the answers: whole lines by number, parts by their first byte. */
class Told {
  readonly lines = new Map<number, Buffer>();
  /** Lines of which only the beginning was shown. */
  readonly beginnings = new Map<number, Buffer>();
  readonly parts = new Map<number, Buffer>();
  mark: Buffer = Buffer.alloc(0);
  #isNamed = false;

  name(header: string): (text: string) => Buffer {
    const name = /It is (UTF-16[LB]E) text\.|(Windows-1252)/.exec(header);
    const encoding = name?.[1] ?? name?.[2] ?? "UTF-8";
    if (!this.#isNamed && encoding.startsWith("UTF-16"))
      this.mark = ENCODE[encoding]?.("\ufeff") ?? this.mark;
    this.#isNamed = true;
    return ENCODE[encoding] ?? ENCODE["UTF-8"] ?? Buffer.from;
  }

  /** The file's bytes. */
  assemble(size: number): Buffer {
    const file = Buffer.alloc(size, 0x3f);
    const known = new Uint8Array(size);
    const put = (bytes: Buffer, at: number): void => {
      bytes.copy(file, at);
      known.fill(1, at, at + bytes.length);
    };
    put(this.mark, 0);
    for (const [start, bytes] of this.parts) put(bytes, start);
    const lastLine = Math.max(0, ...this.lines.keys(), ...this.beginnings.keys());
    for (let line = 1, at = this.mark.length; line <= lastLine; line++) {
      const whole = this.lines.get(line);
      put(whole ?? this.beginnings.get(line) ?? Buffer.alloc(0), at);
      at = whole ? at + whole.length : lineEnd(file, at, this.mark);
      if (at === 0) break;
    }
    expect(known.indexOf(0)).toBe(-1);
    return file;
  }
}

/** The position after the line feed that follows `from`, found without the code under test; 0 for none. */
function lineEnd(file: Buffer, from: number, mark: Buffer): number {
  const feed = mark.length === 0 ? Buffer.from("\n") : mark[0] === 0xff ? Buffer.of(10, 0) : Buffer.of(0, 10);
  for (let at = file.indexOf(feed, from); at >= 0; at = file.indexOf(feed, at + 1))
    if (at % feed.length === 0) return at + feed.length;
  return 0;
}

const UPPER = new TextDecoder("windows-1252").decode(Uint8Array.from({ length: 256 }, (_, byte) => byte));

const ENCODE: Readonly<Record<string, (text: string) => Buffer>> = {
  "UTF-8": (text) => Buffer.from(text),
  "UTF-16LE": (text) => Buffer.from(text, "utf16le"),
  "UTF-16BE": (text) => Buffer.from(text, "utf16le").swap16(),
  "Windows-1252": (text) => Buffer.from([...text].map((char) => UPPER.indexOf(char))),
};

interface Call {
  readonly offset?: number;
  readonly limit?: number;
  readonly byteOffset?: number;
}

/** Records what an answer shows; returns the calls it recommends. */
function hear(told: Told, output: string): readonly Call[] {
  if (output.startsWith("The file is empty")) {
    const name = /its (UTF-16[LB]E) byte order mark/.exec(output)?.[1];
    if (name !== undefined) told.mark = ENCODE[name]?.("\ufeff") ?? told.mark;
    return [];
  }
  const header = output.slice(0, output.indexOf("\n"));
  const body = output.slice(header.length + 1);
  const encode = told.name(header);
  const advised: Call[] = [];
  const bytes = /^Showing bytes (\d+)–(\d+) of/.exec(header);
  if (bytes) {
    const [start, last] = [Number(bytes[1]), Number(bytes[2])];
    const text = encode(body);
    told.parts.set(start, start === 0 && told.mark.length > 0 ? Buffer.concat([told.mark, text]) : text);
    expect(told.parts.get(start)).toHaveLength(last - start + 1);
  } else {
    const segments = [...header.matchAll(/(\d+)–(\d+)(?= (?:and|of) )/g)].map(
      ([, first, last]) => [Number(first), Number(last)] as const,
    );
    const shown = body.split("\n").filter((row) => !/^\[read: \d+ bytes? trimmed/.test(row));
    const numbers = segments.flatMap(([first, last]) =>
      Array.from({ length: last - first + 1 }, (_, index) => first + index),
    );
    expect(shown.map((row) => Number(/^ *(\d+)\t/.exec(row)?.[1]))).toEqual(numbers);
    const isCut = header.includes("longer than the output ceiling");
    for (const [index, number] of numbers.entries()) {
      const text = shown[index]?.replace(/^ *\d+\t/, "") ?? "";
      const isLast = index === numbers.length - 1;
      const end =
        isLast && header.includes("The last line has no line ending.")
          ? ""
          : header.includes("Line endings are CRLF.")
            ? "\r\n"
            : "\n";
      if (isCut) told.beginnings.set(number, encode(text));
      else told.lines.set(number, encode(text + end));
    }
  }
  for (const [, byteOffset] of header.matchAll(/continue with byteOffset (\d+)\./g))
    advised.push({ byteOffset: Number(byteOffset) });
  for (const [, offset] of header.matchAll(/continue with offset (\d+)\./g))
    advised.push({ offset: Number(offset) });
  for (const [, offset, limit] of header.matchAll(/use offset (\d+) and limit (\d+) to see them/g))
    advised.push({ offset: Number(offset), limit: Number(limit) });
  return advised;
}

/** Always fits a number, a tab and a character; for a large file a line of eight bytes. */
const SMALLEST_BYTES = 24;

const piece = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      "\n",
      "\r\n",
      "\r",
      "\t",
      " ",
      "     7\tx\n",
      "[read: 3 bytes trimmed]\n",
      "1–2 of 3",
    ),
  },
  {
    weight: 6,
    arbitrary: fc.string({ unit: fc.constantFrom("a", "é", "€", "😀", "\u202e", "\ufeff", "漢") }),
  },
  { weight: 1, arbitrary: fc.nat(200).map((length) => "x".repeat(length)) },
  { weight: 1, arbitrary: fc.nat(60).map((length) => "line\n".repeat(length)) },
);
const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(""));
const file = fc.oneof(
  text.map((content) => Buffer.from(content)),
  text.map((content) => Buffer.from(content.replaceAll(/\r?\n/g, "\r\n"))),
  text.map((content) => Buffer.from(`\ufeff${content}`, "utf16le")),
  text.map((content) => Buffer.from(`\ufeff${content}`, "utf16le").swap16()),
  fc
    .tuple(text, fc.uint8Array({ max: 255, maxLength: 40 }))
    .map(([content, bytes]) =>
      Buffer.from(Buffer.concat([Buffer.from(content, "latin1"), bytes]).filter((byte) => byte !== 0)),
    ),
);
const limits: readonly ReadLimits[] = [
  { wholeBytes: 1_000_000, countedBytes: 1_000_000, rangeBytes: 1_000_000 },
  { wholeBytes: 16, countedBytes: 1_000_000, rangeBytes: 8 },
  { wholeBytes: 16, countedBytes: 40, rangeBytes: 10 },
];

test("reads that follow the advice of earlier ones show all of any file, within any budget", async () => {
  const budget = fc.record({
    kind: fc.constantFrom("head" as const, "middle" as const, "tail" as const),
    maxBytes: fc.oneof(fc.nat(12), fc.nat(400), fc.constant(65_536)),
  });
  const holds = fc.asyncProperty(file, budget, fc.constantFrom(...limits), async (bytes, budget, limit) => {
    const read = readTool(limit);
    const context = { ...(await makeMemoryContext("/ws", { files: { "/ws/a": bytes } })), budget };
    const told = new Told();
    const done = new Set<string>();
    const calls: Call[] = [{}];
    for (let call = calls.shift(); call !== undefined; call = calls.shift()) {
      if (done.has(JSON.stringify(call))) continue;
      done.add(JSON.stringify(call));
      const { output, isError } = await read.invoke(
        { id: "call", name: "read", input: { path: "a", ...call } },
        context,
      );
      // A large file's encoding is guessed from its opening, and the rest may not be text in it.
      if (isError && call.offset === undefined && call.byteOffset === undefined) {
        expect(output).toMatch(/^Cannot read a: /);
        return; // a property that returns false fails in fast-check, and an expectation can return false
      }
      if (isError && /Use byteOffset (\d+)/.exec(String(output))) continue;
      expect([call, isError, output]).toEqual([call, false, output]);
      calls.push(...hear(told, String(output)));
      const [, shown = ""] = /^[^\n]*\n(.*)$/s.exec(String(output)) ?? [];
      const body = shown.replace(/^\[read: \d+ bytes? trimmed to .*\n/m, "");
      expect(Buffer.byteLength(body)).toBeLessThanOrEqual(Math.max(budget.maxBytes + 1, SMALLEST_BYTES));
      expect(done.size).toBeLessThan(2_000);
    }
    expect(told.assemble(bytes.length)).toEqual(bytes);
  });
  await fc.assert(holds, { numRuns: 300 });
});
