import { expect, test } from "vitest";
import { RecordParser } from "./ripgrep-records.ts";

/** The hits from records that arrive in chunks of this many bytes. */
function parsed(bytes: Buffer, size: number): readonly string[] {
  const parser = new RecordParser(100);
  for (let at = 0; at < bytes.length; at += size) parser.write(bytes.subarray(at, at + size));
  return [...parser.hits.map((hit) => `${hit.path}:${hit.line}: ${hit.text}`), ...parser.undecoded];
}

test("records are the same however the pipe cuts them", () => {
  const bytes = Buffer.concat([
    Buffer.from("/a\x001:1:one: \0 é\r\n/a\x0012:1:two\n/new\nline\x003:1:x\n"),
    Buffer.from(
      '/new\nline: WARNING: stopped searching binary file after match (found "\\0" byte around offset 9)\n',
    ),
    Buffer.from("/b\x001:1:"),
    Buffer.from(`${"😀".repeat(10_000)}\r\n`),
    Buffer.from("/b\x002:40001:"), // in bytes, of which a face has four
    Buffer.from(`${"😀".repeat(10_000)}needle${"é".repeat(10_000)}\n`),
    Buffer.from([0x2f, 0xff, 0x00]),
    Buffer.from("1:1:hit\n/c\x005:1:last\n"),
  ]);
  const expected = [
    "/a:1: one: \\0 é",
    "/a:12: two",
    "/new\nline:3: x",
    `/b:1: ${"😀".repeat(1_000)} … [line of 20000 characters]`,
    `/b:2: … ${"😀".repeat(500)}needle${"é".repeat(994)} … [line of 30006 characters, shown from 19001]`,
    "/c:5: last",
    "/\xff",
  ];
  for (const size of [1, 2, 3, 7, 1_000, 65_536, 70_001, bytes.length])
    expect(parsed(bytes, size)).toEqual(expected);
});

test("a line without measure is not held, where putting its pieces together takes all memory", () => {
  const parser = new RecordParser(10);
  parser.write(Buffer.from("/a\x001:1:"));
  const piece = Buffer.alloc(1_000_000, "x");
  const before = process.memoryUsage().arrayBuffers;
  for (let index = 0; index < 300; index++) parser.write(piece);
  parser.write(Buffer.from("\n"));
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(100_000_000);
  expect(parser.hits[0]?.text).toBe(`${"x".repeat(2_000)} … [line of 300000000 characters]`);
});
