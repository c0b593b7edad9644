// The secrets that this product keeps for the person, and those that a run holds.

import { LOGIN_VARIABLE } from "../addons/process/protocol/login-variable.ts";
import type { Secrets } from "../cli/secrets.ts";
import { secretsOfNamed, withNamedSecrets } from "../store/named-secrets.ts";
import { secretsOfLogins } from "../store/server-logins.ts";

/**
 * From now on they are hidden, whether or not anything uses them now: the tokens of logins at MCP servers, and what came with packages. An
 * older log, or a file, can hold one.
 */
export function learnKeptSecrets(home: string, secrets: Pick<Secrets, "add">): void {
  for (const secret of secretsOfLogins(home)) secrets.add(LOGIN_VARIABLE, secret);
  for (const [name, value] of secretsOfNamed(home)) secrets.add(name, value);
}

/** Where the secrets that addons were granted are read from; nothing else is. Problems with the kept ones are reported. */
export function secretVariables(
  { env, home }: { readonly env: NodeJS.ProcessEnv; readonly home: string },
  { held }: Pick<Secrets, "held">,
  tell?: (line: string) => void,
): NodeJS.ProcessEnv {
  return { ...withNamedSecrets(env, home, tell), ...Object.fromEntries(held) };
}
