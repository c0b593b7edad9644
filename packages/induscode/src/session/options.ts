// What whoever opens a session says about it: a console, print, JSON, a crew for its members, a replay, an addon's test.

import type { Fs } from "indusagi/capabilities";
import type { TrustAsker } from "../addons/source/decide-trust.ts";
import type { SubagentProfile } from "../briefing/contract.ts";
import type { Flags } from "../cli/flags.ts";
import type { Part } from "../cli/part.ts";
import type { Secrets } from "../cli/secrets.ts";
import type { CostBudget } from "../conductor/cost.ts";
import type { SessionLog } from "../conductor/log.ts";
import type { CallDecision, Perform } from "../deck/contract.ts";
import type { Twins } from "../deck/permissions/path-pattern.ts";
import type { FeatureModule } from "../feature/install.ts";
import type { PermissionAsker } from "../feature/permission.ts";
import type { SessionUi } from "../feature/ui.ts";
import type { SessionModels } from "./models/session-models.ts";
import type { SessionFront } from "./session-here.ts";

export interface IndusOptions {
  readonly flags: Flags;
  /** The working directory, as a real path. */
  readonly cwd: string;
  /** The base for paths in the flags; default: the working directory. */
  readonly startedIn?: string | undefined;
  readonly home: string;
  /** Its own environment: what its tools' commands inherit, and where keys and secrets come from. Never modified. */
  readonly env: NodeJS.ProcessEnv;
  /** What people can name, beyond the session itself; default: none. */
  readonly parts?: readonly Part[] | undefined;
  /** Additional secrets to hide, with a lifetime that their owner decides; default: the credentials in its environment. */
  readonly secrets?: Secrets | undefined;
  /** Absent if nobody can answer. */
  readonly ask?: PermissionAsker | undefined;
  readonly askTrust?: TrustAsker | undefined;
  /** Displays and questions of features; absent if nobody sits at a terminal. */
  readonly ui?: SessionUi | undefined;
  /** The console in which somebody types; absent if nobody does. */
  readonly front?: SessionFront | undefined;
  /** What its tools read and write; default: this machine's files. */
  readonly files?: Fs | undefined;
  /** Called with the decision about each call. */
  readonly onDecision?: ((decision: CallDecision) => void) | undefined;
  /** A person watches while calls run. */
  readonly showsProgress?: boolean | undefined;
  /** Features in addition to the built-in ones, installed after them. */
  readonly features?: readonly FeatureModule[] | undefined;
  /** Plays recorded text at a readable speed. */
  readonly pace?: boolean | undefined;
  /** Used in place of those that its flags and settings name. */
  readonly models?: SessionModels | undefined;
  /** The session might never ask a model; see {@link SessionModels}. */
  readonly mayLackModel?: boolean | undefined;
  /** The root of an addon that is put there explicitly instead of being found ({@link IndusSession.put}). */
  readonly leaveOut?: string | undefined;
  /** Receives a plan if nobody is there to be asked about it; the task ends with it. */
  readonly onPlan?: ((plan: string) => void) | undefined;
  /** Features cannot reach a network through the host. */
  readonly isOffline?: boolean | undefined;
  /** For a replayed session: its model and its tools answer from a log. */
  readonly replay?: { readonly models: SessionModels; readonly perform: Perform } | undefined;
  /** For a crew's member: what it shares with the crew's session. */
  readonly lent?: Lent | undefined;
  /** For a member that works in a worktree of another folder. */
  readonly worktree?: WorktreeFacts | undefined;
  /** Wraps the session's log, for a run whose log must be the same every time. */
  readonly keepLog?: ((log: SessionLog) => SessionLog) | undefined;
}

/** What the sessions of a crew's members share with the crew's. */
export interface Lent {
  readonly models: SessionModels;
  readonly budget?: CostBudget | undefined;
  readonly profiles: readonly SubagentProfile[];
}

/** Settings, rules and addons of a worktree come from the folder that it was made from. */
export interface WorktreeFacts {
  /** That folder, as a real path. */
  readonly main: string;
  /** Pairs of places that are the same place to rules which ask or refuse. */
  readonly twins: Twins;
}
