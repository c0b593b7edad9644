import { expect, it } from "vitest";
import { createWaitingLines, typedLine } from "./waiting-lines.ts";

it("what is put first is taken before the lines that wait", async () => {
  const lines = createWaitingLines();
  lines.add(typedLine("typed ahead"));
  lines.addFirst(typedLine("/resume"));
  expect([await lines.next(), await lines.next()]).toEqual([typedLine("/resume"), typedLine("typed ahead")]);
});
