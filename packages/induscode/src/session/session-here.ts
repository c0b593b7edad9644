// The session as parts and commands see it.

import { type SecretMask, type SessionKey, type SessionScope, sessionKey } from "indusagi/core";
import type { SubagentProfile } from "../briefing/contract.ts";
import type { Invocation } from "../cli/invocation.ts";
import type { Conductor } from "../conductor/contract.ts";
import type { Retell } from "../conductor/past-events.ts";
import type { ThemeSwitch } from "../console/theme-switch.ts";
import type { RuleSubjects } from "../deck/permissions/check-rules.ts";
import type { Permissions } from "../deck/permissions/permissions.ts";
import type { TaskSupervisor } from "../feature/dispatch/tasks.ts";
import type { OutsideFolder } from "../feature/permission.ts";
import type { Settings, WrittenRule } from "../settings/load-settings.ts";
import type { SettingRow } from "../settings/setting-row.ts";
import type { SessionFeatures } from "./features/session-features.ts";
import type { SessionModels } from "./models/session-models.ts";
import type { SessionNotices } from "./notices.ts";
import type { MadeSession } from "./open-facts.ts";
import type { ModeKeys } from "./permissions/mode-keys.ts";
import type { SessionSandbox } from "./permissions/session-sandbox.ts";
import type { SessionBriefing } from "./session-briefing.ts";

/** The session that a part joins and that a command is typed in. */
export interface SessionHere {
  readonly conductor: Conductor;
  /** Real paths: the working folder, the product's home, and what `~` means. */
  readonly cwd: string;
  readonly home: string;
  readonly personHome: string;
  readonly settings: Settings;
  /** Everything that could be set. */
  readonly settingsTable: readonly SettingRow[];
  /** Hides the known secrets in what leaves the session. */
  readonly secrets: SecretMask;
  /** The rules from all files, each with its location. */
  readonly rules: readonly WrittenRule[];
  /** It works in a worktree, whose branch keeps its changes. */
  readonly isInWorktree: boolean;
  /** What the person hears that no call reports, and what a feature said last. */
  readonly notices: Pick<SessionNotices, "tell" | "alert" | "recent">;
  readonly features: SessionFeatures;
  readonly models: SessionModels;
  readonly tasks: TaskSupervisor;
  readonly permissions: PermissionsHere;
  /** One that is chosen here is in the next request. */
  readonly outputStyles: SessionBriefing["outputStyles"];
  /** Who can be given work here. */
  readonly profiles: readonly SubagentProfile[];
  readonly openDelegate: MadeSession["openDelegate"];
  /** Where a person types; absent if nobody does. */
  readonly front?: SessionFront | undefined;
}

/** What is allowed in a session, and why. */
export interface PermissionsHere {
  readonly explain: Permissions["explain"];
  readonly permits: MadeSession["permits"];
  readonly modes: ModeKeys;
  /** Nobody chose the mode. */
  readonly isDefaultMode: () => boolean;
  /** What a rule can name. */
  readonly subjects: () => RuleSubjects;
  readonly sandbox: SessionSandbox | undefined;
  /** Hosts that the person's answers let commands in the sandbox reach, as of now. */
  readonly hosts: () => readonly string[];
  /** The same of folders that they let them read, or change. */
  readonly folders: () => readonly OutsideFolder[];
}

/** What a console offers to the commands that are typed into it. */
export interface SessionFront {
  readonly leave: () => void;
  /** For a session that moved to other entries; absent if printed output stays as it is. */
  readonly retell?: Retell | undefined;
  /** The command line that the session was started with. */
  readonly line: Invocation;
  /** Absent if it has no colours to choose. */
  readonly themes?: ThemeSwitch | undefined;
  /** Writes sequences that no text may contain; absent without a terminal. */
  readonly toTerminal?: ((sequence: string) => void) | undefined;
}

/** Set in each session of a person's. */
export const SESSION_HERE: SessionKey<SessionHere> = sessionKey("session");

/** The session that a part joins, or that a command is typed in. */
export function sessionIn(scope: SessionScope | undefined): SessionHere {
  const here = scope?.get(SESSION_HERE);
  if (!here) throw new Error("no session is available here");
  return here;
}

/** The console that a command is typed in. */
export function frontIn(scope: SessionScope | undefined): SessionFront {
  const { front } = sessionIn(scope);
  if (!front) throw new Error("nobody types here");
  return front;
}
