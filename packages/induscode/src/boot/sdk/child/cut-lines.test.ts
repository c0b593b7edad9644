import { expect, it } from "vitest";
import * as fc from "../../../../../../tests/support/fast-check.ts";
import { cutLines } from "./cut-lines.ts";

async function cut(chunks: readonly (string | Buffer)[], maxBytes = 1_000_000) {
  const lines = [];
  async function* stream() {
    for (const chunk of chunks) yield Buffer.from(chunk);
  }
  for await (const line of cutLines(stream(), maxBytes)) lines.push(line);
  return lines;
}

it("only a line feed ends a line, wherever the pieces end", async () => {
  const texts = ["a\u2028b\u2029c\rd\u0085e\vf", "", "ü€😀\r", "last"];
  const bytes = Buffer.from(texts.join("\n"));
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(bytes.length)), async (cuts) => {
      const at = [0, ...cuts.sort((left, right) => left - right), bytes.length];
      const chunks = at.slice(1).map((end, index) => bytes.subarray(at[index], end));
      expect((await cut(chunks)).map(({ text }) => text)).toEqual(texts);
    }),
  );
});

it("of a longer line only its beginning is kept, and the next one is whole", async () => {
  expect(await cut(["abc", "defg\nhi\n", "jklmno"], 5)).toEqual([
    { text: "abcde", isWhole: false },
    { text: "hi", isWhole: true },
    { text: "jklmn", isWhole: false },
  ]);
  expect(await cut(["abcde\n"], 5)).toEqual([{ text: "abcde", isWhole: true }]);
});
