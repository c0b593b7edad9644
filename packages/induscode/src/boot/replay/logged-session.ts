// The session that a subcommand names, as logged.

import type { Entry } from "../../conductor/contract.ts";
import { newerFormatReason, readEntries } from "../../conductor/log-reader.ts";
import { sessionFolder, sessionPath } from "../../conductor/sessions.ts";
import { indusHome } from "../../store/home.ts";
import { Problem } from "../problem.ts";
import { findSession } from "../session-log.ts";
import { loadSettings } from "../settings.ts";
import { withStoredKeys } from "../stored-keys.ts";
import { type Invocation, workingDirectory } from "../working-directory.ts";

export interface LoggedSession {
  readonly home: string;
  readonly cwd: string;
  readonly id: string;
  readonly path: string;
  /** Without the secrets known now: entries logged before a secret was known contain it. */
  readonly entries: readonly Entry[];
}

/** The only session whose id begins with `wanted`, or the newest. Throws a {@link Problem}; `verb` completes "it cannot be …". */
export async function loggedSession(
  line: Pick<Invocation, "env" | "secrets" | "startedIn"> & { readonly flags: { readonly cwd?: string } },
  wanted: string | undefined,
  verb: string,
): Promise<LoggedSession> {
  const { env, secrets } = line;
  const home = indusHome(env);
  const cwd = workingDirectory(line);
  const { settings } = await loadSettings(home, cwd);
  secrets.learnSettings(settings, env);
  secrets.learnEnvironment(withStoredKeys(env, home));
  const folder = sessionFolder(home, cwd);
  const id = findSession(folder, wanted);
  const path = sessionPath(folder, id);
  const { entries, newerFormat } = readEntries(path);
  if (newerFormat !== undefined)
    throw new Problem(`the session ${id} cannot be ${verb}: ${newerFormatReason(newerFormat)}`);
  return { home, cwd, id, path, entries: entries.map((entry) => secrets.value(entry)) };
}
