// The chosen sandbox for a session's commands, and the mode that depends on it: determined at the first command.

import type { CommandSandbox } from "../../deck/contract.ts";
import type { PermissionMode } from "../../deck/permissions/modes.ts";
import type { HeldNamesHere } from "../features/held-names-here.ts";
import type { ConfinementChoice } from "./command-confinement.ts";
import type { ConfinementFacts, FoundSandbox } from "./find-sandbox.ts";

export interface SessionSandbox extends CommandSandbox {
  /** The session's permission mode, as far as it is known before the first command. */
  readonly mode: () => PermissionMode;
  /** A command is asked about: tells, once, if that is because bubblewrap is missing. */
  readonly onAsked: () => void;
  /** Ends what runs in it. Returns what the person must know. */
  readonly close: () => Promise<readonly string[]>;
}

/** Undefined if no sandbox is requested. It ends with the session. */
export function createCommandSandbox(
  choice: ConfinementChoice,
  facts: Omit<ConfinementFacts, "kept"> & { readonly held?: Pick<HeldNamesHere, "open"> | undefined },
): SessionSandbox | undefined {
  if (choice.sandbox === "off") return undefined;
  let finding: Promise<FoundSandbox> | undefined;
  let found: FoundSandbox | undefined;
  let hasTold = false;
  const shell = (): CommandSandbox["shell"] => {
    if (found?.inForce === undefined) throw new Error("no command runs before the sandbox is in force");
    return found.inForce.shell;
  };
  const find = async (): Promise<FoundSandbox> => {
    const { findSandbox } = await import("./find-sandbox.ts");
    const held = await facts.held?.open();
    return findSandbox(choice, { ...facts, kept: held?.commands(facts.cwd) });
  };
  return {
    async state() {
      finding ??= find();
      found = await finding;
      return found.state;
    },
    shell: {
      exec: async (command, options) => shell().exec(command, options),
      spawn: (command, options) => shell().spawn(command, options),
    },
    running: () => found?.inForce?.running() ?? 0,
    outside: (run, writes) => found?.inForce?.outside(run, writes) ?? run(),
    mode: () => found?.mode ?? facts.policy.mode,
    onAsked() {
      if (found?.whyAsked !== undefined && !hasTold) facts.tell(found.whyAsked);
      hasTold ||= found !== undefined;
    },
    close: async () => (await found?.inForce?.close()) ?? [],
  };
}
