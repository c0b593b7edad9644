// Finds out what confines a session's commands. Loaded with the first command, together with the sandbox itself.

import { confineCommands, whyUnconfined } from "../../addons/sandbox/command-sandbox.ts";
import type { Sandbox } from "../../addons/sandbox/contract.ts";
import type { KnownNames } from "../../addons/sandbox/running-names.ts";
import { createSandbox } from "../../addons/sandbox/sandbox.ts";
import type { CommandSandbox } from "../../deck/contract.ts";
import { createHostRules } from "../../deck/permissions/host-rules.ts";
import type { PermissionMode } from "../../deck/permissions/modes.ts";
import type { PatternPlaces } from "../../deck/permissions/path-pattern.ts";
import type { PermissionPolicy } from "../../deck/permissions/permissions.ts";
import { createPlaceRules } from "../../deck/permissions/place-rules.ts";
import { homePath } from "../../store/home-files.ts";
import type { ConfinementChoice } from "./command-confinement.ts";

export interface ConfinementFacts {
  /** The working directory, as a real path. */
  readonly cwd: string;
  readonly home: string;
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
  /** What this machine can confine commands with; default: probed here. */
  readonly machine?: Pick<Sandbox, "strong" | "levels">;
  /** Where it is kept which names there were before a command, for the next start if this process is killed. */
  readonly kept?: KnownNames | undefined;
  /** Reports once what is not as requested. */
  readonly tell: (line: string) => void;
}

/** What applies in a session, once it is known. */
export interface FoundSandbox {
  readonly state: Awaited<ReturnType<CommandSandbox["state"]>>;
  readonly mode: PermissionMode;
  /** For the person, once a command is asked about: why the mode is not the one that the session began with. */
  readonly whyAsked?: string;
  /** Absent if no sandbox is in force. */
  readonly inForce?: ReturnType<typeof confineCommands>;
}

/** Refused hosts reported in one session. */
const MAX_TOLD = 50;

export function findSandbox(
  { sandbox, network, hosts, isRequired, mayFallBack, isByDefault }: ConfinementChoice,
  facts: ConfinementFacts,
): FoundSandbox {
  const {
    cwd,
    home,
    personHome,
    env,
    withhold,
    holdsSecret,
    policy,
    isDocument,
    documents,
    twins,
    machine: given,
    kept,
    tell,
  } = facts;
  const machine = given ?? createSandbox({ recordPath: homePath(home, "sandboxLevel") });
  const strong = machine.strong();
  const why = strong ? `only ${strong.level}` : whyUnconfined(machine.levels());
  const fellBack = mayFallBack && strong?.level !== "bubblewrap";
  const found: Pick<FoundSandbox, "mode" | "whyAsked"> = fellBack
    ? { mode: "acceptEdits", whyAsked: notByDefault(why) }
    : { mode: policy.mode };
  if (fellBack && isByDefault) return { ...found, state: "absent" };
  if (strong === undefined) {
    if (isRequired)
      return {
        ...found,
        state: {
          refusal:
            `the sandbox "${sandbox}" was requested, but commands cannot be confined here (${why}). ` +
            "Start with --sandbox off to run them without it",
        },
      };
    tell(
      found.mode === "auto"
        ? `Commands cannot be confined here (${why}): the mode auto treats them as acceptEdits does, and asks.`
        : `Commands cannot be confined here (${why}), although the repository's settings request it.`,
    );
    return { ...found, state: "absent" };
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
  const named = {
    refusal: createHostRules(policy, hosts, places),
    onRefused: (line: string) => {
      if (told.has(line) || told.size === MAX_TOLD) return;
      told.add(line);
      tell(`A command in the sandbox: ${line}.`);
    },
  };
  const inForce = confineCommands(strong, {
    ...{ root: cwd, personHome, env, withhold, holdsSecret },
    network: network === "hosts" ? named : network,
    isWritable: sandbox === "workspace-write",
    refuses,
    kept,
  });
  return { ...found, state: "in force", inForce };
}

function notByDefault(why: string): string {
  return (
    `indus asks before each command that changes something, as in the mode acceptEdits: bubblewrap cannot confine commands here (${why}). ` +
    'Install it to run them in a sandbox without questions, or set "permissions.mode" in the settings to silence this.'
  );
}
