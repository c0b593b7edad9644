// The settings files. A broken file costs its broken part, never the session: every problem is named with its place,
// and the rest is used.

import { isAbsolute, join } from "node:path";
import { describeError, errorCode, nearest } from "indusagi/core";
import type { ProviderConfig, ThinkingLevel } from "indusagi/llmgateway";
import type { ParseError } from "jsonc-parser";
import { readBoundedFile } from "../addons/bounded-file.ts";
import { PERMISSION_MODES, type PermissionMode } from "../deck/permissions/permissions.ts";
import type { FailurePolicy } from "../feature/contract.ts";
import { THINKING_LEVELS } from "./thinking-levels.ts";

export interface Settings {
  readonly model?: string;
  readonly thinking?: ThinkingLevel;
  readonly maxTurns?: number;
  readonly providers?: readonly ProviderConfig[];
  /** Addresses asked for a local model server when no other model is configured. */
  readonly localServers?: readonly string[];
  /** Whether grep and find leave out what `.gitignore` names; default true. */
  readonly respectGitignore?: boolean;
  readonly addons?: {
    /** Trusted without a question: names of the person's own addons; content hashes (12 digits at least), also as `NAME@HASH`. */
    readonly grant?: readonly string[];
    /** By folder: names of addons of that folder that are trusted without a question. */
    readonly grantIn?: Readonly<Record<string, readonly string[]>>;
    /** Refuses addons that run code where no OS sandbox would confine it; default false. */
    readonly requireSandbox?: boolean;
    /** Ids of addons without which nothing is done; what they guard is closed while they fail. */
    readonly required?: readonly string[];
    /** Addons that lie elsewhere: absolute paths, or from `~/`. */
    readonly paths?: readonly string[];
  };
  /** Variables whose values are not hidden from the model, the log and the screen. */
  readonly unmaskedSecrets?: readonly string[];
  /** What a feature's gate does that fails and does not say so itself; default `allow`. */
  readonly onGateFailure?: FailurePolicy;
  readonly permissions?: {
    readonly mode?: PermissionMode;
    readonly allow?: readonly string[];
    readonly ask?: readonly string[];
    readonly deny?: readonly string[];
  };
}

/** A permission rule as it stands in a settings file. */
export interface WrittenRule {
  readonly list: "allow" | "ask" | "deny";
  readonly source: string;
  readonly file: string;
}

export interface LoadedSettings {
  readonly settings: Settings;
  /** One line each: which file, where, what was expected. */
  readonly problems: readonly string[];
  /** The rules of both files that count. */
  readonly rules: readonly WrittenRule[];
  /** Those of the problems for which no session may start: what is refused or asked there is not known. */
  readonly unsafe: readonly string[];
}

/**
 * The home folder's settings, with what the project's file may add. A repository may only narrow: its `permissions.ask`
 * and `permissions.deny` count, everything else in it is left out and named (CVE-2026-21852: a repository that sets
 * the model's address gets the key).
 */
export async function loadSettings(home: string, cwd: string): Promise<LoadedSettings> {
  const problems: string[] = [];
  const unsafe: string[] = [];
  const ownPath = join(home, "settings.json");
  const own = await readSettings(ownPath, { problems, unsafe, isOwn: true });
  const projectPath = join(cwd, ".indus", "settings.json");
  const project = await readSettings(projectPath, { problems, unsafe, isOwn: false });
  const { permissions: { ask = [], deny = [], ...widening } = {}, ...rest } = project;
  for (const key of [...Object.keys(rest), ...Object.keys(widening).map((name) => `permissions.${name}`)]) {
    problems.push(
      `${projectPath}: "${key}" is left out: a repository may only add permissions.ask and permissions.deny`,
    );
  }
  const permissions = {
    ...own.permissions,
    ask: [...(own.permissions?.ask ?? []), ...ask],
    deny: [...(own.permissions?.deny ?? []), ...deny],
  };
  const rulesIn = (lists: Settings["permissions"] = {}, file: string): readonly WrittenRule[] =>
    (["allow", "ask", "deny"] as const).flatMap((list) =>
      (lists[list] ?? []).map((source) => ({ list, source, file })),
    );
  const rules = [...rulesIn(own.permissions, ownPath), ...rulesIn({ ask, deny }, projectPath)];
  return { settings: { ...own, permissions }, problems, rules, unsafe };
}

/** Where what is wrong with a file is put. */
interface Told {
  readonly problems: string[];
  readonly unsafe: string[];
  /** The person's own file, not a repository's. */
  readonly isOwn: boolean;
}

async function readSettings(path: string, told: Told): Promise<Settings> {
  const { problems, unsafe, isOwn } = told;
  let text: string;
  try {
    text = readBoundedFile(path, MAX_SETTINGS_BYTES).toString("utf8");
  } catch (error) {
    if (errorCode(error) === "ENOENT") return {};
    const problem = `${path} could not be read: ${describeError(error)}`;
    problems.push(problem);
    if (isOwn) unsafe.push(problem);
    return {};
  }
  const before = problems.length;
  const value = await parseTolerantly(text, path, problems);
  // What stands behind the mistake may be lost, and with it a rule.
  if (/["'](?:deny|ask)["']/.test(text)) unsafe.push(...problems.slice(before));
  if (value === undefined) return {};
  if (!isObject(value)) {
    problems.push(
      `${path}: expected an object of settings, found ${Array.isArray(value) ? "an array" : typeof value}`,
    );
    return {};
  }
  return keepValid(value, path, told);
}

// A repository's file is read before anyone has looked at it: no link, no pipe, and no more than this.
const MAX_SETTINGS_BYTES = 1024 * 1024;

/** Strict JSON first; a file that is not gets the tolerant reader, which says where and saves the rest. */
async function parseTolerantly(text: string, path: string, problems: string[]): Promise<unknown> {
  try {
    return JSON.parse(text);
  } catch {
    const { parse, printParseErrorCode } = await import("jsonc-parser");
    const errors: ParseError[] = [];
    let value: unknown;
    try {
      value = parse(text, errors, { allowTrailingComma: true });
    } catch (error) {
      problems.push(`${path} could not be read: ${describeError(error)}`); // nested deeper than the reader goes
      return undefined;
    }
    const [first] = errors;
    if (first) {
      const before = text.slice(0, first.offset).split("\n");
      const place = `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
      problems.push(`${path}, ${place}: ${printParseErrorCode(first.error)}. The readable rest is used.`);
    }
    return value;
  }
}

type Check = (value: unknown) => string | undefined;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const text: Check = (value) => (typeof value === "string" && value !== "" ? undefined : "a non-empty string");
const positive: Check = (value) =>
  Number.isInteger(value) && (value as number) > 0 ? undefined : "a positive whole number";
const texts: Check = (value) =>
  Array.isArray(value) && value.every((item) => typeof item === "string") ? undefined : "a list of strings";
const oneOf =
  (choices: readonly string[]): Check =>
  (value) =>
    choices.includes(value as string) ? undefined : `one of ${choices.join(", ")}`;

const isPlace = (path: string): boolean => isAbsolute(path) || path.startsWith("~/");

const CHECKS: Readonly<Record<string, Check>> = {
  model: text,
  thinking: oneOf(THINKING_LEVELS),
  maxTurns: positive,
  onGateFailure: oneOf(["allow", "block"]),
  respectGitignore: (value) => (typeof value === "boolean" ? undefined : "true or false"),
  addons: (value) =>
    isObject(value) &&
    (value.grant === undefined || !texts(value.grant)) &&
    (value.grantIn === undefined || (isObject(value.grantIn) && !Object.values(value.grantIn).some(texts))) &&
    (value.required === undefined || !texts(value.required)) &&
    (value.paths === undefined || (!texts(value.paths) && (value.paths as string[]).every(isPlace))) &&
    ["boolean", "undefined"].includes(typeof value.requireSandbox)
      ? undefined
      : 'an object with lists "grant", "required" and "paths" (absolute, or from ~/), a table "grantIn" of lists, and "requireSandbox" true or false',
  localServers: texts,
  unmaskedSecrets: texts,
  providers: (value) => (Array.isArray(value) && value.every(isProvider) ? undefined : PROVIDER_SHAPE),
  permissions: (value) => (isObject(value) ? undefined : "an object with mode, allow, ask, deny"),
};

const PERMISSION_CHECKS: Readonly<Record<string, Check>> = {
  mode: oneOf(PERMISSION_MODES),
  allow: texts,
  ask: texts,
  deny: texts,
};

const PROVIDER_SHAPE =
  'a list of { "id", "kind": "anthropic" or "openai-compatible", and if needed "baseUrl", "apiKey", "apiKeyEnv" }';

function isProvider(value: unknown): boolean {
  if (!isObject(value)) return false;
  const optional = ["baseUrl", "apiKey", "apiKeyEnv"].every(
    (key) => value[key] === undefined || !text(value[key]),
  );
  return !text(value.id) && optional && !oneOf(["anthropic", "openai-compatible"])(value.kind);
}

function keepValid(
  value: Record<string, unknown>,
  path: string,
  { problems, unsafe, isOwn }: Told,
): Settings {
  const kept = keep(value, CHECKS, "");
  if (isObject(kept.permissions))
    kept.permissions = keep(kept.permissions, PERMISSION_CHECKS, "permissions.");
  return kept as Settings;

  /** Whether leaving this out lets more pass than the file says. */
  function narrows(key: string, prefix: string): boolean {
    if (prefix === "") return key === "permissions" || nearest(key, ["permissions"]) !== undefined;
    const narrowing = isOwn ? ["ask", "deny", "mode"] : ["ask", "deny"];
    return (
      narrowing.includes(key) ||
      (!Object.hasOwn(PERMISSION_CHECKS, key) && nearest(key, narrowing) !== undefined)
    );
  }

  function keep(
    found: Record<string, unknown>,
    checks: Readonly<Record<string, Check>>,
    prefix: string,
  ): Record<string, unknown> {
    const good: Record<string, unknown> = {};
    for (const [key, item] of Object.entries(found)) {
      const check = Object.hasOwn(checks, key) ? checks[key] : undefined;
      const expected = check ? check(item) : `one of ${Object.keys(checks).join(", ")}`;
      if (expected === undefined) {
        good[key] = item;
        continue;
      }
      const problem = check
        ? `${path}: "${prefix}${key}" must be ${expected}; it is left out`
        : `${path}: "${prefix}${key}" is not a setting; expected ${expected}`;
      problems.push(problem);
      if (narrows(key, prefix)) unsafe.push(problem);
    }
    return good;
  }
}
