// What this machine can confine commands with. Loaded when the mode depends on it; the sandbox itself comes with the first command.

import { findBubblewrap } from "../../addons/sandbox/bubblewrap.ts";
import type { Sandbox } from "../../addons/sandbox/contract.ts";
import type { ProgramSearch } from "../../addons/sandbox/program-on-path.ts";
import { createSandbox } from "../../addons/sandbox/sandbox.ts";
import { homePath } from "../../store/home-files.ts";

export type MachineSandbox = Pick<Sandbox, "strong" | "levels">;

/** What is known from an earlier start is not tried again. */
export function machineSandbox(home: string, search: ProgramSearch): MachineSandbox {
  return createSandbox({ recordPath: homePath(home, "sandboxLevel"), search });
}

/** For the person, once a command is asked about because bubblewrap confines none here. */
export function whyAsked(search: ProgramSearch): string {
  if (process.platform !== "linux")
    return "Commands cannot be sandboxed on this system, so indus asks before each command.";
  return findBubblewrap(search) === undefined
    ? "bubblewrap isn't installed, so indus asks before each command. Install it to run them sandboxed."
    : "bubblewrap does not work on this machine, so indus asks before each command. `indus doctor` says what is wrong.";
}
