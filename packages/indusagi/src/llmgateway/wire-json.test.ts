import { expect, test } from "vitest";
import { lastText, onceEach, wireJson } from "./wire-json.ts";

test("half of a surrogate pair is replaced, because strict parsers refuse it", () => {
  expect(JSON.stringify({ text: "cut \ud83d" })).toBe('{"text":"cut \\ud83d"}'); // what would be sent without the guard
  expect(wireJson({ text: "cut \ud83d", "\udc00": ["\udfff!"] })).toBe(
    '{"text":"cut \\ufffd","\\ufffd":["\\ufffd!"]}',
  );
});

test.each([
  ["whole pairs", "😀"],
  ["text that looks like an escape", "\\ud83d and \\\\ud83d"],
  ["an escape after a control character", "\u001fud83d\ud83d".slice(0, 6)],
])("%s survives", (_, text) => {
  expect(JSON.parse(wireJson(text))).toBe(text);
});

test("each object is serialised once, each text only when it changes", () => {
  let runs = 0;
  const write = onceEach((key: { n: number }) => `${key.n}:${++runs}`);
  const one = { n: 1 };
  expect([write(one), write(one), write({ n: 1 })]).toEqual(["1:1", "1:1", "1:2"]);
  const text = lastText();
  expect([text('a"b'), text('a"b'), text("c")]).toEqual(['"a\\"b"', '"a\\"b"', '"c"']);
});
