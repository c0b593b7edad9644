// The tokens of logins at MCP servers as secrets, whether or not their server is used: an older log, or a file, can hold one.

import { LOGIN_VARIABLE } from "../addons/process/protocol/login-variable.ts";
import type { Secrets } from "../cli/secrets.ts";
import { secretsOfLogins } from "../store/server-logins.ts";

/** From now on they are hidden. */
export function learnLogins(home: string, secrets: Pick<Secrets, "add">): void {
  for (const secret of secretsOfLogins(home)) secrets.add(LOGIN_VARIABLE, secret);
}
