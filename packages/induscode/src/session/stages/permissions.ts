// Fourth stage: what is allowed, and what confines the commands.

import { findBash, localFs } from "indusagi/capabilities";
import { describeError } from "indusagi/core";
import { BUILT_IN_PROVIDERS } from "indusagi/llmgateway";
import { realPlace } from "../../briefing/text-file.ts";
import type { Secrets } from "../../cli/secrets.ts";
import type { RuleSubjects } from "../../deck/permissions/check-rules.ts";
import { createPermissions, type PermissionPolicy } from "../../deck/permissions/permissions.ts";
import type { OutsideFolder, PermissionAsker, PermissionQuestion } from "../../feature/permission.ts";
import { addKeptAnswer } from "../../settings/answers-file.ts";
import type { Settings } from "../../settings/load-settings.ts";
import type { SessionFacts } from "../open-facts.ts";
import { createModeKeys, type ModeKeys } from "../permissions/mode-keys.ts";
import { limitsOfSession } from "../permissions/mode-limits.ts";
import { permissionPolicy } from "../permissions/permission-policy.ts";
import { createSessionMode, type SessionMode } from "../permissions/session-mode.ts";
import { createCommandSandbox, type SessionSandbox } from "../permissions/session-sandbox.ts";
import type { StartFeatures } from "./features.ts";
import type { StartSettings } from "./settings.ts";

export interface StartPermissions {
  readonly policy: PermissionPolicy;
  /** Undefined if nothing confines the commands. */
  readonly sandbox: SessionSandbox | undefined;
  /** The hosts that answers let commands in the sandbox reach; none before anybody can be asked. */
  readonly granted: { hosts: () => readonly string[]; folders: () => readonly OutsideFolder[] };
  /** Variables that the commands do not inherit. */
  readonly withhold: readonly string[];
  readonly mode: SessionMode;
  readonly modes: ModeKeys;
  /** What the rules can name as of now. */
  readonly subjects: () => RuleSubjects;
}

/** Throws a {@link Problem} for a rule that can match nothing. */
export async function openPermissions(
  { options, secrets, loaded, notices, rules, confinement, personHome }: StartSettings,
  { features, briefing, profiles, held }: StartFeatures,
): Promise<StartPermissions> {
  const { cwd, home, env, worktree, leaveOut } = options;
  const { registry } = features;
  const subjects = (): RuleSubjects => ({
    tools: registry.tools,
    delegates: profiles.map(({ name }) => name),
    root: cwd,
    addonTools: new Set(registry.reports.filter(isBrought).flatMap(({ tools }) => tools)),
  });
  const mayGrow = leaveOut !== undefined;
  const policy = await permissionPolicy(rules, { ...subjects(), mayGrow }, notices.lines);
  const withhold = [
    ...keyNames(loaded.settings),
    ...registry.providers.flatMap(({ secret }) => secret ?? []),
  ];
  const byFlag = options.flags["permission-mode"] !== undefined;
  const mode = createSessionMode({
    start: { ...rules, mode: policy.mode },
    limits: limitsOfSession(
      policy.mode,
      rules.limits,
      byFlag ? "--permission-mode" : "permissions.mode in the settings",
    ),
    tell: notices.tell,
  });
  const granted: StartPermissions["granted"] = { hosts: () => [], folders: () => [] };
  const sandbox = createCommandSandbox(confinement, {
    granted: () => granted.hosts(),
    grantedFolders: () => granted.folders(),
    store: realPlace(home),
    ...{ cwd, home, personHome, env, withhold, holdsSecret: secrets.holds, policy, mode },
    ...{ tell: notices.tell, inform: notices.inform },
    isDocument: briefing.folderDocs.isDocument,
    documents: briefing.folderDocs.files,
    held,
    twins: worktree?.twins,
  });
  return { policy, sandbox, granted, withhold, mode, modes: createModeKeys(mode, sandbox), subjects };
}

/** Makes the permissions of a session, once it can record what the person allows. */
export function permissionsFor(
  { options, secrets, notices, kept, personHome }: StartSettings,
  { briefing }: StartFeatures,
  { policy, sandbox, granted, mode }: StartPermissions,
): SessionFacts["permissions"] {
  const { cwd, home, worktree, ask } = options;
  return (onApproval) =>
    createPermissions({
      readable: briefing.skillFolders,
      policy,
      onGrants({ hosts, folders }) {
        granted.hosts = hosts;
        granted.folders = folders;
      },
      twins: worktree?.twins,
      mode: sandbox?.mode ?? mode.own,
      onCommandOpen: sandbox?.onAsked,
      offers: {
        isAllowed: (each) => mode.heldBack(each) === undefined,
        isConfined: async () => (await sandbox?.look()) === "bubblewrap",
        choose: (each) => void mode.set(each, "answer"),
      },
      root: cwd,
      store: realPlace(home),
      home: personHome,
      isBash: findBash() !== undefined,
      realPath: localFs().realPath,
      files: localFs(),
      realPlace,
      ask: ask && askedWhole(ask, secrets),
      isDocument: briefing.folderDocs.isDocument,
      onApproval,
      isPlanning: mode.isPlanning,
      kept: {
        answers: kept.answers,
        place: kept.path,
        add: (answer) =>
          addKeptAnswer(home, answer).catch((error: unknown) =>
            notices.tell(`The answer applies to this session only: ${describeError(error)}`),
          ),
      },
    });
}

/** With the files that would be overwritten, and without secrets. */
function askedWhole(ask: PermissionAsker, secrets: Secrets): PermissionAsker {
  return async (question, signal) => {
    const { withOverwritten } = await import("../permissions/overwritten-files.ts");
    const whole = await withOverwritten(question, localFs(), secrets.text);
    return ask(withoutSecrets(whole, secrets), signal);
  };
}

/** Drops `keep` if its text would put a secret into a file. */
function withoutSecrets(question: PermissionQuestion, secrets: Secrets): PermissionQuestion {
  const { keep, ...shown } = secrets.value(question);
  return keep === undefined || keep.exact !== question.keep?.exact ? shown : { ...shown, keep };
}

function isBrought({ feature }: { readonly feature: string }): boolean {
  return !feature.startsWith("builtin:");
}

/** The variables that hold the providers' keys, whatever names the person gave them. */
function keyNames({ providers = [] }: Settings): readonly string[] {
  return [...BUILT_IN_PROVIDERS, ...providers].flatMap(({ apiKeyEnv }) =>
    apiKeyEnv === undefined ? [] : [apiKeyEnv],
  );
}
