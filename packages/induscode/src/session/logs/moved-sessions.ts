// Sessions of other folders: one that is asked for by its id, and those of a folder that seems to have been renamed or moved here.

import { existsSync } from "node:fs";
import { basename, dirname } from "node:path";
import { readSessionFacts } from "../../conductor/session-facts.ts";
import { foldersBelow, newestSessions, sessionNames, sessionPath } from "../../conductor/sessions.ts";
import { onlySession } from "./only-session.ts";

/** The log of the only session whose id begins with `wanted`, in any folder below `root`; undefined if there is none. Throws a `Problem`. */
export function logElsewhere(root: string, wanted: string): string | undefined {
  const paths = new Map<string, string>();
  for (const folder of foldersBelow(root))
    for (const id of sessionNames(folder)) paths.set(id, sessionPath(folder, id));
  return paths.get(onlySession([...paths.keys()], wanted) ?? "");
}

/** Where a session that continues in `cwd` began, if that was elsewhere; undefined otherwise. */
export function beganElsewhere(path: string, cwd: string): string | undefined {
  const { id, folder } = readSessionFacts(path);
  if (folder === "" || folder === cwd) return undefined;
  const gone = existsSync(folder) ? "" : ", which is gone";
  return `the session ${id} started in ${folder}${gone}; it continues in ${cwd}`;
}

/** Looked at for a hint. */
const MAX_FOLDERS = 200;

/** A hint at sessions whose folder is gone and had this one's name or stood beside it; empty if there are none. */
export function movedHint(folder: string, cwd: string): string {
  for (const other of foldersBelow(dirname(folder)).slice(0, MAX_FOLDERS)) {
    const [id] = newestSessions(other);
    if (id === undefined) continue;
    const { folder: began } = readSessionFacts(sessionPath(other, id));
    const isAlike = basename(began) === basename(cwd) || dirname(began) === dirname(cwd);
    if (began !== "" && isAlike && !existsSync(began))
      return `; ${began} is gone and had sessions. If it is this folder now: indus -r ${id}`;
  }
  return "";
}
