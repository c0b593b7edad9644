import { describe, expect, it, test } from "vitest";
import { matchModel, type NameFacts } from "./model-names.ts";
import { listModels } from "./models.ts";

const facts: NameFacts = {
  providers: [
    { id: "anthropic", ready: true },
    { id: "openai", ready: true },
    { id: "google", ready: false },
    { id: "openrouter", ready: false },
    { id: "work", ready: true },
  ],
  own: ["work/big-one", "work/big-two"],
  aliases: { fast: "anthropic/claude-haiku-5-5", large: "big-two", "gpt-5": "work/big-one", loop: "loop" },
};
const meant = (text: string): string => {
  const match = matchModel(text, facts);
  return match.kind === "one" ? match.name : match.kind === "several" ? match.names.join(" ") : "none";
};

describe("what a person's words for a model mean", () => {
  test.each([
    ["anthropic/claude-opus-5-5", "anthropic/claude-opus-5-5", "a whole name"],
    ["anthropic/claude-next-9", "anthropic/claude-next-9", "a whole name that no list holds"],
    ["work/llama", "work/llama", "a whole name of a provider whose models nobody listed"],
    ["claude-opus-5-5", "anthropic/claude-opus-5-5", "an id, at the provider with a key"],
    ["CLAUDE-Opus-5-5", "anthropic/claude-opus-5-5", "in whatever case"],
    ["big-one", "work/big-one", "an id of the person's own"],
    ["gpt-5", "openai/gpt-5", "an id before an alias"],
    ["fast", "anthropic/claude-haiku-5-5", "an alias"],
    ["large", "work/big-two", "an alias of a shorter word"],
    ["big", "work/big-one work/big-two", "a part of several"],
    ["work/big", "work/big-one work/big-two", "a part of several of one provider"],
    ["work/two", "work/big-two", "a part of one of one provider"],
    ["fable-5-1", "anthropic/claude-fable-5-1", "a part of one"],
    ["loop", "none", "an alias of itself"],
    ["no-such-model", "none", "nothing"],
  ])("%s: %s (%s)", (text, name) => {
    expect(meant(text)).toBe(name);
  });

  it("is the name as it is where the person moved the provider's address: it has models of its own", () => {
    const moved = { ...facts, providers: [{ id: "openai", ready: true, isMoved: true }] };
    expect(matchModel("openai/codex", moved)).toEqual({ kind: "one", name: "openai/codex" });
    expect(matchModel("openai/codex", facts).kind).toBe("several");
  });

  it("is a provider without a key only where no other has it, which then says what is missing", () => {
    expect(meant("gemini-2.5-pro")).toMatch(/^google\//);
  });

  it("is, for every model that is known, the model itself by its whole name", () => {
    for (const { provider, id } of listModels()) {
      const providers = [{ id: provider, ready: true }];
      expect(matchModel(`${provider}/${id}`, { providers })).toEqual({
        kind: "one",
        name: `${provider}/${id}`,
      });
    }
  });
});
