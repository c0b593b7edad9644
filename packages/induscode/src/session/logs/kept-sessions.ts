// The sessions that are kept on this machine, a page at a time.

import { dirname } from "node:path";
import { type Invocation, workingDirectory } from "../../cli/invocation.ts";
import { readSessionFacts, type SessionFacts } from "../../conductor/session-facts.ts";
import { foldersBelow, listSessions, sessionFolder, sessionPath } from "../../conductor/sessions.ts";
import { indusHome } from "../../store/home.ts";

const PAGE = 50;

export interface KeptSessions {
  readonly sessions: readonly SessionFacts[];
  /** What to skip for the next page; absent on the last one. */
  readonly next?: number;
}

/** Newest first: those of one folder, or of all. */
export function keptSessions(
  { cwd, skip = 0 }: { readonly cwd?: string | null | undefined; readonly skip?: number | undefined },
  line: Pick<Invocation, "env" | "startedIn">,
): KeptSessions {
  const home = indusHome(line.env);
  const folder = (path: string): string =>
    sessionFolder(home, workingDirectory({ flags: { cwd: path }, startedIn: line.startedIn }));
  const folders = cwd ? [folder(cwd)] : keptFolders(line);
  const paths = folders.flatMap((each) => listSessions(each).map((id) => sessionPath(each, id)));
  const page = skip + PAGE;
  // In one folder they are in order, and only the page is read.
  const facts =
    folders.length === 1
      ? paths.slice(skip, page).map(readSessionFacts)
      : paths
          .map(readSessionFacts)
          .sort((one, other) => other.lastAt - one.lastAt)
          .slice(skip, page);
  const sessions = facts.filter(({ state, folder: where }) => state !== "unreadable" && where !== "");
  return page < paths.length ? { sessions, next: page } : { sessions };
}

/** Every folder with the sessions of one working directory. */
export function keptFolders({ env, startedIn }: Pick<Invocation, "env" | "startedIn">): readonly string[] {
  return foldersBelow(dirname(sessionFolder(indusHome(env), startedIn)));
}
