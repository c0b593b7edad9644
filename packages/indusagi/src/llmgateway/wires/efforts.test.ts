// Thinking levels on each wire, according to the catalogue: nothing is requested that the model does not have.

import { expect, test } from "vitest";
import type { ThinkingLevel } from "../contract.ts";
import { effortsOf, listModels } from "../models.ts";
import { createChatWriter } from "./chat/request.ts";
import { fittingEffort } from "./efforts.ts";
import { createGeminiWriter } from "./gemini/request.ts";

const LEVELS = ["off", "low", "medium", "high", "xhigh", "max"] as const;
const asking = (model: string, thinking: ThinkingLevel) => ({
  model,
  system: "",
  tools: [],
  messages: [{ role: "user" as const, content: [{ kind: "text" as const, text: "hello" }] }],
  params: { thinking },
});

function onChat(provider: string, model: string): readonly unknown[] {
  const write = createChatWriter(provider);
  const dialect = { isOpenAi: provider === "openai", learnt: new Set<never>() };
  return LEVELS.map((level) => JSON.parse(write(asking(model, level), dialect).join("")).reasoning_effort);
}

const NONE = undefined;

test.each([
  ["openrouter", "openai/gpt-5.6-sol", ["none", "low", "medium", "high", "xhigh", "max"]],
  ["openai", "gpt-5", ["minimal", "low", "medium", "high", "high", "high"]], // as close to off as it gets
  ["zai", "glm-5.2", ["none", "high", "high", "high", "high", "max"]],
  ["deepseek", "deepseek-v4-pro", [NONE, "high", "high", "high", "high", "max"]],
  ["groq", "openai/gpt-oss-120b", ["low", "low", "medium", "high", "high", "high"]],
  ["mine", "a-model-that-nobody-described", [NONE, "low", "medium", "high", "high", "high"]],
])("on Chat Completions %s/%s", (provider, model, efforts) => {
  expect(onChat(provider, model)).toEqual(efforts);
});

test.each([
  ["gemini-3.1-pro-preview", ["low", "low", "medium", "high", "high", "high"]],
  ["gemini-3-flash-preview", ["minimal", "low", "medium", "high", "high", "high"]],
  ["gemini-3.8-flash", ["low", "low", "medium", "high", "high", "high"]], // refuses minimal
  ["gemini-9-unheard-of", ["low", "low", "medium", "high", "high", "high"]],
])("on Gemini %s", (model, expected) => {
  const write = createGeminiWriter("google");
  const asked = LEVELS.map(
    (level) => JSON.parse(write(asking(model, level)).join("")).generationConfig.thinkingConfig.thinkingLevel,
  );
  expect(asked).toEqual(expected);
});

test("no level asks a listed model for a word that it does not have", () => {
  for (const { provider, id } of listModels()) {
    const efforts = effortsOf(provider, id);
    if (efforts === undefined || efforts.every((effort) => effort === "off")) continue;
    for (const level of LEVELS) expect(efforts).toContain(fittingEffort(efforts, level));
  }
});
