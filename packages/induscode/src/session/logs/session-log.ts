// Which log a session writes: a new one, the newest in this folder, or the one that was named.

import { existsSync } from "node:fs";
import { basename, dirname, resolve, sep } from "node:path";
import type { SecretMask } from "indusagi/core";
import type { Flags } from "../../cli/flags.ts";
import { Problem } from "../../cli/problem.ts";
import { createSecretsRecall } from "../../cli/secrets.ts";
import { VERSION } from "../../cli/version.ts";
import type { Entry } from "../../conductor/contract.ts";
import type { ContextFold } from "../../conductor/fold.ts";
import { entriesBefore, forkLog } from "../../conductor/fork.ts";
import {
  createLog,
  LogError,
  LogInUse,
  LogUnwritable,
  type OpenedLog,
  openLog,
  type SessionLog,
} from "../../conductor/log.ts";
import {
  counted,
  describeDamage,
  describeLater,
  type LogDamage,
  lookAtLog,
  newerFormatReason,
  readEntries,
} from "../../conductor/log-reader.ts";
import type { FoldWish } from "../../conductor/read-folded.ts";
import { endedWithProcess, pendingLines } from "../../conductor/recall.ts";
import {
  createSessionId,
  delegateFolder,
  listSessions,
  newestSessions,
  sessionFolder,
  sessionNames,
  sessionPath,
} from "../../conductor/sessions.ts";
import { cutOff } from "../../conductor/turns/cut-off.ts";
import { openUnwritable } from "../../conductor/unwritable-log.ts";
import { beganElsewhere, logElsewhere, movedHint } from "./moved-sessions.ts";
import { onlySession } from "./only-session.ts";

export interface SessionLogs {
  readonly log: SessionLog;
  /** The entries it already has. */
  readonly entries: readonly Entry[];
  /** Their fold; absent for a new log. */
  readonly fold?: ContextFold;
  /** Creates a new log. */
  readonly next: () => SessionLog;
  /** From now on new logs are created in this folder. */
  readonly beginIn: (folder: string) => void;
  /** Creates a log for a delegate. */
  readonly nextDelegate: () => SessionLog;
  /** The log of a delegate from an earlier run. Throws a `LogError`. */
  readonly openDelegate: (id: string) => OpenedLog;
  /** A fork of the session at `path`, without the person's last `back` lines. Throws a `LogError`. */
  readonly fork: (path: string, back: number) => OpenedLog & { readonly left: string };
  /** A log from this folder, or a fork if it is in use; `told` hears of that and of damage. Throws a {@link Problem}. */
  readonly open: (id: string, told: string[]) => OpenedLog;
}

/** Throws a {@link Problem} if the requested session does not exist or is in use. */
export function openSessionLogs(
  flags: Flags,
  {
    home,
    cwd,
    startedIn = cwd,
    secrets,
    asksWhereToWrite = false,
  }: {
    readonly home: string;
    readonly cwd: string;
    /** The base for a file that is given instead of an id. */
    readonly startedIn?: string;
    readonly secrets: SecretMask;
    /** The person is asked where to write a log that cannot be written, so it is opened anyway. */
    readonly asksWhereToWrite?: boolean;
  },
  notices: string[],
): SessionLogs {
  const folder = sessionFolder(home, cwd);
  let newIn = folder;
  const nextIn = (where: string): SessionLog => {
    const id = createSessionId();
    return createLog({ id, path: sessionPath(where, id), cwd, version: VERSION });
  };
  const fork = (path: string, back: number, begin?: FoldWish["begin"]): ReturnType<SessionLogs["fork"]> => {
    const { entries, damage, newerFormat } = readEntries(path);
    if (newerFormat !== undefined) throw new LogError(newerFormatReason(newerFormat));
    const from = entriesBefore(entries, back);
    if (from === undefined)
      throw new LogError(`You have entered fewer than ${counted(back, "line")} in this session`);
    const id = createSessionId();
    const to = { id, path: sessionPath(newIn, id), cwd, version: VERSION };
    return { ...forkLog(from.kept, basename(path, ".jsonl"), to, begin), damage, left: from.left };
  };
  const makers = {
    next: () => nextIn(newIn),
    beginIn(where: string): void {
      newIn = where;
    },
    nextDelegate: () => nextIn(delegateFolder(newIn)),
    openDelegate,
    fork,
    open: (id: string, told: string[]) => open(sessionPath(folder, id), told),
  };
  if (flags.resume === undefined && !flags.continue) return { log: makers.next(), entries: [], ...makers };
  const path = findWanted();
  const began = dirname(path) === folder ? undefined : beganElsewhere(path, cwd);
  if (began !== undefined) notices.push(began);
  if (!flags.fork && dirname(path) === delegateFolder(dirname(dirname(path))))
    throw new Problem(
      `${path} is the log of a delegate, which cannot be continued: add --fork to continue in a copy`,
    );
  const { log, entries, fold } = open(path, notices);
  const ended = endedWithProcess(entries);
  if (ended !== undefined) notices.push(ended);
  return { log, entries, fold, ...makers };

  function findWanted(): string {
    const hasAny = flags.resume !== undefined || sessionNames(folder).length > 0;
    if (!hasAny) throw new Problem(`no sessions in ${folder} yet${movedHint(folder, cwd)}`);
    return findLog(folder, flags.resume, startedIn, notices);
  }

  function openDelegate(id: string): OpenedLog {
    const path = sessionPath(delegateFolder(newIn), basename(id));
    return openLog(existsSync(path) ? path : sessionPath(delegateFolder(folder), basename(id)));
  }

  function open(path: string, told: string[]): OpenedLog {
    const secret = createSecretsRecall(secrets);
    const opened = openOrFork(path, told, () => secret.see);
    const damage = damageLine(basename(path, ".jsonl"), opened.damage, opened.fold);
    if (damage !== undefined) told.push(damage);
    const cut = cutOff(opened.entries);
    if (cut !== undefined) told.push(cut);
    const waiting = pendingLines(opened.entries).length;
    if (waiting > 0)
      told.push(
        `${counted(waiting, "line that you typed before it ended is", "lines that you typed before it ended are")} added before your next line`,
      );
    told.push(...secret.told());
    return opened;
  }

  /** Forks a session that another process has open, or that the person wants forked. */
  function openOrFork(path: string, told: string[], begin: FoldWish["begin"]): OpenedLog {
    if (flags.fork) return orProblem(() => forked(path, "", told, begin));
    return orProblem(() => {
      try {
        return openLog(path, begin);
      } catch (error) {
        if (error instanceof LogUnwritable && asksWhereToWrite) {
          told.push(
            `${error.message}. It is open read-only; with your next line you choose where the session continues`,
          );
          return openUnwritable(path, begin);
        }
        if (!(error instanceof LogInUse) || flags["no-fork"]) throw error;
        return forked(path, `, which is in use ${error.holder}`, told, begin);
      }
    });
  }

  function forked(path: string, why: string, told: string[], begin: FoldWish["begin"]): OpenedLog {
    const made = fork(path, 0, begin);
    told.push(
      `this is ${made.log.id}, a fork of the session ${basename(path, ".jsonl")}${why}; both can continue`,
    );
    return made;
  }
}

/** What a session lost and what that means for the model's view, in one line; undefined if it is intact. */
function damageLine(id: string, damage: LogDamage, fold: ContextFold): string | undefined {
  const lost = [...describeDamage(damage), ...describeLater(damage)];
  if (lost.length === 0) return undefined;
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

/** The log that a person specifies: by its file, wherever that is, or as {@link findSession} finds it. Throws a {@link Problem}. */
export function findLog(
  folder: string,
  wanted: string | undefined,
  startedIn: string,
  notices?: string[],
): string {
  if (wanted?.includes(sep) !== true) return logNamed(folder, wanted, notices);
  const path = resolve(startedIn, wanted);
  if (!existsSync(path)) throw new Problem(`session log not found: ${path}`);
  return path;
}

/** The log of a session of this folder, or of the only one anywhere that has the id. Throws a {@link Problem}. */
export function logNamed(folder: string, wanted: string | undefined, notices?: string[]): string {
  const isHere = wanted === undefined || folderOfLog(folder, wanted) !== folder || hasSession(folder, wanted);
  const elsewhere = isHere ? undefined : logElsewhere(dirname(folder), wanted);
  return elsewhere ?? sessionPath(folder, findSession(folder, wanted, notices));
}

function hasSession(folder: string, wanted: string): boolean {
  return sessionNames(folder).some((id) => id.startsWith(wanted));
}

/**
 * The newest readable session of a folder, or the only one whose id begins with `wanted`. A newer session that is skipped is mentioned in
 * `notices`. Throws a {@link Problem}.
 */
export function findSession(folder: string, wanted: string | undefined, notices: string[] = []): string {
  if (wanted === undefined) return newestOf(folder, notices);
  const id = onlySession(sessionNames(folder), wanted);
  if (id !== undefined) return id;
  if (folderOfLog(folder, wanted) !== folder)
    throw new Problem(
      `"${wanted}" is a delegate's session: only indus session verify and indus export take it`,
    );
  const [last] = newestSessions(folder);
  const newest = last === undefined ? "" : `; the newest is ${last}`;
  throw new Problem(`session "${wanted}" not found in ${folder}${newest}`);
}

/** The folder of a session's log; that of delegates, if only one of them has the id. */
export function folderOfLog(folder: string, wanted: string | undefined): string {
  if (wanted === undefined) return folder;
  const delegates = delegateFolder(folder);
  return hasSession(delegates, wanted) && !hasSession(folder, wanted) ? delegates : folder;
}

function newestOf(folder: string, notices: string[]): string {
  const passed: string[] = [];
  for (const id of mostRecent(folder)) {
    const look = lookAtLog(sessionPath(folder, id));
    if (look.kind === "session") {
      notices.push(...passed.map((each) => `skipped the newer session ${each}. Using ${id}.`));
      return id;
    }
    if (look.kind === "unreadable") passed.push(`${id}: ${look.reason}`);
  }
  if (passed.length === 0) throw new Problem(`no sessions in ${folder} yet`);
  throw new Problem(`no session in ${folder} can be read: ${passed.join("; ")}`);
}

function orProblem<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (error instanceof LogError) throw new Problem(error.message);
    throw error;
  }
}

/** The newest sessions, then, if none of those can be read, all others. */
function* mostRecent(folder: string): Iterable<string> {
  const newest = newestSessions(folder);
  yield* newest;
  yield* listSessions(folder).filter((id) => !newest.includes(id));
}
