import { expect, test } from "vitest";
import {
  cardFor,
  DEFAULT_MODELS,
  isKnownModel,
  knownPrice,
  listModels,
  MODEL_CARDS,
  parseModelName,
  retirementOf,
  UNKNOWN_MODEL,
} from "./models.ts";
import { effortFor } from "./wires/responses/efforts.ts";

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

test.each([
  ["bedrock", "us.anthropic.claude-opus-5-5", "claude-opus-5-5"],
  ["bedrock", "global.anthropic.claude-opus-4-6-v1", "claude-opus-4-6"],
  ["bedrock", "anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5"],
  ["openrouter", "anthropic/claude-opus-5.5", "claude-opus-5-5"],
  ["openrouter", "anthropic/claude-sonnet-4.6:beta", "claude-sonnet-4-6"],
  ["vertex", "claude-haiku-4-5@20251001", "claude-haiku-4-5"],
])("%s/%s is %s", (provider, id, same) => {
  const { contextWindow, maxOutputTokens } = cardFor("anthropic", same);
  expect(isKnownModel(provider, id)).toBe(true);
  expect(cardFor(provider, id)).toEqual({ provider, id, contextWindow, maxOutputTokens });
});

test("the catalogue knows what others sell, and a server on this machine has its own window", () => {
  expect(cardFor("google", "gemini-2.5-pro").contextWindow).toBe(1_048_576);
  expect(cardFor("reseller", "google/gemini-2.5-pro").contextWindow).toBe(1_048_576);
  expect(cardFor("local", "gemini-2.5-pro")).toMatchObject(UNKNOWN_MODEL);
  expect(isKnownModel("google", "gemini-2.5")).toBe(false); // the twin: no known name is a prefix of it
  expect(isKnownModel("google", "")).toBe(false);
});

test("the person's settings for a model count before what is known of it", () => {
  expect(cardFor("x", "y", { contextWindow: 9_000 })).toEqual({
    provider: "x",
    id: "y",
    contextWindow: 9_000,
    maxOutputTokens: UNKNOWN_MODEL.maxOutputTokens,
  });
});

test("a model that goes within 60 days says so, by the clock that is given", () => {
  const day = Date.parse("2027-02-17");
  expect(retirementOf("claude-sonnet-4-6", day - 61 * 86_400_000)).toBeUndefined();
  expect(retirementOf("us.anthropic.claude-sonnet-4-6", day - 59 * 86_400_000)).toEqual({
    day: "2027-02-17",
    successor: "claude-sonnet-5-5",
  });
  expect(retirementOf("gpt-6-sol", day)).toBeUndefined();
});

test("the default model of each provider is known, priced and not about to be retired", () => {
  for (const name of Object.values(DEFAULT_MODELS)) {
    const { provider = "", model = "" } = parseModelName(name) ?? {};
    expect(isKnownModel(provider, model)).toBe(true);
    expect(retirementOf(model, Date.parse("2027-06-01"))).toBeUndefined();
    expect([name, knownPrice(provider, model)?.input]).toEqual([name, expect.any(Number)]);
  }
});

test("each model that is held apart from the catalogue has its price, under every name", () => {
  for (const { provider, id } of MODEL_CARDS)
    expect([id, knownPrice(provider, id)?.output]).toEqual([id, expect.any(Number)]);
  const price = { input: 2, output: 10, cacheRead: 0.1, cacheWrite: 2.5 };
  expect(knownPrice("bedrock-anthropic", "us.anthropic.claude-sonnet-5-5-v1:0")).toEqual(price);
  expect(knownPrice("openrouter", "anthropic/claude-sonnet-5.5")).toEqual(price);
  expect(listModels().find(({ id }) => id === "claude-sonnet-5-5")).toMatchObject({
    price,
    seesImages: true,
  });
});

test("the list has every model once, with limits that are numbers", () => {
  const models = listModels();
  expect(models.length).toBeGreaterThan(300);
  expect(new Set(models.map(({ provider, id }) => `${provider}/${id}`)).size).toBe(models.length);
  for (const { contextWindow, maxOutputTokens } of models) {
    expect(contextWindow).toBeGreaterThan(0);
    expect(maxOutputTokens).toBeLessThanOrEqual(contextWindow);
  }
});

test("the levels that the catalogue has of OpenAI's models are those that their wire asks for", () => {
  const levels = ["off", "low", "medium", "high", "xhigh", "max"] as const;
  // The data has levels for these; the provider's pages have none.
  const left = ["gpt-5.2-chat-latest", "gpt-realtime-2.1"];
  const ours = listModels().filter(({ provider, id }) => provider === "openai" && !left.includes(id));
  for (const { id, efforts = [] } of ours) {
    const asked = levels.flatMap((level) => effortFor(id, level).effort ?? []);
    expect([id, new Set(asked)]).toEqual([id, new Set(efforts.filter((effort) => effort !== "off"))]);
  }
});

test("every model that is listed has its levels of thinking", () => {
  expect(listModels().filter(({ efforts }) => efforts === undefined)).toEqual([]);
});
