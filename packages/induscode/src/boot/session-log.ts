// Which log a session writes: a new one, the newest of this folder, or the one that was named.

import type { Entry } from "../conductor/contract.ts";
import { createLog, isSessionLog, LogError, openLog, type SessionLog } from "../conductor/log.ts";
import {
  createSessionId,
  delegateFolder,
  listSessions,
  sessionFolder,
  sessionPath,
} from "../conductor/sessions.ts";
import type { Flags } from "./flags.ts";
import { Problem } from "./problem.ts";
import { VERSION } from "./version.ts";

export interface SessionLogs {
  readonly log: SessionLog;
  /** What it holds already. */
  readonly entries: readonly Entry[];
  /** Makes a new one. */
  readonly next: () => SessionLog;
  /** Makes one for a delegate. */
  readonly nextDelegate: () => SessionLog;
}

/** Throws a {@link Problem} when the session that was asked for is not there or in use. */
export function openSessionLogs(
  flags: Flags,
  { home, cwd }: { readonly home: string; readonly cwd: string },
  notices: string[],
): SessionLogs {
  const folder = sessionFolder(home, cwd);
  const nextIn = (where: string) => (): SessionLog => {
    const id = createSessionId();
    return createLog({ id, path: sessionPath(where, id), cwd, version: VERSION });
  };
  const makers = { next: nextIn(folder), nextDelegate: nextIn(delegateFolder(folder)) };
  if (flags.resume === undefined && !flags.continue) return { log: makers.next(), entries: [], ...makers };
  const id = findSession(folder, flags.resume);
  const { log, entries, damagedLines } = openOrProblem(sessionPath(folder, id));
  if (damagedLines > 0) notices.push(`${damagedLines} damaged lines of session ${id} were left out`);
  return { log, entries, ...makers };
}

/** The newest session of a folder, or the only one whose id begins with `wanted`. Throws a {@link Problem}. */
export function findSession(folder: string, wanted: string | undefined): string {
  const sessions = listSessions(folder);
  const matches =
    wanted === undefined ? newestOf(folder, sessions) : sessions.filter((id) => id.startsWith(wanted));
  const [id, second] = matches;
  if (id === undefined) {
    const what = wanted === undefined ? "no session yet" : `no session "${wanted}"`;
    const newest = wanted !== undefined && sessions.length > 0 ? `; the newest is ${sessions[0]}` : "";
    throw new Problem(`there is ${what} in ${folder}${newest}`);
  }
  if (second !== undefined && id !== wanted)
    throw new Problem(`"${wanted}" could be ${id} or ${second}: give more of the id`);
  return id;
}

// A file that a full disk left without its first line is passed over: it holds nothing to go on with.
function newestOf(folder: string, sessions: readonly string[]): readonly string[] {
  const newest = sessions.find((id) => isSessionLog(sessionPath(folder, id)));
  return newest === undefined ? [] : [newest];
}

function openOrProblem(path: string): ReturnType<typeof openLog> {
  try {
    return openLog(path);
  } catch (error) {
    if (error instanceof LogError) throw new Problem(error.message);
    throw error;
  }
}
