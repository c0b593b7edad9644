// The table of settings, except for those that a part brings. What a settings file can contain, what losing a setting would lose,
// `/settings` and docs/reference/settings.md are derived from it, and so is the type of the settings.

import { isAbsolute } from "node:path";
import { isTable } from "indusagi/core";
import type { ProviderConfig } from "indusagi/llmgateway";
import { NETWORK_MODES, SANDBOX_MODES, START_MODES } from "../deck/permissions/modes.ts";
import { STATUS_PARTS } from "../view/status-parts.ts";
import {
  type BringsSettings,
  bool,
  type Check,
  group,
  oneOf,
  positive,
  type SettingRow,
  text,
  texts,
  textsLike,
  type ValuesOf,
} from "./setting-row.ts";
import { SWITCHED_BUILTINS } from "./switched-features.ts";
import { THINKING_LEVELS } from "./thinking-levels.ts";

/** Whether features that are there by default are: addons, and built-in ones that nothing else stands on. */
const features: Check<Readonly<Record<string, boolean>>> = (value) => {
  const isGood =
    isTable(value) &&
    Object.entries(value).every(
      ([name, isOn]) =>
        typeof isOn === "boolean" && (!name.startsWith("builtin:") || SWITCHED_BUILTINS.includes(name)),
    );
  return isGood
    ? undefined
    : `an object that sets features to true or false; a feature is an addon's name or one of ${SWITCHED_BUILTINS.join(", ")}`;
};

const MAX_PROVIDERS = 100;
const providers: Check<readonly ProviderConfig[]> = (value) =>
  Array.isArray(value) && value.length <= MAX_PROVIDERS
    ? undefined
    : 'a list, at most 100 long, of { "id", "kind": "anthropic" or "openai-compatible", and optionally "baseUrl", "apiKey", "apiKeyEnv" }';

const isPlace = (path: string): boolean => isAbsolute(path) || path.startsWith("~/");

const PERMISSIONS = [
  {
    name: "mode",
    check: oneOf(START_MODES),
    guards: "own",
    does: "which calls run without a question",
    otherwise: "auto with bubblewrap, otherwise acceptEdits",
    guide: "[Modes](permissions.md).",
  },
  {
    name: "allow",
    check: texts,
    does: "calls that run without a question",
    otherwise: "none",
  },
  {
    name: "ask",
    check: texts,
    guards: "any",
    does: "calls that you are always asked about, even if the mode or an allow rule would let them pass",
    otherwise: "none",
  },
  { name: "deny", check: texts, guards: "any", does: "calls that are refused", otherwise: "none" },
] as const satisfies readonly SettingRow[];

const ADDONS = [
  {
    name: "grant",
    check: texts,
    does: "addons to trust without a question: your own by name, any by content (at least 12 digits, also as NAME@HASH)",
    otherwise: "none",
    guide: "[Sharing](addons.md#sharing-an-addon).",
  },
  {
    name: "grantIn",
    check: ((value) =>
      isTable(value) && !Object.values(value).some(texts)
        ? undefined
        : "an object that sets a list of strings for each folder") as Check<
      Readonly<Record<string, readonly string[]>>
    >,
    does: "for each folder, names of its addons that are trusted without a question",
    otherwise: "none",
  },
  {
    name: "requireSandbox",
    check: bool,
    guards: "own",
    does: "refuses code addons if no OS sandbox can confine them",
    otherwise: "false",
  },
  {
    name: "required",
    check: texts,
    guards: "own",
    does: "ids of addons without which indus does nothing",
    otherwise: "none",
    guide: "[When a guard fails](addons.md#when-a-guard-fails).",
  },
  {
    name: "paths",
    check: textsLike(isPlace, "a list of paths, each absolute or starting with ~/"),
    does: "more places to look for addons",
    otherwise: "none",
  },
  {
    name: "toolBytes",
    check: positive,
    does: "the most bytes that descriptions of MCP tools may take in a request; above that, the model gets only the names and looks up the rest",
    otherwise: "8192",
    guide: "[Many tools](mcp.md#many-tools).",
  },
] as const satisfies readonly SettingRow[];

export const SETTINGS = [
  {
    name: "model",
    check: text,
    does: "the model, as provider/model",
    otherwise: "found by keys and local servers",
  },
  {
    name: "thinking",
    check: oneOf(THINKING_LEVELS),
    does: "how hard the model thinks",
    otherwise: "the model decides",
    guide: "If a model lacks the level, the next lower one is used.",
  },
  {
    name: "outputStyle",
    check: text,
    does: "the output style: how the model is to answer",
    otherwise: "none",
    guide: "`default` is none. [Where styles are](files-read.md#output-styles).",
  },
  {
    name: "titleModel",
    check: text,
    does: "the model that gives a session its name, after its first task",
    otherwise: "none: the session's first line",
    guide: "A small model is enough.",
  },
  {
    name: "fallbackModels",
    check: texts,
    does: "models to use when the provider cannot answer",
    otherwise: "none",
    guide: "[In order](models.md#when-a-provider-cannot-answer).",
  },
  {
    name: "retryMinutes",
    check: ((value) =>
      typeof value === "number" && value >= 0 && value <= 60
        ? undefined
        : "a number of minutes from 0 to 60") as Check<number>,
    does: "for how long a failed request is retried, in minutes",
    otherwise: "10",
  },
  { name: "maxTurns", check: positive, does: "the most model calls for one task", otherwise: "1000" },
  {
    name: "maxCost",
    check: ((value) =>
      typeof value === "number" && Number.isFinite(value) && value > 0
        ? undefined
        : "a number of dollars above 0") as Check<number>,
    guards: "own",
    does: "the most that a run may cost, in dollars",
    otherwise: "no limit",
    guide: "[Cost](models.md#cost).",
  },
  {
    name: "providers",
    check: providers,
    does: "your own providers",
    otherwise: "none",
    guide: "The key and other fields are those of [`models.json`](models.md).",
  },
  {
    name: "localServers",
    check: texts,
    does: "addresses on this machine to query for a model",
    otherwise: "the usual ports",
    guide: "`[]` for none.",
  },
  {
    name: "respectGitignore",
    check: bool,
    does: "whether grep and find skip what .gitignore lists",
    otherwise: "true",
  },
  {
    name: "console",
    check: oneOf(["rich", "plain"]),
    does: "which console a terminal gets: rich or plain",
    otherwise: "rich",
    guide: "`plain` (also `--plain`) suits screen readers, and is the default if `ACCESSIBLE` is set.",
  },
  {
    name: "theme",
    check: text,
    does: "the colours of the rich console",
    otherwise: "auto: dark or light, to match the terminal's background",
    guide:
      "`auto`, `terminal`, `dark`, `light`, `high-contrast`, `colour-blind`, or [one of your own](console.md#themes); `NO_COLOR` shows none.",
  },
  {
    name: "statusLine",
    check: ((value) =>
      Array.isArray(value) && value.every((part) => STATUS_PARTS.includes(part))
        ? undefined
        : `a list of ${STATUS_PARTS.join(", ")}`) as Check<readonly (typeof STATUS_PARTS)[number][]>,
    does: "the parts of the status line, in this order",
    otherwise: "all of them",
    guide: "[The status line](console.md#the-status-line).",
  },
  {
    name: "reducedMotion",
    check: bool,
    does: "animations change at most once a second",
    otherwise: "false",
  },
  { name: "vi", check: bool, does: "vi's normal and insert mode in the editor", otherwise: "false" },
  {
    name: "features",
    check: features,
    guards: "own",
    does: "built-in features and addons that are turned off",
    otherwise: "none",
    guide:
      '`{ "builtin:web": false, "NAME": false }`; `indus addons` lists what is turned off. A repository cannot set this: an addon may guard something.',
  },
  {
    name: "addons",
    check: group(ADDONS),
    guards: "own",
    does: "which addons are trusted or required, and where to look for more",
    otherwise: "you are asked about each",
    within: ADDONS,
  },
  {
    name: "unmaskedSecrets",
    check: texts,
    does: "environment variables whose values are not masked",
    otherwise: "none",
    guide: "[Secrets](secrets.md).",
  },
  {
    name: "onGateFailure",
    check: oneOf(["allow", "block"]),
    guards: "own",
    does: "what happens when a feature's gate fails",
    otherwise: "allow",
  },
  {
    name: "sandbox",
    check: oneOf(SANDBOX_MODES),
    guards: "any",
    does: "what the model's commands may write",
    otherwise: "workspace-write in the mode auto, otherwise off",
    guide: "[The sandbox](permissions.md#commands-in-a-sandbox).",
  },
  {
    name: "network",
    check: oneOf(NETWORK_MODES),
    guards: "any",
    does: "what sandboxed commands can reach",
    otherwise: "off",
  },
  {
    name: "networkHosts",
    check: textsLike(
      (name) => /^(?:\*\.)?[a-z0-9._-]+$/i.test(name),
      "a list of host names, such as api.example.com or *.example.com",
    ),
    does: "the hosts that sandboxed commands can reach if network is hosts",
    otherwise: "none",
    guide: "In addition to the hosts of WebFetch rules.",
  },
  {
    name: "permissions",
    check: group(PERMISSIONS),
    guards: "any",
    does: "the mode, and rules that allow, ask about or deny calls",
    otherwise:
      "auto: reading and editing in the working directory and sandboxed commands need no question; you are asked about the rest",
    within: PERMISSIONS,
  },
] as const satisfies readonly SettingRow[];

/** What a settings file can say. */
export type FileSettings = ValuesOf<typeof SETTINGS>;

/** The whole table, with the settings that these bring. */
export function settingsOf(parts: readonly BringsSettings[]): readonly SettingRow[] {
  return [...SETTINGS, ...parts.flatMap(({ settings = [] }) => settings)];
}
