// Finds out what confines a session's commands. Loaded with the first command, together with the sandbox itself.

import { confineCommands, whyUnconfined } from "../../addons/sandbox/command-sandbox.ts";
import { isSeenAnyway } from "../../addons/sandbox/granted-folders.ts";
import type { KnownNames } from "../../addons/sandbox/running-names.ts";
import type { CommandSandbox } from "../../deck/contract.ts";
import { createHostRules } from "../../deck/permissions/host-rules.ts";
import type { PatternPlaces } from "../../deck/permissions/path-pattern.ts";
import type { PermissionPolicy } from "../../deck/permissions/permissions.ts";
import { createPlaceRules } from "../../deck/permissions/place-rules.ts";
import type { OutsideFolder } from "../../feature/permission.ts";
import type { ConfinementChoice } from "./command-confinement.ts";
import type { MachineSandbox } from "./machine-sandbox.ts";

export interface ConfinementFacts {
  /** The working directory, as a real path. */
  readonly cwd: string;
  readonly personHome: string;
  readonly env: NodeJS.ProcessEnv;
  readonly withhold: readonly string[];
  /** Whether a value is, or contains, a known secret. */
  readonly holdsSecret?: (value: string) => boolean;
  readonly policy: PermissionPolicy;
  /** Whether agents read a real path as instructions. */
  readonly isDocument: (path: string) => boolean;
  /** Real paths of all that they read as such, also of what does not exist yet. */
  readonly documents?: (() => readonly string[]) | undefined;
  /** See {@link PatternPlaces}. */
  readonly twins?: PatternPlaces["twins"];
  /** Hosts that answers let commands reach, as of now; default: none. */
  readonly granted?: () => readonly string[];
  /** The same of folders that answers let commands read, or change. */
  readonly grantedFolders?: (() => readonly OutsideFolder[]) | undefined;
  /** The product's home, as a real path. */
  readonly store?: string | undefined;
  /** What this machine can confine commands with. */
  readonly machine: MachineSandbox;
  /** The person named the mode auto, which needs it. */
  readonly isAuto: boolean;
  /** Where it is kept, for each folder that commands may change, which names there were before one, for the next start if this process is killed. */
  readonly keptAt?: ((folder: string) => KnownNames) | undefined;
  /** Reports once what is not as requested. */
  readonly tell: (line: string) => void;
}

/** What applies in a session, once it is known. */
export interface FoundSandbox {
  readonly state: Awaited<ReturnType<CommandSandbox["state"]>>;
  /** Absent if no sandbox is in force. */
  readonly inForce?: ReturnType<typeof confineCommands>;
  /** Whether its commands see a real path anyway. */
  readonly sees?: typeof isSeenAnyway;
}

/** Refused hosts reported in one session. */
const MAX_TOLD = 50;

export function findSandbox(
  { sandbox, network, hosts, isRequired }: ConfinementChoice,
  facts: ConfinementFacts,
): FoundSandbox {
  const {
    cwd,
    personHome,
    env,
    withhold,
    holdsSecret,
    policy,
    isDocument,
    documents,
    twins,
    granted = () => [],
    machine,
    isAuto,
    keptAt,
    tell,
  } = facts;
  const strong = machine.strong();
  if (strong === undefined) {
    const why = whyUnconfined(machine.levels());
    if (isRequired)
      return {
        state: {
          refusal:
            `the sandbox "${sandbox}" was requested, but commands cannot be confined on this machine (${why}). ` +
            "Start with --sandbox off to run them without it",
        },
      };
    tell(
      isAuto
        ? `Commands cannot be confined here (${why}): the mode auto treats them as acceptEdits does, and asks.`
        : `Commands cannot be confined here (${why}), although the repository's settings request it.`,
    );
    return { state: "absent" };
  }
  const places = { root: cwd, home: personHome, twins };
  const ruled = createPlaceRules(policy, places);
  const refuses = {
    ...ruled,
    documents,
    write: (path: string) => isDocument(path) || ruled?.write(path) === true,
  };
  if (network === "hosts" && strong.level !== "bubblewrap")
    tell(
      `Commands have no network: "hosts" needs bubblewrap, and only ${strong.level} is available here, which cannot filter by host.`,
    );
  const told = new Set<string>();
  const rules = createHostRules(policy, hosts, places);
  const reaches = network === "hosts" ? rules.refusal : () => "nobody allowed it for commands in the sandbox";
  const named = {
    refusal: (host: string) => rules.against(host) ?? (granted().includes(host) ? undefined : reaches(host)),
    mayGrant: (host: string) => rules.against(host) === undefined,
    isAny: () => network === "hosts" || granted().length > 0,
    onRefused: (line: string) => {
      if (told.has(line) || told.size === MAX_TOLD) return;
      told.add(line);
      tell(`A command in the sandbox: ${line}.`);
    },
  };
  const inForce = confineCommands(strong, {
    ...{ root: cwd, personHome, env, withhold, holdsSecret },
    network: network === "on" ? network : named,
    isWritable: sandbox === "workspace-write",
    folders: facts.grantedFolders,
    store: facts.store,
    refuses,
    keptAt,
  });
  return { state: "in force", inForce, sees: isSeenAnyway };
}
