// Which log a session writes: a new one, the newest of this folder, or the one that was named.

import type { Entry } from "../conductor/contract.ts";
import { ContextFold } from "../conductor/fold.ts";
import { createLog, LogError, openLog, type SessionLog } from "../conductor/log.ts";
import { counted, describeDamage, type LogDamage, lookAtLog } from "../conductor/log-reader.ts";
import { pendingLines } from "../conductor/recall.ts";
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
  const id = findSession(folder, flags.resume, notices);
  const { log, entries, damage } = openOrProblem(sessionPath(folder, id));
  const told = damageLine(id, damage, entries);
  if (told !== undefined) notices.push(told);
  const waiting = pendingLines(entries).length;
  if (waiting > 0)
    notices.push(
      `${counted(waiting, "line that you typed before it ended joins", "lines that you typed before it ended join")} now, before your next one`,
    );
  return { log, entries, ...makers };
}

/** What a session lost and what that means for the model's view, in one line; undefined for one that is whole. */
function damageLine(id: string, damage: LogDamage, entries: readonly Entry[]): string | undefined {
  const lost = describeDamage(damage);
  if (lost.length === 0) return undefined;
  const fold = new ContextFold();
  for (const entry of entries) fold.add(entry);
  const { droppedOutcomes, closedCalls, missingLines } = fold.repairs;
  const shown = [
    droppedOutcomes > 0 &&
      `${counted(droppedOutcomes, "outcome without its call is", "outcomes without their call are")} not shown`,
    closedCalls > 0 && `${counted(closedCalls, "call is", "calls are")} shown with the outcome as lost`,
    missingLines > 0 && `${counted(missingLines, "place is", "places are")} marked as missing`,
  ].filter((each) => each !== false);
  const view = shown.length === 0 ? "" : `; to the model, ${shown.join(", ")}`;
  return `the session ${id} ${lost.join("; ")}${view}`;
}

/**
 * The newest session of a folder that can be read, or the only one whose id begins with `wanted`. What was said in a newer one
 * is not passed over without a word in `notices`. Throws a {@link Problem}.
 */
export function findSession(folder: string, wanted: string | undefined, notices: string[] = []): string {
  const sessions = listSessions(folder);
  if (wanted === undefined) return newestOf(folder, sessions, notices);
  const [id, second] = sessions.filter((each) => each.startsWith(wanted));
  if (id === undefined) {
    const newest = sessions.length > 0 ? `; the newest is ${sessions[0]}` : "";
    throw new Problem(`there is no session "${wanted}" in ${folder}${newest}`);
  }
  if (second !== undefined && id !== wanted)
    throw new Problem(`"${wanted}" could be ${id} or ${second}: give more of the id`);
  return id;
}

function newestOf(folder: string, sessions: readonly string[], notices: string[]): string {
  const passed: string[] = [];
  for (const id of sessions) {
    const look = lookAtLog(sessionPath(folder, id));
    if (look.kind === "session") {
      notices.push(...passed.map((each) => `the newer session ${each}. This is ${id}.`));
      return id;
    }
    if (look.kind === "unreadable") passed.push(`${id} is passed over: ${look.reason}`);
  }
  if (passed.length === 0) throw new Problem(`there is no session yet in ${folder}`);
  throw new Problem(`no session in ${folder} can be read: ${passed.join("; ")}`);
}

function openOrProblem(path: string): ReturnType<typeof openLog> {
  try {
    return openLog(path);
  } catch (error) {
    if (error instanceof LogError) throw new Problem(error.message);
    throw error;
  }
}
