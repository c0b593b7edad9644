// A command seam that runs only what its scope permits, with the variables it permits.

import type { Shell, ShellLaunchOptions } from "../kernel/contract.ts";
import { ScopeError, type ShellScope } from "./scoped.ts";

/** Where commands are looked up when the person's PATH is not passed on: an empty PATH would mean the working folder. */
const SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin";

export interface ScopedShellOptions {
  /** What `inner` passes on by itself; default: this process's environment. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/**
 * `inner` within `scope`. A command or an overlay variable that is not permitted rejects with a {@link ScopeError} (`spawn`
 * throws it). The seam can add variables but not remove any, so an inherited one that is not permitted reaches the command
 * empty, and PATH as {@link SYSTEM_PATH}.
 */
export function scopedShell(inner: Shell, scope: ShellScope, options: ScopedShellOptions = {}): Shell {
  const { env = process.env } = options;
  const scoped = <Launch extends ShellLaunchOptions>(command: string, launch: Launch): Launch => {
    requirePermitted(scope, command, launch);
    const hidden = Object.keys(env).filter((name) => !scope.permitsEnv(name));
    const blanks = hidden.map((name) => [name, name === "PATH" ? SYSTEM_PATH : ""]);
    return { ...launch, env: { ...Object.fromEntries(blanks), ...launch.env } };
  };
  return {
    exec: async (command, launch) => inner.exec(command, scoped(command, launch)),
    spawn: (command, launch) => inner.spawn(command, scoped(command, launch)),
  };
}

function requirePermitted(scope: ShellScope, command: string, { cwd, env = {} }: ShellLaunchOptions): void {
  if (!scope.mayExecute(command, cwd)) {
    throw new ScopeError(
      `cannot run ${JSON.stringify(command)} in ${JSON.stringify(cwd)}: this scope may not execute it. ` +
        "Grant execution of it to allow it.",
    );
  }
  const refused = Object.keys(env).find((name) => !scope.permitsEnv(name));
  if (refused !== undefined) {
    throw new ScopeError(
      `cannot run ${JSON.stringify(command)} with the variable ${JSON.stringify(refused)}: this scope may not set it. ` +
        "Add its name to the permitted ones, or omit it.",
    );
  }
}
