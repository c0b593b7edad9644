// What a command inherits: the person's environment minus known credentials. Everything else is passed on, including
// LD_PRELOAD, NODE_OPTIONS and INDUS_* settings, because these are the person's commands in the person's shell; addons get an
// allow-list elsewhere.

import { isCredentialName, passwordIn } from "../../core/credentials.ts";

/**
 * The environment for a child: `inherited` without credentials and the `withheld` names, then `overlay`, which can deliberately
 * add some back.
 */
export function childEnvironment(
  inherited: NodeJS.ProcessEnv,
  overlay: Readonly<Record<string, string>> = {},
  withheld: ReadonlySet<string> = NONE,
): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(inherited)) {
    if (value === undefined || isCredentialName(name) || withheld.has(name)) continue;
    if (passwordIn(value) !== undefined) continue;
    env[name] = value;
  }
  return Object.assign(env, overlay);
}

const NONE: ReadonlySet<string> = new Set();
