// The secrets that this product keeps for the person, whether or not anything uses them now: an older log, or a file, can hold one.

import { LOGIN_VARIABLE } from "../addons/process/protocol/login-variable.ts";
import type { Secrets } from "../cli/secrets.ts";
import { secretsOfNamed } from "../store/named-secrets.ts";
import { secretsOfLogins } from "../store/server-logins.ts";

/** From now on they are hidden: the tokens of logins at MCP servers, and what came with packages. */
export function learnKeptSecrets(home: string, secrets: Pick<Secrets, "add">): void {
  for (const secret of secretsOfLogins(home)) secrets.add(LOGIN_VARIABLE, secret);
  for (const [name, value] of secretsOfNamed(home)) secrets.add(name, value);
}
