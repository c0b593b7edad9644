// The chosen sandbox for a session's commands, and the mode that depends on it: determined at the first command, or when a console wants
// to show the mode.

import type { ProgramSearch } from "../../addons/sandbox/program-on-path.ts";
import type { CommandSandbox } from "../../deck/contract.ts";
import type { PermissionMode } from "../../deck/permissions/modes.ts";
import type { HeldNamesHere } from "../features/held-names-here.ts";
import type { ConfinementChoice } from "./command-confinement.ts";
import type { ConfinementFacts, FoundSandbox } from "./find-sandbox.ts";
import type { MachineSandbox } from "./machine-sandbox.ts";
import type { SessionMode } from "./session-mode.ts";

/** What confines commands on a machine; undefined: nothing does. */
export type SandboxLevel = "bubblewrap" | "landlock" | undefined;

export interface SessionSandbox extends CommandSandbox {
  /** The session's permission mode in force: without what confines commands, auto is acceptEdits. Certain after {@link look}. */
  readonly mode: () => PermissionMode;
  /** Whether the mode in force is certain. */
  readonly isCertain: () => boolean;
  /** Finds out what this machine confines commands with. */
  readonly look: () => Promise<SandboxLevel>;
  /** The same if it is known; `look` has not come back yet: undefined. */
  readonly known: () => { readonly level: SandboxLevel } | undefined;
  /** A command is asked about: tells, once, if that is because bubblewrap is missing. */
  readonly onAsked: () => void;
  /** Ends what runs in it. Returns what the person must know. */
  readonly close: () => Promise<readonly string[]>;
}

interface SandboxFacts extends Omit<ConfinementFacts, "keptAt" | "machine" | "isAuto"> {
  readonly home: string;
  readonly held?: Pick<HeldNamesHere, "open"> | undefined;
  readonly mode: Pick<SessionMode, "own" | "isDefault">;
  /** Default: this machine. */
  readonly machine?: MachineSandbox;
  /** Says something that nobody did wrong. */
  readonly inform: (line: string) => void;
}

/** Undefined if the session runs without one in every mode. */
export function createCommandSandbox(
  choice: ConfinementChoice,
  { mode, inform, held, home, machine: given, ...facts }: SandboxFacts,
): SessionSandbox | undefined {
  if (choice.sandbox === "off") return undefined;
  let looking: Promise<Looked> | undefined;
  let looked: Looked | undefined;
  let finding: Promise<FoundSandbox> | undefined;
  let found: FoundSandbox | undefined;
  let hasTold = false;

  async function look(): Promise<Looked> {
    looking ??= lookAt(home, { path: facts.env.PATH, workspace: facts.cwd }, given);
    looked = await looking;
    return looked;
  }

  /** Whoever names auto takes Landlock as well; nobody gets it by default. */
  function isUnconfined(): boolean {
    if (mode.own() !== "auto" || looked === undefined) return false;
    return mode.isDefault() ? looked.level !== "bubblewrap" : looked.level === undefined;
  }

  function shell(): CommandSandbox["shell"] {
    if (found?.inForce === undefined) throw new Error("no command runs before the sandbox is in force");
    return found.inForce.shell;
  }

  async function find({ machine }: Looked): Promise<FoundSandbox> {
    const { findSandbox } = await import("./find-sandbox.ts");
    const names = await held?.open();
    const isAuto = mode.own() === "auto" && !mode.isDefault();
    return findSandbox(choice, { ...facts, machine, isAuto, keptAt: names?.commands });
  }

  return {
    async state() {
      if (!choice.isAlways && mode.own() !== "auto") return "absent";
      const machine = await look();
      if (!choice.isAlways && mode.isDefault() && isUnconfined()) return "absent";
      finding ??= find(machine);
      found = await finding;
      return found.state;
    },
    shell: {
      exec: async (command, options) => shell().exec(command, options),
      spawn: (command, options) => shell().spawn(command, options),
    },
    judge: (path, isWritable) => found?.inForce?.judge(path, isWritable),
    sees: (path) => found?.sees?.(path) === true,
    shellAt: (folder) => found?.inForce?.shellAt(folder),
    shellTo: (host) => found?.inForce?.shellTo(host),
    running: () => found?.inForce?.running() ?? 0,
    outside: (run, writes) => found?.inForce?.outside(run, writes) ?? run(),
    mode: () => (isUnconfined() ? "acceptEdits" : mode.own()),
    isCertain: () => mode.own() !== "auto" || looked !== undefined,
    look: async () => (await look()).level,
    known: () => looked,
    onAsked() {
      if (looked === undefined || hasTold || !mode.isDefault() || !isUnconfined()) return;
      hasTold = true;
      inform(looked.whyAsked());
    },
    close: async () => (await found?.inForce?.close()) ?? [],
  };
}

interface Looked {
  readonly machine: MachineSandbox;
  readonly level: SandboxLevel;
  readonly whyAsked: () => string;
}

async function lookAt(
  home: string,
  search: ProgramSearch,
  given: MachineSandbox | undefined,
): Promise<Looked> {
  const { machineSandbox, whyAsked } = await import("./machine-sandbox.ts");
  const machine = given ?? machineSandbox(home, search);
  return { machine, level: machine.strong()?.level, whyAsked: () => whyAsked(search) };
}
