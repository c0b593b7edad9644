// `indus sessions`: lists sessions, and what can be done with them from outside.

import { renameSync, rmSync, statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { formatDollars, nowMs, printable } from "indusagi/core";
import { ageFlag } from "../../cli/age-flag.ts";
import { type Invocation, workingDirectory } from "../../cli/invocation.ts";
import { noticeLine } from "../../cli/notice-line.ts";
import { EXIT_OK, EXIT_USAGE, Problem } from "../../cli/problem.ts";
import { LogError, openLog } from "../../conductor/log.ts";
import { counted } from "../../conductor/log-reader.ts";
import { readSessionFacts, type SessionFacts } from "../../conductor/session-facts.ts";
import { foldersBelow, listSessions, sessionFolder, sessionPath, trashOf } from "../../conductor/sessions.ts";
import { tableLines } from "../../console/table.ts";
import { movedHint } from "../../session/logs/moved-sessions.ts";
import { findSession } from "../../session/logs/session-log.ts";
import { moveToTrash, orProblem } from "../../session/logs/trash.ts";
import { indusHome } from "../../store/home.ts";
import { ageOf } from "./age.ts";
import { excerptOf, searchLogs } from "./session-search.ts";

interface Own {
  readonly all?: boolean | undefined;
  readonly "older-than"?: string | undefined;
}

/** Further rows are only counted; `--json` has them all. */
const MAX_ROWS = 50;
const DAY_MS = 24 * 60 * 60 * 1000;
/** Sessions in the trash for longer than this are deleted by the next `prune`. */
const KEEP_TRASH_MS = 30 * DAY_MS;

export async function runSessions(line: Invocation<Own>): Promise<number> {
  const { flags, words, env } = line;
  const home = indusHome(env);
  const cwd = workingDirectory(line);
  const here = sessionFolder(home, cwd);
  const folders = flags.all ? foldersBelow(dirname(here)) : [here];
  const [, action, first = "", title = ""] = words;
  switch (action) {
    case "search":
      return search(first, { folders, root: flags.all ? dirname(here) : here, isJson: flags.json === true });
    case "rename":
      return rename(pathOf(folders, first), title);
    case "rm": {
      const path = pathOf(folders, first);
      moveToTrash(path);
      return say(`Moved the session to the trash. To restore it: indus sessions restore ${idOf(path)}`);
    }
    case "restore":
      return restore(pathOf(folders.map(trashOf), first));
    case "prune":
      return prune(folders, flags["older-than"] ?? "");
    default:
      return list(folders, { isJson: flags.json === true, isAll: flags.all === true, cwd });
  }
}

function list(
  folders: readonly string[],
  { isJson, isAll, cwd }: { readonly isJson: boolean; readonly isAll: boolean; readonly cwd: string },
): number {
  const paths = folders.flatMap((folder) => listSessions(folder).map((id) => sessionPath(folder, id)));
  if (isJson) return sayJson(newestFirst(paths.map(readSessionFacts)));
  if (paths.length === 0)
    return say(
      isAll
        ? "No sessions yet."
        : `No sessions in this folder yet. For all folders: indus sessions --all${movedHint(folders[0] ?? "", cwd)}`,
    );
  // Within one folder they are already newest first, and only those shown are read.
  const shown = (
    isAll ? newestFirst(paths.map(readSessionFacts)) : paths.slice(0, MAX_ROWS).map(readSessionFacts)
  ).slice(0, MAX_ROWS);
  say(table(shown, isAll).join("\n"));
  const more = paths.length - shown.length;
  if (more > 0) say(`and ${more} more: indus sessions search WORDS, or --json`);
  return isAll ? EXIT_OK : say(`\nin ${printable(cwd)}; to continue one: indus -r ID`);
}

async function search(
  typed: string,
  where: { readonly folders: readonly string[]; readonly root: string; readonly isJson: boolean },
): Promise<number> {
  const words = typed.split(/\s+/).filter(Boolean);
  if (words.length === 0) throw new Problem("indus sessions search needs words to search for", EXIT_USAGE);
  const unread = new Set<string>();
  const paths = await searchLogs(where.root, words, (line) => unread.add(line));
  for (const line of unread) process.stderr.write(noticeLine(`not searched: ${line}`));
  const found = newestFirst([...paths].map(readSessionFacts));
  const withWords = (facts: SessionFacts) => ({ ...facts, excerpt: excerptOf(facts.path, words) });
  if (where.isJson) return sayJson(found.map(withWords));
  if (found.length === 0) return say(`No session contains "${typed}".`);
  const shown = found.slice(0, MAX_ROWS).map(withWords);
  const rows = table(shown, where.folders.length > 1);
  say(
    shown
      .map(({ excerpt }, at) => `${rows[at]}${excerpt === "" ? "" : `\n    ${oneLine(excerpt)}`}`)
      .join("\n"),
  );
  if (found.length > shown.length) say(`and ${found.length - shown.length} more: --json lists them all`);
  return EXIT_OK;
}

function rename(path: string, title: string): number {
  const name = title.trim();
  if (name === "") throw new Problem("a session's name cannot be empty", EXIT_USAGE);
  try {
    const { log } = openLog(path);
    log.append({ type: "title", text: name });
    log.sync();
    log.close();
  } catch (error) {
    if (error instanceof LogError) throw new Problem(error.message);
    throw error;
  }
  return say(`${idOf(path)} is now called "${name}".`);
}

function restore(path: string): number {
  const to = sessionPath(dirname(dirname(path)), idOf(path));
  if (statSync(to, { throwIfNoEntry: false })) throw new Problem(`session ${idOf(path)} already exists`);
  orProblem(`the session ${idOf(path)} cannot be restored from the trash`, () => renameSync(path, to));
  return say(`Restored ${idOf(path)}. To continue it: indus -r ${idOf(path)}`);
}

function prune(folders: readonly string[], age: string): number {
  const beforeMs = nowMs() - ageFlag("older-than", age);
  let [moved, removed] = [0, 0];
  for (const folder of folders) {
    for (const id of listSessions(folder)) {
      const path = sessionPath(folder, id);
      const { state, lastAt } = readSessionFacts(path);
      if (state === "running" || state === "unreadable" || lastAt >= beforeMs) continue;
      moveToTrash(path);
      moved++;
    }
    for (const id of listSessions(trashOf(folder))) {
      const path = sessionPath(trashOf(folder), id);
      const { mtimeMs = nowMs() } = statSync(path, { throwIfNoEntry: false }) ?? {};
      if (nowMs() - mtimeMs < KEEP_TRASH_MS) continue;
      rmSync(path, { force: true });
      removed++;
    }
  }
  const gone = removed === 0 ? "" : ` ${counted(removed, "session")} deleted from the trash after 30 days.`;
  return say(
    `${counted(moved, "session")} moved to the trash.${moved === 0 ? "" : " To restore one: indus sessions restore ID."}${gone}`,
  );
}

/** The log of the only session in these folders whose id starts with `wanted`. */
function pathOf(folders: readonly string[], wanted: string): string {
  const holding = folders.filter((folder) => listSessions(folder).some((id) => id.startsWith(wanted)));
  const [folder = folders[0] ?? "", another] = holding;
  if (another !== undefined)
    throw new Problem(`"${wanted}" matches sessions in several folders: give more of the id`);
  return sessionPath(folder, findSession(folder, wanted));
}

function newestFirst(sessions: readonly SessionFacts[]): readonly SessionFacts[] {
  return sessions.toSorted((a, b) => b.lastAt - a.lastAt || (a.id < b.id ? 1 : -1));
}

function table(sessions: readonly SessionFacts[], withFolder: boolean): readonly string[] {
  const rows = sessions.map((facts) => [
    facts.id,
    ageOf(facts.lastAt, nowMs()),
    facts.turns === undefined ? "" : counted(facts.turns, "turn"),
    facts.cost === undefined ? "" : formatDollars(facts.cost),
    facts.state,
    ...(withFolder ? [facts.folder] : []),
    facts.title ?? "",
  ]);
  return tableLines(rows.map((row) => row.map(oneLine)));
}

function idOf(path: string): string {
  return basename(path, ".jsonl");
}

function oneLine(text: string): string {
  return printable(text).replaceAll(/\s+/g, " ").trim();
}

function say(text: string): number {
  process.stdout.write(`${printable(text)}\n`);
  return EXIT_OK;
}

function sayJson(value: unknown): number {
  process.stdout.write(`${JSON.stringify(value, undefined, 2)}\n`);
  return EXIT_OK;
}
