// What the line below the editor leaves out where it has no room.

import { expect, test } from "vitest";
import { type StatusFacts, statusLine } from "./status-line.ts";

const FACTS: StatusFacts = {
  model: "anthropic/claude-of-a-long-name",
  mode: "acceptEdits",
  contextTokens: 15_000,
  contextWindow: 200_000,
  usage: { inputTokens: 20, outputTokens: 10, cacheReadTokens: 0, cacheWriteTokens: 0 },
  dollars: 0,
  isUnpriced: false,
  branch: "main",
  queue: 0,
  jobs: 0,
  quarantined: 0,
};
const shown = (columns: number, more: Partial<StatusFacts> = {}): string =>
  statusLine({ ...FACTS, ...more }, columns)
    .map(({ text }) => text)
    .join("");

test.each([
  [100, "anthropic/claude-of-a-long-name  █░░░░░░░ 15.0k/200.0k  acceptEdits  20 in, 10 out  ⎇ main"],
  [80, "anthropic/claude-of-a-long-name  15.0k/200.0k  acceptEdits  20 in, 10 out"],
  [70, "anthropic/claude-of-a-long-name  15.0k/200.0k  acceptEdits  ⎇ main"],
  [60, "anthropic/claude-of-a-long-name  15.0k/200.0k  acceptEdits"],
  [50, "anthropic/claude-of-a-long-name  acceptEdits"],
  [40, "anthropic/claude-of-a-long…  acceptEdits"],
])("in %d columns the mode is there", (columns, line) => {
  expect(shown(columns)).toBe(line);
});

test("twin: without a mode, its room is the others'", () => {
  expect(shown(46, { mode: undefined })).toBe("anthropic/claude-of-a-long-name  15.0k/200.0k");
});

test("nothing is wider than the window", () => {
  for (let columns = 1; columns < 120; columns++) expect(shown(columns).length).toBeLessThanOrEqual(columns);
});
