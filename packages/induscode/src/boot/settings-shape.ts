// What a settings file can contain, and which settings narrow: if a wrong or misspelt setting could lose a rule, it stops the start
// instead (decision 012).

import { isAbsolute } from "node:path";
import { isTable } from "indusagi/core";
import { NETWORK_MODES, SANDBOX_MODES, START_MODES } from "../deck/permissions/modes.ts";
import { PROVIDER_FIELDS, withWords } from "../session/models-file.ts";
import { THINKING_LEVELS } from "../session/thinking-levels.ts";
import { STATUS_PARTS } from "../tui/status/status-parts.ts";
import { type SettingFault, unknownSetting } from "./setting-fault.ts";
import { SWITCHED_BUILTINS } from "./switched-features.ts";

/** What was expected instead of this value; undefined if it is valid. */
type Check = (value: unknown) => string | undefined;
type Checks = Readonly<Record<string, Check>>;

const text: Check = (value) => (typeof value === "string" && value !== "" ? undefined : "a non-empty string");
const positive: Check = (value) =>
  Number.isInteger(value) && (value as number) > 0 ? undefined : "a positive whole number";
const bool: Check = (value) => (typeof value === "boolean" ? undefined : "true or false");
const texts: Check = (value) =>
  Array.isArray(value) && value.every((item) => typeof item === "string") ? undefined : "a list of strings";
const oneOf =
  (choices: readonly string[]): Check =>
  (value) =>
    choices.includes(value as string) ? undefined : `one of ${choices.join(", ")}`;
const group =
  (checks: Checks): Check =>
  (value) =>
    isTable(value) ? undefined : `an object with ${Object.keys(checks).join(", ")}`;

/** Whether features that are there by default are: addons, and built-in ones that nothing else stands on. */
const features: Check = (value) => {
  const isGood =
    isTable(value) &&
    Object.entries(value).every(
      ([name, isOn]) =>
        typeof isOn === "boolean" && (!name.startsWith("builtin:") || SWITCHED_BUILTINS.includes(name)),
    );
  return isGood
    ? undefined
    : `an object of true or false, by feature: an addon's name, or one of ${SWITCHED_BUILTINS.join(", ")}`;
};

const isPlace = (path: string): boolean => isAbsolute(path) || path.startsWith("~/");

/** Settings within `permissions` and `addons`. */
const GROUPS: Readonly<Record<string, Checks>> = {
  permissions: { mode: oneOf(START_MODES), allow: texts, ask: texts, deny: texts },
  addons: {
    grant: texts,
    grantIn: (value) =>
      isTable(value) && !Object.values(value).some(texts)
        ? undefined
        : "an object of lists of strings, by folder",
    requireSandbox: bool,
    required: texts,
    paths: (value) =>
      !texts(value) && (value as string[]).every(isPlace)
        ? undefined
        : "a list of paths, each absolute or starting with ~/",
  },
};

const CHECKS: Checks = {
  model: text,
  thinking: oneOf(THINKING_LEVELS),
  fallbackModels: texts,
  titleModel: text,
  retryMinutes: (value) =>
    typeof value === "number" && value >= 0 && value <= 60 ? undefined : "a number of minutes from 0 to 60",
  maxTurns: positive,
  maxCost: (value) =>
    Number.isFinite(value) && (value as number) > 0 ? undefined : "a number of dollars above 0",
  onGateFailure: oneOf(["allow", "block"]),
  respectGitignore: bool,
  checkpoints: oneOf(["edits", "all", "off"]),
  console: oneOf(["rich", "plain"]),
  theme: text,
  statusLine: (value) =>
    Array.isArray(value) && value.every((part) => STATUS_PARTS.includes(part))
      ? undefined
      : `a list of ${STATUS_PARTS.join(", ")}`,
  reducedMotion: bool,
  vi: bool,
  workItems: bool,
  memory: bool,
  features,
  addons: group(GROUPS.addons ?? {}),
  localServers: texts,
  unmaskedSecrets: texts,
  providers: (value) => (Array.isArray(value) && value.length <= MAX_PROVIDERS ? undefined : PROVIDER_SHAPE),
  sandbox: oneOf(SANDBOX_MODES),
  network: oneOf(NETWORK_MODES),
  networkHosts: (value) =>
    !texts(value) && (value as string[]).every((name) => /^(?:\*\.)?[a-z0-9._-]+$/i.test(name))
      ? undefined
      : "a list of host names, such as api.example.com or *.example.com",
  permissions: group(GROUPS.permissions ?? {}),
};

/** Every setting that a file can have. */
export const SETTING_NAMES: readonly string[] = Object.keys(CHECKS);

/** Settings whose loss would let more pass than the file says; for a repository only its rules, sandbox and network count. */
const NARROWING = {
  own: [
    "permissions",
    "permissions.ask",
    "permissions.deny",
    "permissions.mode",
    "features",
    "addons",
    "addons.required",
    "addons.requireSandbox",
    "onGateFailure",
    "maxCost",
    "sandbox",
    "network",
  ],
  repository: ["permissions", "permissions.ask", "permissions.deny", "sandbox", "network"],
} as const;

const MAX_PROVIDERS = 100;
const PROVIDER_SHAPE =
  'a list, at most 100 long, of { "id", "kind": "anthropic" or "openai-compatible", and optionally "baseUrl", "apiKey", "apiKeyEnv" }';
const PROVIDER: Checks = {
  id: text,
  kind: oneOf(["anthropic", "openai-compatible"]),
  ...PROVIDER_FIELDS,
  baseUrl: text, // it can name variables
};

/** The limit per group; further ones are counted in one line. */
const MAX_TOLD = 20;

/** The valid settings, checked one by one, and a fault for each of the others. */
export function keepValid(
  found: Record<string, unknown>,
  isOwn: boolean,
): { readonly kept: Record<string, unknown>; readonly faults: readonly SettingFault[] } {
  const faults: SettingFault[] = [];
  const narrowing: readonly string[] = isOwn ? NARROWING.own : NARROWING.repository;
  const kept = keep(found, CHECKS, "");
  for (const [name, checks] of Object.entries(GROUPS)) {
    const inner = kept[name];
    if (isTable(inner)) kept[name] = keep(inner, checks, `${name}.`);
  }
  if (Array.isArray(kept.providers)) kept.providers = kept.providers.flatMap(keepProvider);
  return { kept, faults };

  /** One with a mistake is ignored as a whole: without its address, its key would go elsewhere. */
  function keepProvider(found: unknown, at: number): readonly unknown[] {
    const given = { id: undefined, kind: undefined, ...(isTable(found) ? found : {}) };
    const good = keep(given, PROVIDER, `providers[${at}].`, "this provider");
    const isGood = Object.keys(given).every(
      (key) => Object.hasOwn(good, key) || !Object.hasOwn(PROVIDER, key),
    );
    return isGood ? [withWords(good)] : [];
  }

  function keep(
    from: Record<string, unknown>,
    checks: Checks,
    prefix: string,
    ignored = "it",
  ): Record<string, unknown> {
    const good: Record<string, unknown> = {};
    let unknown = 0;
    for (const [key, item] of Object.entries(from)) {
      const check = Object.hasOwn(checks, key) ? checks[key] : undefined;
      if (!check) {
        if (++unknown <= MAX_TOLD)
          faults.push(
            unknownSetting(key, { prefix, known: Object.keys(checks), all: allNames(), narrowing }),
          );
      } else {
        const expected = check(item);
        if (expected === undefined) good[key] = item;
        else if (!isOwn && check === texts && Array.isArray(item)) {
          good[key] = item.filter((each) => typeof each === "string");
          faults.push({
            problem: `"${prefix}${key}" must be ${expected}; the others are ignored`,
            letsMorePass: narrowing.includes(prefix + key),
          });
        } else
          faults.push({
            problem: `"${prefix}${key}" must be ${expected}; ${ignored} is ignored`,
            letsMorePass: narrowing.includes(prefix + key),
          });
      }
    }
    if (unknown > MAX_TOLD)
      faults.push({
        problem: `${unknown - MAX_TOLD} more names ${prefix === "" ? "" : `in "${prefix.slice(0, -1)}" `}are not settings`,
        letsMorePass: true, // nobody has looked at them individually
      });
    return good;
  }
}

/** With those in groups. */
function allNames(): readonly string[] {
  return [
    ...Object.keys(CHECKS),
    ...Object.entries(GROUPS).flatMap(([name, checks]) =>
      Object.keys(checks).map((inner) => `${name}.${inner}`),
    ),
  ];
}
