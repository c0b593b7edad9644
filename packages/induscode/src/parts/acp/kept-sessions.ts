// The sessions that are kept on this machine, as an editor lists and deletes them.

import { dirname } from "node:path";
import {
  type ListSessionsRequest,
  type ListSessionsResponse,
  RequestError,
  type SessionInfo,
} from "@agentclientprotocol/sdk/unstable";
import { type Invocation, workingDirectory } from "../../cli/invocation.ts";
import { readSessionFacts } from "../../conductor/session-facts.ts";
import {
  foldersBelow,
  listSessions,
  sessionFolder,
  sessionNames,
  sessionPath,
} from "../../conductor/sessions.ts";
import { moveToTrash } from "../../session/logs/trash.ts";
import { indusHome } from "../../store/home.ts";

const PAGE = 50;

/** A page of them, newest first: those of one folder, or of all. The cursor is how many were listed before. */
export function listSessionsFor(
  { cwd, cursor }: ListSessionsRequest,
  line: Pick<Invocation, "env" | "startedIn">,
): ListSessionsResponse {
  const before = /^\d{1,9}$/.test(cursor ?? "0") ? Number(cursor ?? 0) : undefined;
  if (before === undefined)
    throw RequestError.invalidParams({ cursor }, `unknown cursor ${JSON.stringify(cursor)}`);
  const home = indusHome(line.env);
  const folder = (path: string): string =>
    sessionFolder(home, workingDirectory({ flags: { cwd: path }, startedIn: line.startedIn }));
  const folders = cwd ? [folder(cwd)] : sessionFolders(line);
  const paths = folders.flatMap((each) => listSessions(each).map((id) => sessionPath(each, id)));
  // In one folder they are in order, and only the page is read.
  const facts =
    folders.length === 1
      ? paths.slice(before, before + PAGE).map(readSessionFacts)
      : paths
          .map(readSessionFacts)
          .sort((one, other) => other.lastAt - one.lastAt)
          .slice(before, before + PAGE);
  const sessions = facts
    .filter(({ state, folder: where }) => state !== "unreadable" && where !== "")
    .map(
      ({ id, folder: where, title, lastAt }): SessionInfo => ({
        sessionId: id,
        cwd: where,
        title,
        updatedAt: new Date(lastAt).toISOString(),
      }),
    );
  const next = before + PAGE;
  return { sessions, nextCursor: next < paths.length ? String(next) : null };
}

/** Moves it to the trash, from where `indus sessions restore` brings it back. */
export function deleteSession(id: string, line: Pick<Invocation, "env" | "startedIn">): void {
  const folder = sessionFolders(line).find((each) => sessionNames(each).includes(id));
  if (folder === undefined) throw RequestError.resourceNotFound(id);
  moveToTrash(sessionPath(folder, id));
}

function sessionFolders({ env, startedIn }: Pick<Invocation, "env" | "startedIn">): readonly string[] {
  return foldersBelow(dirname(sessionFolder(indusHome(env), startedIn)));
}
