// First stage: what the person's files and flags say, before anything is loaded.

import { homeFolder } from "indusagi/core";
import { limitedLines } from "../../cli/limited-lines.ts";
import type { PartPlace } from "../../cli/part.ts";
import type { Secrets } from "../../cli/secrets.ts";
import { type ReadAnswers, readKeptAnswers } from "../../settings/answers-file.ts";
import { type LoadedSettings, loadSettings } from "../../settings/load-settings.ts";
import { shortPaths } from "../../store/short-paths.ts";
import { learnKeptSecrets, secretVariables } from "../kept-secrets.ts";
import { createNotices, type SessionNotices } from "../notices.ts";
import type { IndusOptions } from "../options.ts";
import { type ConfinementChoice, chooseConfinement } from "../permissions/command-confinement.ts";
import { type ReadRules, readRules } from "../permissions/permission-policy.ts";

/** What to do to see all lines of a kind when a start shows only the first ones. */
export const ADDONS = "indus addons";
export const MEND = "fix these first";
export const DOCTOR = "indus doctor";

export interface StartSettings {
  readonly options: IndusOptions;
  readonly secrets: Secrets;
  /** The environment with the secrets that are kept, and held in this run, for addons: only what hands those over has it. */
  readonly secretEnv: NodeJS.ProcessEnv;
  readonly loaded: LoadedSettings;
  /** Lines for the person, in the order of the stages. */
  readonly notices: SessionNotices;
  readonly rules: ReadRules;
  readonly confinement: ConfinementChoice;
  readonly kept: ReadAnswers;
  /** What `~` means. */
  readonly personHome: string;
  /** Whose settings and addons count: the working folder, or the one that its worktree was made from. */
  readonly main: string;
  readonly startedIn: string;
}

/** Throws a {@link Problem} if a setting that is lost could have refused something. */
export async function readStartSettings(options: IndusOptions, secrets: Secrets): Promise<StartSettings> {
  const { flags, cwd, home, env, worktree, startedIn = cwd } = options;
  const main = worktree?.main ?? cwd;
  const loaded = await loadSettings(home, main, options.parts ?? []);
  secrets.learnSettings(loaded.settings, env);
  learnKeptSecrets(home, secrets);
  const personHome = homeFolder(env);
  const shorten = shortPaths({ cwd, home, personHome });
  const notices = createNotices(limitedLines(loaded.problems, DOCTOR), secrets, shorten);
  const ruleNotices: string[] = [];
  const rules = readRules(flags, loaded, ruleNotices);
  const confinement = chooseConfinement(flags, loaded);
  const kept = readKeptAnswers(home);
  ruleNotices.push(...kept.problems);
  notices.lines.push(...limitedLines(ruleNotices, MEND));
  const secretEnv = secretVariables({ env, home }, secrets, notices.tell);
  return {
    options,
    secrets,
    secretEnv,
    loaded,
    notices,
    rules,
    confinement,
    kept,
    personHome,
    main,
    startedIn,
  };
}

/** Where its parts find it. */
export function partPlace(
  { options, loaded, main, personHome }: StartSettings,
  delegates: PartPlace["delegates"],
): PartPlace {
  const isTape = isTaped(options);
  return { settings: loaded.settings, folder: main, home: options.home, personHome, delegates, isTape };
}

/** Its model calls are recorded or played. */
function isTaped({ flags }: IndusOptions): boolean {
  return flags.record !== undefined || flags.cassette !== undefined;
}
