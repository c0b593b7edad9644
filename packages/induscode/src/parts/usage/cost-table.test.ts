import { expect, test } from "vitest";
import type { ModelCost } from "../../conductor/contract.ts";
import { NO_USAGE } from "../../conductor/usage.ts";
import { costTable } from "./cost-table.ts";

const cost = (name: string, more: Partial<ModelCost> = {}): ModelCost => ({
  name,
  calls: 2,
  unpriced: 0,
  usage: { inputTokens: 1_000, outputTokens: 200, cacheReadTokens: 3_000, cacheWriteTokens: 0 },
  dollars: 1.2345,
  ...more,
});

test("each model, the delegates and the sum", () => {
  expect(
    costTable(
      [cost("a/one"), cost("delegates", { calls: 1, usage: NO_USAGE, dollars: 0.004 })],
      "models.json",
    ),
  ).toEqual([
    "a/one      2 calls  1.0k tokens in + 3.0k cached, 200 out  $1.23",
    `delegates  1 run${" ".repeat(43)}$0.0040`,
    "total $1.24",
  ]);
});

test("what is not known is said, and no sum claims to know it", () => {
  expect(costTable([cost("a/one", { unpriced: 2, dollars: 0, usage: NO_USAGE })], "/h/models.json")).toEqual([
    "a/one  2 calls  0 tokens in, 0 out",
    "The price of a/one is not known; set it in /h/models.json.",
  ]);
  expect(costTable([cost("a/one", { unpriced: 1 })], "models.json")[0]).toMatch(/at least \$1\.23$/);
  expect(costTable([], "models.json")).toEqual(["No model has been called yet."]);
});
