// What is known about models, as data. Limits in tokens, from the providers' model pages, November 2026.

import type { ModelCard } from "./contract.ts";

type Limits = readonly [id: string, contextWindow: number, maxOutputTokens: number];

const ANTHROPIC: readonly Limits[] = [
  ["claude-fable-5-1", 1_000_000, 128_000],
  ["claude-opus-5-5", 1_000_000, 128_000],
  ["claude-sonnet-5-5", 1_000_000, 128_000],
  ["claude-haiku-5-5", 1_000_000, 128_000],
  ["claude-opus-5", 1_000_000, 128_000],
  ["claude-sonnet-5", 1_000_000, 128_000],
  ["claude-opus-4-8", 1_000_000, 128_000],
  ["claude-opus-4-7", 1_000_000, 128_000],
  ["claude-opus-4-6", 1_000_000, 128_000],
  ["claude-sonnet-4-6", 1_000_000, 64_000],
  ["claude-haiku-4-5", 200_000, 64_000],
  ["claude-sonnet-4-5", 200_000, 64_000],
  ["claude-opus-4-5", 200_000, 64_000],
  ["claude-opus-4-1", 200_000, 32_000],
];

const OPENAI: readonly Limits[] = [
  ["gpt-6.1-sol", 1_050_000, 128_000],
  ["gpt-6-sol", 1_050_000, 128_000],
  ["gpt-5.6-sol", 1_050_000, 128_000],
  ["gpt-5.5", 1_050_000, 128_000],
  ["gpt-5.4", 1_050_000, 128_000],
  ["gpt-5.4-mini", 400_000, 128_000],
  ["gpt-5.1", 400_000, 128_000],
  ["gpt-5", 400_000, 128_000],
  ["gpt-5-mini", 400_000, 128_000],
  ["gpt-4.1", 1_047_576, 32_768],
  ["gpt-4o", 128_000, 16_384],
  ["o3", 200_000, 100_000],
  ["o4-mini", 200_000, 100_000],
];

/** The models that are known by name. */
export const MODEL_CARDS: readonly ModelCard[] = [
  ...ANTHROPIC.map((limits) => toCard("anthropic", limits)),
  ...OPENAI.map((limits) => toCard("openai", limits)),
];

/** For a model that nobody described: small enough for most, so that compaction starts before the window ends. */
export const UNKNOWN_MODEL: Omit<ModelCard, "provider" | "id"> = {
  contextWindow: 64_000,
  maxOutputTokens: 8_192,
};

const RELEASE_DATE = /-(\d{8}|\d{4}-\d{2}-\d{2})$/;

/**
 * The card of a model. A dated name (`claude-haiku-4-5-20251001`) is the model it dates, and a name that another
 * provider resells (`anthropic/claude-opus-5-5`) the one it ends with; an unknown one gets {@link UNKNOWN_MODEL}.
 */
export function cardFor(provider: string, id: string): ModelCard {
  const name = id.slice(id.lastIndexOf("/") + 1).replace(RELEASE_DATE, "");
  const known = MODEL_CARDS.find((card) => card.id === name);
  return { ...(known ?? UNKNOWN_MODEL), provider, id };
}

// OpenAI's models from 5.2 on, and all that are made for code or long thought. A name with a maker before it is a reseller's,
// who translates.
const RESPONSES_MODELS = /^(gpt-(5\.[2-9]|[6-9]|\d{2})(?!.*chat)|gpt-.*-(codex|pro)\b|codex-|o\d-pro)/;

/** The wire that an OpenAI model wants where a server offers both. */
export function wireOf(model: string): "chat" | "responses" {
  return RESPONSES_MODELS.test(model) ? "responses" : "chat";
}

/** The halves of `provider/model`; the model's half may hold slashes. Undefined when either half is missing. */
export function parseModelName(
  name: string,
): { readonly provider: string; readonly model: string } | undefined {
  const slash = name.indexOf("/");
  if (slash <= 0 || slash === name.length - 1) return undefined;
  return { provider: name.slice(0, slash), model: name.slice(slash + 1) };
}

function toCard(provider: string, [id, contextWindow, maxOutputTokens]: Limits): ModelCard {
  return { provider, id, contextWindow, maxOutputTokens };
}
