// The session that a subcommand names, as logged.

import { basename } from "node:path";
import { describeError } from "indusagi/core";
import { type Invocation, workingDirectory } from "../../cli/invocation.ts";
import { noticeLine } from "../../cli/notice-line.ts";
import { Problem } from "../../cli/problem.ts";
import type { Entry } from "../../conductor/contract.ts";
import {
  describeDamage,
  describeLater,
  newerFormatReason,
  type ReadLog,
  readEntries,
} from "../../conductor/log-reader.ts";
import { sessionFolder } from "../../conductor/sessions.ts";
import { loadSettings } from "../../settings/load-settings.ts";
import { withStoredKeys } from "../../settings/stored-keys.ts";
import { indusHome } from "../../store/home.ts";
import { learnKeptSecrets } from "../kept-secrets.ts";
import { folderOfLog, logNamed } from "./session-log.ts";

export interface LoggedSession {
  readonly home: string;
  readonly cwd: string;
  readonly id: string;
  readonly path: string;
  /** Without the secrets known now: entries logged before a secret was known contain it. */
  readonly entries: readonly Entry[];
}

/** The only session whose id begins with `wanted`, or the newest. Throws a {@link Problem}; `verb` completes "it cannot be …". `orDelegate`: a
 * delegate's, too. */
export async function loggedSession(
  line: Pick<Invocation, "env" | "secrets" | "startedIn" | "parts"> & {
    readonly flags: { readonly cwd?: string | undefined };
  },
  wanted: string | undefined,
  verb: string,
  { orDelegate = false }: { readonly orDelegate?: boolean | undefined } = {},
): Promise<LoggedSession> {
  const { env, secrets, parts } = line;
  const home = indusHome(env);
  const cwd = workingDirectory(line);
  const { settings } = await loadSettings(home, cwd, parts);
  secrets.learnSettings(settings, env);
  learnKeptSecrets(home, secrets);
  secrets.learnEnvironment(withStoredKeys(env, home));
  const sessions = sessionFolder(home, cwd);
  const folder = orDelegate ? folderOfLog(sessions, wanted) : sessions;
  const path = logNamed(folder, wanted);
  const id = basename(path, ".jsonl");
  const entries = readSession(path, verb);
  return { home, cwd, id, path, entries: entries.map((entry) => secrets.value(entry)) };
}

/** The entries of a log; what it lost is told. Throws a {@link Problem} without any; `verb` completes "it cannot be …". */
export function readSession(path: string, verb: string, tell = tellOnStderr): readonly Entry[] {
  const name = `the session ${basename(path, ".jsonl")}`;
  const cannot = (why: string): Problem => new Problem(`${name} cannot be ${verb}: ${why}`);
  let read: ReadLog;
  try {
    read = readEntries(path);
  } catch (error) {
    throw cannot(describeError(error));
  }
  const { entries, damage, newerFormat } = read;
  if (newerFormat !== undefined) throw cannot(newerFormatReason(newerFormat));
  const lost = [...describeDamage(damage), ...describeLater(damage)];
  if (entries.length === 0) throw cannot(`it ${["contains no readable entry", ...lost].join("; ")}`);
  if (lost.length > 0) tell(`${name} ${lost.join("; ")}`);
  return entries;
}

function tellOnStderr(line: string): void {
  process.stderr.write(noticeLine(line));
}
