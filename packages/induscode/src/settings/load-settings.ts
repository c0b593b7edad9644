// The settings files. Every problem is reported with its location, and the rest is used; what could have refused something is never lost
// without a word. In a file of the person's or of whoever manages the machine it ends the start; in a repository's, which is in every clone,
// it is reported and takes away the mode bypass (decisions 012, 013).

import { join } from "node:path";
import { describeError, errorCode } from "indusagi/core";
import type { ModelLimits } from "indusagi/llmgateway";
import type { StartMode } from "../deck/permissions/modes.ts";
import { parseRule } from "../deck/permissions/rules.ts";
import type { RuleLayer } from "../feature/decision.ts";
import { checkLink } from "../store/home.ts";
import { HOME_FILES, homePath } from "../store/home-files.ts";
import { readJsonTolerantly, type TolerantRead } from "../store/json.ts";
import { TextError } from "../store/text-error.ts";
import { keepValid } from "./check-settings.ts";
import { readModelsFile } from "./models-file.ts";
import type { BringsSettings, SettingRow } from "./setting-row.ts";
import { type FileSettings, settingsOf } from "./table.ts";

/** What applies in a session: what the person's file says, and `models.json`. */
export interface Settings extends FileSettings {
  /** What the person states about models in `models.json`, by `provider/model`. */
  readonly models?: Readonly<Record<string, ModelLimits>>;
  /** The person's own names for models, from the same file. */
  readonly aliases?: Readonly<Record<string, string>>;
}

/** A permission rule as written in a settings file. */
export interface WrittenRule {
  readonly list: "allow" | "ask" | "deny";
  readonly source: string;
  readonly file: string;
  readonly layer: RuleLayer;
}

export interface LoadedSettings {
  readonly settings: Settings;
  /** Everything that could be set. */
  readonly table: readonly SettingRow[];
  /** One line each: which file, where, what was expected. */
  readonly problems: readonly string[];
  /** The rules in effect from both files. */
  readonly rules: readonly WrittenRule[];
  /** What the repository's file requests; it can only narrow. */
  readonly narrowed: Pick<Settings, "sandbox" | "network">;
  /** The widest mode that whoever manages this machine permits. */
  readonly ceiling?: { readonly mode: StartMode; readonly file: string } | undefined;
  /** The problems that prevent any session from starting: it is unknown what is refused or asked there. */
  readonly unsafe: readonly string[];
  /** The repository's file, if it is unknown what it narrows. */
  readonly unclear?: string | undefined;
}

/** Belongs to whoever manages the machine: its rules always apply, and nobody gets a wider mode. */
export const MANAGED_SETTINGS = "/etc/indus/settings.json";

/**
 * The home folder's settings, those that `parts` bring included, with what the project's file can add. A repository can only narrow: its `permissions.ask` and
 * `permissions.deny` count, and a narrower `sandbox` or `network`; the rest is ignored and reported (CVE-2026-21852: a repository that
 * sets the model's address gets the key).
 */
export async function loadSettings(
  home: string,
  cwd: string,
  parts: readonly BringsSettings[],
  { managedPath = MANAGED_SETTINGS }: { readonly managedPath?: string } = {},
): Promise<LoadedSettings> {
  const problems: string[] = [];
  const unsafe: string[] = [];
  const unclear: string[] = [];
  const table = settingsOf(parts);
  const told = { problems, lost: unsafe, cwd, isOwn: true, table };
  const {
    permissions: managed,
    addons: managedAddons = {},
    ...unmanaged
  } = await readSettings(managedPath, told);
  const { requireSandbox = false, ...others } = managedAddons;
  for (const key of [...Object.keys(unmanaged), ...Object.keys(others).map((name) => `addons.${name}`)])
    problems.push(
      `${managedPath}: "${key}" is ignored: only permissions and addons.requireSandbox are managed`,
    );
  const ownPath = homePath(home, "settings");
  const own = await readSettings(ownPath, told);
  const projectPath = join(cwd, ".indus", "settings.json");
  const project = await readSettings(projectPath, { problems, lost: unclear, cwd, isOwn: false, table });
  const { permissions: { ask: asks = [], deny: denies = [], ...widening } = {}, ...more } = project;
  const { sandbox, network, ...rest } = more;
  const [ask, deny] = [readable("ask", asks), readable("deny", denies)];
  const narrowed = { ...(sandbox ? { sandbox } : {}), ...(network ? { network } : {}) };
  for (const key of [...Object.keys(rest), ...Object.keys(widening).map((name) => `permissions.${name}`)]) {
    problems.push(
      `${projectPath}: "${key}" is ignored: a repository may only add permissions.ask and permissions.deny, and narrow sandbox and network`,
    );
  }
  const added = readModelsFile(home, cwd);
  problems.push(...added.problems);
  const providers = [...(own.providers ?? []), ...added.providers];
  const permissions = {
    ...own.permissions,
    ask: [...(own.permissions?.ask ?? []), ...ask],
    deny: [...(own.permissions?.deny ?? []), ...deny],
  };
  const rulesIn = (
    lists: Settings["permissions"] = {},
    file: string,
    layer: RuleLayer,
  ): readonly WrittenRule[] =>
    (["allow", "ask", "deny"] as const).flatMap((list) =>
      (lists[list] ?? []).map((source) => ({ list, source, file, layer })),
    );
  const rules = [
    ...rulesIn(managed, managedPath, "managed"),
    ...rulesIn(own.permissions, ownPath, "person"),
    ...rulesIn({ ask, deny }, projectPath, "repository"),
  ];
  const settings = {
    ...(requireSandbox ? { ...own, addons: { ...own.addons, requireSandbox } } : own),
    permissions,
    ...(providers.length === 0 ? {} : { providers }),
    ...(Object.keys(added.models).length === 0 ? {} : { models: added.models }),
    ...(Object.keys(added.aliases).length === 0 ? {} : { aliases: added.aliases }),
  };
  const ceiling = managed?.mode && { mode: managed.mode, file: managedPath };
  return {
    settings,
    table,
    problems,
    rules,
    narrowed,
    ceiling,
    unsafe,
    unclear: unclear.length > 0 ? projectPath : undefined,
  };

  /** The repository's rules that can be read. */
  function readable(list: "ask" | "deny", sources: readonly string[]): readonly string[] {
    return sources.filter((source) => {
      const rule = parseRule(source);
      if (!("problem" in rule)) return true;
      const problem = `${projectPath}: permissions.${list}: ${rule.problem}; it is ignored`;
      problems.push(problem);
      unclear.push(problem);
      return false;
    });
  }
}

/** Collects the problems of a file. */
interface Told {
  readonly problems: string[];
  /** Those among them that may have lost what the file refuses. */
  readonly lost: string[];
  /** The person's own file, not a repository's. */
  readonly isOwn: boolean;
  readonly cwd: string;
  readonly table: readonly SettingRow[];
}

/** What narrows in a repository's file. */
const NARROWS = /\b(?:deny|ask|sandbox|network)\b/;

async function readSettings(path: string, told: Told): Promise<Settings> {
  const { problems, lost, isOwn, cwd, table } = told;
  let read: TolerantRead;
  try {
    if (isOwn) checkLink(path, cwd);
    read = await readJsonTolerantly(path, HOME_FILES.settings.maxBytes, { followsLinks: isOwn });
  } catch (error) {
    if (errorCode(error) === "ENOENT") return {};
    const problem = `${path} could not be read: ${describeError(error)}${isOwn ? "" : NOTHING_HOLDS}`;
    problems.push(problem);
    lost.push(problem);
    return {};
  }
  const { text, value, problem } = read;
  if (text.trim() === "") {
    problems.push(`${path} is empty: expected an object of settings, such as {}`);
    return {};
  }
  // UTF-16 has a zero byte next to each letter.
  const mayRefuse = isOwn || NARROWS.test(text.replaceAll("\0", ""));
  const rest = isSettings(value) ? "; the readable rest is used" : NOTHING_HOLDS;
  const report = (line: string): void => {
    const told = line + (isOwn ? "; correct the file" : rest);
    problems.push(told);
    if (mayRefuse) lost.push(told);
  };
  if (problem instanceof TextError)
    report(`${path}, line ${problem.line}, column ${problem.column}: ${problem.words}`);
  else if (problem) report(`${path} could not be read: ${problem.message}`);
  if (value === undefined) return {};
  if (!isSettings(value)) {
    report(
      `${path}: expected an object of settings, found ${Array.isArray(value) ? "an array" : typeof value}`,
    );
    return {};
  }
  const { kept, faults } = keepValid(value, isOwn, table);
  for (const { problem, letsMorePass } of faults) {
    problems.push(`${path}: ${problem}`);
    if (letsMorePass) lost.push(`${path}: ${problem}`);
  }
  return kept as Settings;
}

/** Of a repository's file. */
const NOTHING_HOLDS = "; none of its restrictions apply";

function isSettings(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
