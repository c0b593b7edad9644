// `~/.indus/models.json`: providers and models the person adds, as data. It decides where keys go, so a repository has none.
// Read strictly: an invalid part is reported with what was expected, and ignored; the rest is used.

import { brief, describeError, errorCode, isTable, nearest } from "indusagi/core";
import type { ModelLimits, ProviderConfig, WireName } from "indusagi/llmgateway";
import { checkLink } from "../store/home.ts";
import { HOME_FILES, homePath } from "../store/home-files.ts";
import { readJson } from "../store/json.ts";

export interface ModelsFile {
  readonly providers: readonly ProviderConfig[];
  /** By `provider/model`. */
  readonly models: Readonly<Record<string, ModelLimits>>;
  /** The person's own names for models. */
  readonly aliases: Readonly<Record<string, string>>;
  readonly problems: readonly string[];
}

const MAX_TOKENS = 100_000_000;

// The gateway is not loaded until a model is needed, so its table of wires is repeated here.
const WIRE_NAMES = ["chat", "gemini", "messages", "responses"] as const satisfies readonly WireName[];

type Check = (value: unknown) => string | undefined;
type Table = Readonly<Record<string, unknown>>;

const text: Check = (value) =>
  typeof value === "string" && value.trim() !== "" ? undefined : "a non-empty string";
const tokens: Check = (value) =>
  Number.isInteger(value) && (value as number) > 0 && (value as number) <= MAX_TOKENS
    ? undefined
    : "a positive whole number of tokens";
const address: Check = (value) => {
  const url = typeof value === "string" ? URL.parse(value) : null;
  const isGood = url && /^https?:$/.test(url.protocol) && !url.username && !url.password;
  return isGood ? undefined : "an http or https address without a user name or password";
};
const key: Check = (value) => {
  if (!isTable(value)) return text(value) && `${text(value)} or { "command": [words] }`;
  const { command, ...more } = value;
  const isGood = Object.keys(more).length === 0 && commandWords(command) !== undefined;
  return isGood
    ? undefined
    : '{ "command": [program, argument, …] }, or one string without quotes or shell syntax: no shell reads it';
};
const aws: Check = (value) => {
  const { service, region = "eu-west-1", ...more } = isTable(value) ? value : {};
  const isName = (name: unknown): boolean => typeof name === "string" && /^[a-z0-9-]{1,63}$/.test(name);
  return isName(service) && isName(region) && Object.keys(more).length === 0
    ? undefined
    : '{ "service": the name to sign requests for, optionally "region" }';
};
const yesOrNo: Check = (value) => (typeof value === "boolean" ? undefined : "true or false");
const table: Check = (value) => (isTable(value) ? undefined : "an object");
const texts: Check = (value) =>
  isTable(value) && Object.values(value).every((each) => typeof each === "string")
    ? undefined
    : "an object of strings";
const wire: Check = (value) =>
  WIRE_NAMES.some((name) => name === value) ? undefined : `one of ${WIRE_NAMES.join(", ")}`;

const FILE_FIELDS = { providers: table, models: table, aliases: texts };
/** Of a provider, in the settings too. */
export const PROVIDER_FIELDS = {
  wire,
  baseUrl: address,
  apiKey: key,
  apiKeyEnv: text,
  browserLogin: yesOrNo,
  aws,
  google: yesOrNo,
  headers: texts,
};
const RATES = ["input", "output", "cacheRead", "cacheWrite"];
const areRates = (value: Table): boolean =>
  Object.keys(value).every((key) => RATES.includes(key)) &&
  [value.input, value.output].every(isDollars) &&
  [value.cacheRead, value.cacheWrite].every((each) => each === undefined || isDollars(each));
const MAX_STEPS = 8;
const areSteps = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.length <= MAX_STEPS &&
  value.every((step) => {
    const { tokens: above, ...rates } = isTable(step) ? step : {};
    return tokens(above) === undefined && areRates(rates);
  });
const price: Check = (value) => {
  const { above = [], ...rates } = isTable(value) ? value : {};
  return areRates(rates) && areSteps(above)
    ? undefined
    : 'dollars per million tokens: { "input", "output", optionally "cacheRead", "cacheWrite" and "above": a list of the same with "tokens", for prompts longer than that }';
};
const isDollars = (value: unknown): boolean => typeof value === "number" && value >= 0 && value <= 1e6;
const cache: Check = (value) => (value === "5m" || value === "1h" ? undefined : '"5m" or "1h"');
const MODEL_FIELDS = { contextWindow: tokens, maxOutputTokens: tokens, price, images: yesOrNo, cache };

/** Reads the file in `home` for a session in `cwd`; a missing one is fine. Never throws. */
export function readModelsFile(home: string, cwd: string): ModelsFile {
  const path = homePath(home, "models");
  const problems: string[] = [];
  const nothing = { providers: [], models: {}, aliases: {}, problems };
  let value: unknown;
  try {
    checkLink(path, cwd);
    value = readJson(path, HOME_FILES.models.maxBytes, { followsLinks: true });
  } catch (error) {
    if (errorCode(error) !== "ENOENT")
      problems.push(`${path} could not be read: ${describeError(error)}; it is ignored`);
    return nothing;
  }
  if (!isTable(value)) {
    problems.push(`${path} must be an object with "providers", "models" and "aliases"; it is ignored`);
    return nothing;
  }
  const file = kept(value, FILE_FIELDS, { path, at: "", problems });
  const models: [string, ModelLimits][] = [];
  const readModels = (found: unknown, at: string, nameOf: (key: string) => string): void => {
    for (const [key, limits] of Object.entries((found ?? {}) as Table)) {
      const place = `${at}.${JSON.stringify(brief(key))}`;
      if (!isTable(limits)) problems.push(`${path}: ${place} must be an object; it is ignored`);
      else models.push([nameOf(key), kept(limits, MODEL_FIELDS, { path, at: `${place}.`, problems })]);
    }
  };
  const providers = Object.entries((file.providers ?? {}) as Table).flatMap(([id, found]) => {
    const at = `providers.${JSON.stringify(brief(id))}`;
    const isNamed = /^[a-z0-9][a-z0-9._-]{0,63}$/.test(id);
    if (!isNamed || !isTable(found)) {
      const expected = isNamed
        ? "must be an object"
        : "must have a name of lower-case letters, digits, dots and dashes";
      problems.push(`${path}: ${at} ${expected}; it is ignored`);
      return [];
    }
    const {
      wire: named,
      models: own,
      ...rest
    } = kept(found, { ...PROVIDER_FIELDS, models: table }, { path, at: `${at}.`, problems });
    if (rest.baseUrl === undefined) {
      problems.push(`${path}: ${at} needs a "baseUrl"; it is ignored`);
      return [];
    }
    readModels(own, `${at}.models`, (model) => `${id}/${model}`);
    return {
      ...withWords(rest),
      id,
      wire: named,
    } as ProviderConfig;
  });
  readModels(file.models, "models", (name) => name);
  const aliases = (file.aliases ?? {}) as Readonly<Record<string, string>>;
  return { providers, models: Object.fromEntries(models), aliases, problems };
}

/** A provider whose key's command is a list of words. */
export function withWords(provider: Table): Table {
  const words = isTable(provider.apiKey) ? commandWords(provider.apiKey.command) : undefined;
  return words === undefined ? provider : { ...provider, apiKey: { command: words } };
}

/** A command as words; undefined for syntax that only a shell could read. */
function commandWords(command: unknown): readonly string[] | undefined {
  if (typeof command === "string") {
    const words = command.trim().split(/\s+/);
    return /^[\w@%+=:,./ -]+$/.test(command) && words[0] !== "" ? words : undefined;
  }
  const isList = Array.isArray(command) && command.length > 0 && command.length <= 100;
  if (!isList || !command.every((word) => typeof word === "string" && !word.includes("\0"))) return undefined;
  return (command as readonly string[])[0]?.trim() ? (command as readonly string[]) : undefined;
}

interface Place {
  readonly path: string;
  readonly at: string;
  readonly problems: string[];
}

function kept(found: Table, fields: Readonly<Record<string, Check>>, { path, at, problems }: Place): Table {
  const good: [string, unknown][] = [];
  for (const [key, value] of Object.entries(found)) {
    const check = Object.hasOwn(fields, key) ? fields[key] : undefined;
    const expected = check?.(value);
    if (check && expected === undefined) good.push([key, value]);
    else if (check) problems.push(`${path}: ${at}${key} must be ${expected}; it is ignored`);
    else {
      const near = nearest(key, Object.keys(fields));
      const known =
        near === undefined ? `expected one of ${Object.keys(fields).join(", ")}` : `did you mean ${near}?`;
      problems.push(`${path}: ${at}${JSON.stringify(brief(key))} is unknown and ignored; ${known}`);
    }
  }
  return Object.fromEntries(good);
}
