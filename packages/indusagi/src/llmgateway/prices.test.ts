import { describe, expect, it, test } from "vitest";
import { listModels } from "./models.ts";
import { costOf, pricingOf } from "./prices.ts";

const usage = {
  inputTokens: 1_000_000,
  outputTokens: 100_000,
  cacheReadTokens: 2_000_000,
  cacheWriteTokens: 500_000,
};

describe("a reply costs", () => {
  it("each kind of token at its own price", () => {
    expect(costOf({ input: 4, output: 20, cacheRead: 0.4, cacheWrite: 5 }, usage)).toBe(4 + 2 + 0.8 + 2.5);
  });

  it("input's price for what is cached where no other is said", () => {
    expect(costOf({ input: 4, output: 20 }, usage)).toBe(4 + 2 + 8 + 2);
    expect(costOf({ input: 4, output: 20, cacheRead: 0, cacheWrite: 0 }, usage)).toBe(16);
  });

  it("twice the input's price for what is written for an hour", () => {
    const price = { input: 4, output: 20, cacheRead: 0.4, cacheWrite: 5 };
    expect(costOf(price, { ...usage, hourWriteTokens: 500_000 })).toBe(4 + 2 + 0.8 + 4);
    expect(costOf(price, { ...usage, hourWriteTokens: 9_000_000 })).toBe(4 + 2 + 0.8 + 4); // no more than was written
  });

  it("no digits beyond those of prices", () => {
    expect(
      costOf(
        { input: 0.1, output: 0.3 },
        { ...usage, inputTokens: 3, outputTokens: 7, cacheReadTokens: 0, cacheWriteTokens: 0 },
      ),
    ).toBe(0.0000024);
  });
});

describe("a model's price", () => {
  it("is what the person says, before the catalogue", () => {
    expect(pricingOf("anthropic", "claude-opus-5-5", { input: 1, output: 1 })?.(usage)).toBe(3.6);
    expect(pricingOf("mine", "own", { input: 0, output: 0 })?.(usage)).toBe(0);
  });

  it("is known by any spelling of the model", () => {
    const own = pricingOf("anthropic", "claude-opus-5-5")?.(usage);
    expect(own).toBeGreaterThan(0);
    expect(pricingOf("work", "us.anthropic.claude-opus-5-5-v1:0")?.(usage)).toBe(own);
  });

  it("is not invented, and on this machine there is none to pay", () => {
    expect(pricingOf("work", "nobody-knows-it")).toBeUndefined();
    expect(pricingOf("local", "nobody-knows-it")?.(usage)).toBe(0);
  });

  test("in the catalogue none is negative, and no cached token costs more than twice a new one", () => {
    for (const { price } of listModels()) {
      const { input = 0, output = 0, cacheRead = 0, cacheWrite = 0 } = price ?? {};
      expect(Math.min(input, output, cacheRead, cacheWrite)).toBeGreaterThanOrEqual(0);
      expect(cacheRead).toBeLessThanOrEqual(input);
      expect(cacheWrite).toBeLessThanOrEqual(2 * input);
    }
  });
});
