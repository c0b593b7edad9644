// What is known about models, as data. Limits in tokens, from the providers'
// model pages, November 2026; everything else is in the catalogue.

import { CATALOGUE } from "./catalogue-data.ts";
import type { LongPromptRates, ModelCard, Price, Rates } from "./contract.ts";

type Limits = readonly [
  id: string,
  contextWindow: number,
  maxOutputTokens: number,
  efforts?: readonly string[],
  /** For models that the catalogue does not have yet. All of these see images. */
  price?: Price,
];

const UP_TO_MAX = ["low", "medium", "high", "xhigh", "max"];

const ANTHROPIC: readonly Limits[] = [
  ["claude-fable-5-1", 1_000_000, 128_000],
  ["claude-opus-5-5", 1_000_000, 128_000],
  [
    "claude-sonnet-5-5",
    1_000_000,
    128_000,
    ["off", ...UP_TO_MAX],
    { input: 2, output: 10, cacheRead: 0.1, cacheWrite: 2.5 },
  ],
  [
    "claude-haiku-5-5",
    1_000_000,
    128_000,
    ["off", ...UP_TO_MAX],
    {
      ...{ input: 0.1, output: 0.5, cacheRead: 0.01, cacheWrite: 0.125 },
      above: [{ tokens: 100_000, input: 0.5, output: 2.5, cacheRead: 0.05, cacheWrite: 0.625 }],
    },
  ],
  ["claude-opus-5", 1_000_000, 128_000],
  ["claude-sonnet-5", 1_000_000, 128_000],
  ["claude-opus-4-8", 1_000_000, 128_000],
  ["claude-opus-4-7", 1_000_000, 128_000],
  ["claude-opus-4-6", 1_000_000, 128_000],
  ["claude-sonnet-4-6", 1_000_000, 64_000],
  ["claude-haiku-4-5", 200_000, 64_000],
  ["claude-sonnet-4-5", 200_000, 64_000],
  ["claude-opus-4-5", 200_000, 64_000],
  [
    "claude-opus-4-1",
    200_000,
    32_000,
    ["off", "low", "medium", "high"],
    { input: 15, output: 75, cacheRead: 1.5, cacheWrite: 18.75 },
  ],
];

const OPENAI: readonly Limits[] = [
  ["gpt-6.2-sol", 1_050_000, 128_000, UP_TO_MAX, { input: 2, output: 10, cacheRead: 0.1, cacheWrite: 2.5 }],
  ["gpt-6.1-sol", 1_050_000, 128_000, UP_TO_MAX, { input: 2, output: 10, cacheRead: 0.1, cacheWrite: 2.5 }],
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

/** The models known by name. */
export const MODEL_CARDS: readonly CatalogueEntry[] = [
  ...ANTHROPIC.map((limits) => toCard("anthropic", limits)),
  ...OPENAI.map((limits) => toCard("openai", limits)),
];

/** For undescribed models: small enough for most, so that compaction starts before the window ends. */
export const UNKNOWN_MODEL: Omit<ModelCard, "provider" | "id"> = {
  contextWindow: 64_000,
  maxOutputTokens: 8_192,
};

/** A person's settings for a model, which override what is known about it. */
export interface ModelLimits extends Partial<Pick<ModelCard, "contextWindow" | "maxOutputTokens">> {
  readonly price?: Price;
  /** Whether it takes pictures. */
  readonly images?: boolean;
  /** How long what is marked for the prompt cache stays there; five minutes if unset. */
  readonly cache?: "5m" | "1h";
}

/**
 * The card of a model. A dated name (`claude-haiku-4-5-20251001`) gets the card of the model it
 * dates, a resold name (`anthropic/claude-opus-5.5`, `us.anthropic.claude-opus-5-5-v1:0`) that of the
 * model it ends with; an unknown one gets {@link UNKNOWN_MODEL}. `said` overrides all of it.
 */
export function cardFor(
  provider: string,
  id: string,
  { price: _, images: __, cache: ___, ...said }: ModelLimits = {},
): ModelCard {
  return { ...(knownLimits(provider, id) ?? UNKNOWN_MODEL), ...said, provider, id };
}

/** Whether anything is known about a model, by its own name or that of the model it stands for. */
export function isKnownModel(provider: string, id: string): boolean {
  return knownLimits(provider, id) !== undefined;
}

function knownLimits(provider: string, id: string): (ModelLimits & typeof UNKNOWN_MODEL) | undefined {
  const name = plainName(id);
  const own = MODEL_CARDS.find((card) => card.id === name);
  if (own) return { contextWindow: own.contextWindow, maxOutputTokens: own.maxOutputTokens };
  // A server on this machine cuts a model's window to the memory it has.
  if (provider === LOCAL_PROVIDER) return undefined;
  const entry = catalogueEntry(provider, id, name);
  return entry && { contextWindow: entry.contextWindow, maxOutputTokens: entry.maxOutputTokens };
}

/** The provider id for a server found on this machine. */
export const LOCAL_PROVIDER = "local";

/**
 * A model's name without what others add to it: the maker before a slash, Bedrock's region and maker before dots, a trailing date,
 * version or variant. Claude's versions are written with dashes.
 */
export function plainName(id: string): string {
  return remembered(PLAIN_NAMES, id, withoutAdditions);
}

function withoutAdditions(id: string): string {
  const name = id
    .slice(id.lastIndexOf("/") + 1)
    .replace(
      /^(?:[a-z]{2,6}\.)?(?:anthropic|openai|meta|amazon|mistral|deepseek|google|qwen|moonshotai|zai|minimax)\./,
      "",
    )
    .replace(/:(?:free|nitro|floor|beta|thinking|extended|exacto|online|batch)$/, "")
    .replace(/-v\d+(?::\d+)?$/, "")
    .replace(/@[\w-]+$/, "")
    .replace(/-(\d{8}|\d{4}-\d{2}-\d{2})$/, "");
  return name.startsWith("claude-") ? name.replaceAll(".", "-") : name;
}

/** The provider's own row, otherwise any row of the model. */
function catalogueEntry(provider: string, id: string, name: string): CatalogueEntry | undefined {
  const own = ownRow(provider, id);
  if (own) return own;
  for (
    let found = CATALOGUE.indexOf(name);
    name !== "" && found >= 0;
    found = CATALOGUE.indexOf(name, found + 1)
  ) {
    const begins = " /".includes(CATALOGUE[found - 1] ?? "");
    if (begins && CATALOGUE[found + name.length] === " ") return entryAt(CATALOGUE.lastIndexOf("\n", found));
  }
  return undefined;
}

/** Whether a model takes pictures, by the provider's own row; undefined if there is none. */
export function seesImages(provider: string, id: string): boolean | undefined {
  return ownRow(provider, id)?.seesImages;
}

/** The words for a model's thinking efforts, lowest first, by the provider's own row; undefined if there is none. */
export function effortsOf(provider: string, id: string): readonly string[] | undefined {
  const { efforts = [] } = ownRow(provider, id) ?? {};
  return efforts.length === 0 ? undefined : efforts;
}

function ownRow(provider: string, id: string): CatalogueEntry | undefined {
  return remembered(OWN_ROWS, `\n${provider} ${id} `, (begin) => {
    const at = CATALOGUE.indexOf(begin);
    return at < 0 ? undefined : entryAt(at);
  });
}

// A request asks for the facts of its model several times.
const PLAIN_NAMES = new Map<string, string>();
const OWN_ROWS = new Map<string, CatalogueEntry | undefined>();

function remembered<Value>(known: Map<string, Value>, key: string, find: (key: string) => Value): Value {
  const value = known.get(key);
  if (value !== undefined || known.has(key)) return value as Value;
  const found = find(key);
  known.set(key, found);
  return found;
}

/** A model's price: from the provider's own row, else from the cards in this file, else from any row of the model. */
export function knownPrice(provider: string, id: string): Price | undefined {
  const name = plainName(id);
  const own = ownRow(provider, id) ?? MODEL_CARDS.find((card) => card.id === name && card.price);
  return withLongPrompts(name, (own ?? catalogueEntry(provider, id, name))?.price);
}

/**
 * What long prompts cost where the catalogue's data says nothing of it, by plain name: from the data of @pydantic/genai-prices
 * 0.1.8 (MIT), read on 2026-11-24.
 */
const LONG_PROMPTS: Readonly<Record<string, LongPromptRates>> = {
  "claude-sonnet-4-5": { tokens: 200_000, input: 6, output: 22.5, cacheRead: 0.6, cacheWrite: 7.5 },
  "gemini-2.5-pro": { tokens: 200_000, input: 2.5, output: 15, cacheRead: 0.25 },
  "gemini-3-pro-preview": { tokens: 200_000, input: 4, output: 18, cacheRead: 0.4 },
  "gemini-3.1-pro-preview": { tokens: 200_000, input: 4, output: 18, cacheRead: 0.4 },
  "gemini-3.1-pro-preview-customtools": { tokens: 200_000, input: 4, output: 18, cacheRead: 0.4 },
};

function withLongPrompts(name: string, price: Price | undefined): Price | undefined {
  const above = LONG_PROMPTS[name];
  return price && above && !price.above ? { ...price, above: [above] } : price;
}

/** A row of the catalogue. */
export interface CatalogueEntry extends ModelCard {
  readonly price?: Price | undefined;
  /** Its thinking efforts, lowest first; `off` if thinking can be turned off; empty: it does not think. */
  readonly efforts?: readonly string[];
  readonly seesImages?: boolean;
}

/** In the order in which scripts/catalogue.mjs numbers them. */
const EFFORTS = ["off", "none", "minimal", "low", "medium", "high", "xhigh", "max"];

function entryAt(lineFeed: number): CatalogueEntry {
  const [row = "", ...long] = CATALOGUE.slice(lineFeed + 1, CATALOGUE.indexOf("\n", lineFeed + 1)).split(
    " >",
  );
  const [provider = "", id = "", window, answer, abilities = "", ...prices] = row.split(" ");
  const rates = ratesIn(prices);
  const above = long.map((text) => {
    const [tokens, ...higher] = text.split(" ");
    return { tokens: Number(tokens), ...ratesIn(higher) };
  });
  return {
    provider,
    id,
    contextWindow: Number(window),
    maxOutputTokens: Number(answer),
    // The data has a negative price where it depends on what a router chooses.
    price: rates.input < 0 ? undefined : { ...rates, above: above.length > 0 ? above : undefined },
    efforts: EFFORTS.filter((_, bit) => (Number.parseInt(abilities, 36) >> bit) & 1),
    seesImages: abilities.endsWith("+"),
  };
}

function ratesIn(texts: readonly string[]): Rates {
  const [input = 0, output = 0, cacheRead = 0, cacheWrite = 0] = texts.map(Number);
  return { input, output, cacheRead, cacheWrite };
}

/** Everything that is known, by provider and name. The cards in this file override the catalogue. */
export function listModels(): readonly CatalogueEntry[] {
  const entries = new Map<string, CatalogueEntry>();
  for (let at = 0; at < CATALOGUE.length - 1; at = CATALOGUE.indexOf("\n", at + 1)) {
    const entry = entryAt(at);
    entries.set(`${entry.provider}/${entry.id}`, entry);
  }
  for (const card of MODEL_CARDS) {
    const name = `${card.provider}/${card.id}`;
    entries.set(name, { ...entries.get(name), ...card });
  }
  return [...entries.keys()].sort().flatMap((name) => {
    const { price, ...entry } = entries.get(name) as CatalogueEntry;
    const whole = withLongPrompts(plainName(entry.id), price);
    return { ...entry, price: whole };
  });
}

/** Whether `part`, in lower case, may occur in a name of {@link listModels}: checked without building the list. */
export function mayBeListed(part: string): boolean {
  return (
    CATALOGUE.toLowerCase().includes(part) || MODEL_CARDS.some(({ id }) => id.toLowerCase().includes(part))
  );
}

/** The default model if only a key is given, by provider: current, not a preview, and nowhere near its retirement. */
export const DEFAULT_MODELS: Readonly<Record<string, string>> = {
  anthropic: "anthropic/claude-sonnet-5-5",
  openai: "openai/gpt-6.2-sol",
  google: "google/gemini-3.8-flash",
  openrouter: "openrouter/anthropic/claude-sonnet-5",
  xai: "xai/grok-4.7",
  groq: "groq/openai/gpt-oss-120b",
  cerebras: "cerebras/gpt-oss-120b",
  mistral: "mistral/devstral-medium-latest",
  deepseek: "deepseek/deepseek-v4-pro",
  moonshot: "moonshot/kimi-k3",
  zai: "zai/glm-5.3",
  minimax: "minimax/MiniMax-M3",
};

// The earliest day on which a model may be retired. Claude's: a year after release, as its maker promises (the first was checked
// against the maker's list); the others': from their makers' deprecation lists in November 2026.
const RETIREMENTS: readonly (readonly [id: string, day: string, successor: string])[] = [
  ["claude-opus-4-1", "2026-08-05", "claude-opus-5-5"],
  ["claude-sonnet-4-5", "2026-09-29", "claude-sonnet-5-5"],
  ["claude-haiku-4-5", "2026-10-15", "claude-haiku-5-5"],
  ["claude-opus-4-5", "2026-11-24", "claude-opus-5-5"],
  ["claude-opus-4-6", "2027-02-05", "claude-opus-5-5"],
  ["claude-sonnet-4-6", "2027-02-17", "claude-sonnet-5-5"],
  ...going("2026-10-23", "gpt-6.1-sol", ["gpt-4", "gpt-4-turbo", "o1", "o1-pro", "o3-mini"]),
  ...going("2026-10-23", "gpt-6.1-terra", ["gpt-3.5-turbo", "gpt-4.1-nano", "o4-mini"]),
  ...going("2026-12-01", "gemini-3.8-flash", ["gemini-2.5-pro"]),
  ...going("2026-12-01", "gemini-3.5-flash-lite", ["gemini-2.5-flash"]),
  ...going("2026-12-11", "gpt-6.1-sol", ["gpt-5", "gpt-5-pro", "o3", "o3-pro"]),
  ...going("2026-12-11", "gpt-6.1-terra", ["gpt-5-mini"]),
  ...going("2026-12-11", "gpt-6-luna", ["gpt-5-nano"]),
  ...going("2027-01-14", "gpt-6-luna", ["gpt-4o", "gpt-4o-mini", "gpt-4.1", "gpt-4.1-mini"]),
  ...going("2027-04-01", "gpt-6.1-sol", ["gpt-5.1", "gpt-5.3-codex"]),
  ...going("2027-04-01", "gpt-6-luna", ["gpt-5.4-nano"]),
];

function going(day: string, successor: string, ids: readonly string[]) {
  return ids.map((id) => [id, day, successor] as const);
}

const NOTICE_MS = 60 * 86_400_000;

/** When a model may be retired and what replaces it, from 60 days before that day on. */
export function retirementOf(
  id: string,
  now: number,
): { readonly day: string; readonly successor: string } | undefined {
  const name = plainName(id);
  const [, day, successor] = RETIREMENTS.find(([known]) => known === name) ?? [];
  if (day === undefined || successor === undefined) return undefined;
  return now >= Date.parse(day) - NOTICE_MS ? { day, successor } : undefined;
}

// OpenAI's models from 5.2 on, and all that are made for code or long thought.
// A name with a maker before it is a reseller's, which translates.
const RESPONSES_MODELS = /^(gpt-(5\.[2-9]|[6-9]|\d{2})(?!.*chat)|gpt-.*-(codex|pro)\b|codex-|o\d-pro)/;

/** The wire that an OpenAI model wants if a server offers both. */
export function wireOf(model: string): "chat" | "responses" {
  return RESPONSES_MODELS.test(model) ? "responses" : "chat";
}

/** The halves of `provider/model`; the model's half may contain slashes. Undefined if either half is missing. */
export function parseModelName(
  name: string,
): { readonly provider: string; readonly model: string } | undefined {
  const slash = name.indexOf("/");
  if (slash <= 0 || slash === name.length - 1) return undefined;
  return { provider: name.slice(0, slash), model: name.slice(slash + 1) };
}

function toCard(
  provider: string,
  [id, contextWindow, maxOutputTokens, efforts, price]: Limits,
): CatalogueEntry {
  const limits = { provider, id, contextWindow, maxOutputTokens };
  return { ...limits, ...(efforts ? { efforts } : {}), ...(price ? { price, seesImages: true } : {}) };
}
