import { expect, test } from "vitest";
import { cardFor, MODEL_CARDS, parseModelName, UNKNOWN_MODEL } from "./models.ts";

test("a model's name may hold slashes; either half missing is no name", () => {
  expect(parseModelName("anthropic/claude-opus-5-5")).toEqual({
    provider: "anthropic",
    model: "claude-opus-5-5",
  });
  expect(parseModelName("local/org/model:8b")).toEqual({ provider: "local", model: "org/model:8b" });
  for (const name of ["", "gpt-5", "/x", "x/"]) expect(parseModelName(name)).toBeUndefined();
});

test("a dated or resold name is the model it names", () => {
  const card = { contextWindow: 200_000, maxOutputTokens: 64_000 };
  expect(cardFor("anthropic", "claude-haiku-4-5-20251001")).toEqual({
    provider: "anthropic",
    id: "claude-haiku-4-5-20251001",
    ...card,
  });
  expect(cardFor("reseller", "anthropic/claude-haiku-4-5")).toMatchObject(card);
});

test("a longer name is not its prefix, and a model that nobody described is treated with caution", () => {
  expect(cardFor("openai", "gpt-5-unheard-of")).toEqual({
    provider: "openai",
    id: "gpt-5-unheard-of",
    ...UNKNOWN_MODEL,
  });
});

test("no model is described twice, and each answer fits its window", () => {
  expect(new Set(MODEL_CARDS.map(({ id }) => id)).size).toBe(MODEL_CARDS.length);
  for (const card of MODEL_CARDS) expect(card.maxOutputTokens).toBeLessThan(card.contextWindow);
});
