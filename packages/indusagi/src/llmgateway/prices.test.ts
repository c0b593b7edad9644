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

  it("all of it at the higher rates where the prompt is longer than one of them says, cached tokens included", () => {
    const above = [
      { tokens: 100, input: 5, output: 30 },
      { tokens: 200, input: 10, output: 60, cacheRead: 1 },
      { tokens: 150, input: 7, output: 40 },
    ];
    const cost = (inputTokens: number, cacheReadTokens = 0, cacheWriteTokens = 0): number =>
      costOf(
        { input: 1, output: 2, above },
        { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens: 1 },
      ) * 1_000_000;
    expect(cost(100)).toBeCloseTo(100 + 2, 6);
    expect(cost(101)).toBeCloseTo(505 + 30, 6);
    expect(cost(60, 60, 60)).toBeCloseTo(180 * 7 + 40, 6);
    expect(cost(1, 300)).toBeCloseTo(10 + 300 + 60, 6);
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

  test("of a long prompt is that of its maker, from its row or beside the catalogue", () => {
    const long = { ...usage, inputTokens: 300_000, cacheReadTokens: 0, cacheWriteTokens: 0 };
    const cost = (name: string, inputTokens: number): number | undefined => {
      const [provider = "", id = ""] = name.split(" ");
      return pricingOf(provider, id)?.({ ...long, inputTokens });
    };
    expect(cost("openai gpt-5.4", 272_000)).toBe(0.68 + 1.5);
    expect(cost("openai gpt-5.4", 300_000)).toBe(1.5 + 2.25);
    expect(cost("google gemini-2.5-pro", 200_000)).toBe(0.25 + 1);
    expect(cost("google gemini-2.5-pro", 300_000)).toBe(0.75 + 1.5);
    expect(cost("google gemini-3.1-pro-preview", 300_000)).toBe(1.2 + 1.8);
    expect(cost("bedrock eu.anthropic.claude-sonnet-4-5-20250929-v1:0", 300_000)).toBe(1.8 + 2.25);
    expect(cost("anthropic claude-sonnet-4-6", 300_000)).toBe(0.9 + 1.5); // one price at any length
    expect(pricingOf("openai", "gpt-5.4", { input: 1, output: 1 })?.(long)).toBe(0.4); // what the person says is all of it
  });

  test("of a long prompt is higher than that of a short one", () => {
    const rising = listModels().flatMap(({ price }) =>
      price?.above ? [{ ...price, above: price.above }] : [],
    );
    expect(rising.length).toBeGreaterThan(14);
    for (const { input, output, above } of rising)
      for (const long of above) {
        expect(long.tokens).toBeGreaterThanOrEqual(100_000);
        expect(long.input).toBeGreaterThan(input);
        expect(long.output).toBeGreaterThan(output);
      }
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
