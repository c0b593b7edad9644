// What a command inherits: the person's environment minus known credentials and what would make bash run something else first.
// Everything else is passed on, including LD_PRELOAD, NODE_OPTIONS and INDUS_* settings, because these are the person's commands in the
// person's shell; addons get an allow-list elsewhere.

import { isCredentialName, passwordIn } from "../../core/credentials.ts";

/** What no child inherits, in addition to variables named as credentials. */
export interface Withheld {
  /** Variables by name. */
  readonly names?: ReadonlySet<string>;
  /** Whether a value is, or contains, a known secret. A shell can print any part of it, which nobody would recognise. */
  readonly holdsSecret?: ((value: string) => boolean) | undefined;
}

/** Without these nothing runs; a secret that is part of such a value is none. */
const NEEDED: ReadonlySet<string> = new Set([
  "PATH",
  "HOME",
  "PWD",
  "SHELL",
  "USER",
  "LOGNAME",
  "TMPDIR",
  "TERM",
  "LANG",
]);

/**
 * The environment for a child: `inherited` without credentials and what is withheld, then `overlay`, which can deliberately add some
 * back.
 */
export function childEnvironment(
  inherited: NodeJS.ProcessEnv,
  overlay: Readonly<Record<string, string>> = {},
  { names, holdsSecret }: Withheld = {},
): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(inherited)) {
    if (value === undefined || isCredentialName(name) || names?.has(name) || BEFORE_BASH.test(name)) continue;
    if (passwordIn(value) !== undefined || (!NEEDED.has(name) && holdsSecret?.(value))) continue;
    env[name] = value;
  }
  return Object.assign(env, overlay);
}

/** A file that bash runs before any script, functions that replace programs, options that change how a line is read. */
const BEFORE_BASH = /^(?:BASH_ENV|BASH_FUNC_.*|BASHOPTS|SHELLOPTS)$/;
