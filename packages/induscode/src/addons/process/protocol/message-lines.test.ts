import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { callLine, errorLine, resultLine } from "./message-lines.ts";

const TEXT = "a\u2028b\u2029c\u0085d\n\re";

it.each([
  ["a call", callLine("tool", { text: TEXT }, { id: 1 }), "params"],
  ["a result", resultLine(1, { text: TEXT }), "result"],
  ["an error", errorLine(1, { code: 1, message: "m", data: { text: TEXT } }), "error"],
])("%s is one line for whoever reads lines", async (_, line, field) => {
  const input = new PassThrough();
  input.end(line);
  const lines: string[] = [];
  for await (const each of createInterface({ input })) lines.push(each);
  expect(lines).toEqual([line.trimEnd()]);
  expect(JSON.stringify(JSON.parse(line)[field])).toContain(JSON.stringify(TEXT));
  expect(line).not.toMatch(/[\u0085\u2028\u2029]/);
});
