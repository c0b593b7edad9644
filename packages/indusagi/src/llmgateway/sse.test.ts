import { expect, test } from "vitest";
import { createSseReader } from "./sse.ts";

const SAMPLES: Readonly<Record<string, string>> = {
  plain: 'data: {"a":1}\n\ndata: {"b":2}\n\n',
  "named events, comments, ids":
    ": hello\nevent: ping\nid: 7\nretry: 10\ndata: x\n\nunknown: y\n:\ndata: z\n\n",
  "CRLF and several lines": "data: one\r\ndata: two\r\n\r\ndata: three\r\n\r\n",
  "lone CR": "data: one\r\rdata: two\r\r",
  "a byte order mark": "\ufeffdata: x\n\n",
  "characters of every length": "data: ß 東 😀 \u0301\n\ndata: \u2028 é\n\n",
  "an unfinished last frame": "data: whole\n\ndata: unfinished",
};

function read(chunks: readonly Buffer[]): string[] {
  const frames: string[] = [];
  const reader = createSseReader((data) => frames.push(data));
  for (const chunk of chunks) expect(reader.feed(chunk)).toBe(true);
  return frames;
}

test.each(Object.entries(SAMPLES))("%s: cut at every byte, the frames are the same", (_, sample) => {
  const bytes = Buffer.from(sample);
  const uncut = read([bytes]);
  expect(uncut.length).toBeGreaterThan(0);
  for (let at = 1; at < bytes.length; at++) {
    expect(read([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(uncut);
  }
  expect(read([...bytes].map((byte) => Buffer.from([byte])))).toEqual(uncut);
});

test("a naive decoder breaks the same sample: decoding each chunk alone loses what lies across a border", () => {
  const bytes = Buffer.from("data: 😀\n\n");
  expect(bytes.subarray(0, 8).toString() + bytes.subarray(8).toString()).not.toContain("😀");
  expect(read([bytes.subarray(0, 8), bytes.subarray(8)])).toEqual(["😀"]);
});

test("a frame over the limit is refused, also when it comes as many lines", () => {
  for (const line of ["x".repeat(40), "data: abc\n".repeat(40)]) {
    const reader = createSseReader(() => undefined, 100);
    const fed = ["data: ", line, line, line].map((text) => reader.feed(Buffer.from(text)));
    expect(fed).toContain(false);
    expect(reader.feed(Buffer.from("data: later\n\n"))).toBe(false);
  }
});
