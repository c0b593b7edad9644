import { Readable } from "node:stream";
import { expect, it } from "vitest";
import * as fc from "../../../../tests/support/fast-check.ts";
import { boundedLines, eachLine, LongLine } from "./bounded-lines.ts";

async function passed(chunks: readonly string[], maxBytes: number): Promise<string> {
  const source = Readable.from(chunks.map((chunk) => Buffer.from(chunk)));
  const lines: Buffer[] = [];
  for await (const line of boundedLines(source, maxBytes)) lines.push(line);
  return Buffer.concat(lines).toString();
}

it.each([
  ["whole lines", ["ab\ncd\n"], "ab\ncd\n"],
  ["lines in pieces", ["a", "b\nc", "d\n"], "ab\ncd\n"],
  ["a line as long as the limit", ["abcdefgh\n"], "abcdefgh\n"],
  ["an empty line", ["\nab\n"], "\nab\n"],
  ["an end without a line break", ["ab\ncd"], "ab\n"],
])("passes %s", async (_what, chunks, expected) => {
  expect(await passed(chunks, 8)).toBe(expected);
});

it.each([
  ["in one piece", ["ab\nabcdefghi\ncd\n"]],
  ["in many", ["ab\nabcd", "efghij", "klmnop", "\ncd\n"]],
])("puts a short line in the place of one that is too long, %s", async (_how, chunks) => {
  const instead = '"a line of more than 8 bytes, which was not read"';
  expect(await passed(chunks, 8)).toBe(`ab\n${instead}\ncd\n`);
});

it("gives the lines one by one, the last one without its break as well", async () => {
  const source = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of ["a", "b\n\nc\u2028d\n123456789\nef", "gh\nhalf"])
        controller.enqueue(new TextEncoder().encode(chunk));
      controller.close();
    },
  });
  const lines: string[] = [];
  for await (const line of eachLine(source, 8))
    lines.push(line instanceof LongLine ? line.message : line.toString());
  expect(lines).toEqual([
    "ab",
    "",
    "c\u2028d",
    "a line of more than 8 bytes, which was not read",
    "efgh",
    "half",
  ]);
});

async function lines(chunks: readonly Buffer[], maxBytes: number): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const line of eachLine(Readable.from(chunks), maxBytes))
    found.push(line instanceof LongLine ? `${line.beginning}…` : line.toString());
  return found;
}

it("only a line feed ends a line, wherever the pieces end", async () => {
  const texts = ["a\u2028b\u2029c\rd\u0085e\vf", "", "ü€😀\r", "last"];
  const bytes = Buffer.from(texts.join("\n"));
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(bytes.length)), async (cuts) => {
      const at = [0, ...cuts.sort((left, right) => left - right), bytes.length];
      const chunks = at.slice(1).map((end, index) => bytes.subarray(at[index], end));
      expect(await lines(chunks, 1_000)).toEqual(texts);
    }),
  );
});

it("of a longer line only its beginning is kept, and the next one is whole", async () => {
  const chunks = ["abc", "defg\nhi\n", "jklmno"].map((text) => Buffer.from(text));
  expect(await lines(chunks, 5)).toEqual(["abcde…", "hi", "jklmn…"]);
});

it("a line that never ends is told of once it is too long", async () => {
  async function* endless(): AsyncGenerator<Buffer, void, undefined> {
    for (;;) yield Buffer.from("abc");
  }
  const first = await eachLine(endless(), 5).next();
  expect(first.value).toBeInstanceOf(LongLine);
});
