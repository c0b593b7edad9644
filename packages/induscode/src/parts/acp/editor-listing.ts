// The sessions that are kept on this machine, as an editor lists and deletes them.

import {
  type ListSessionsRequest,
  type ListSessionsResponse,
  RequestError,
} from "@agentclientprotocol/sdk/unstable";
import { briefValue, isoTime } from "indusagi/core";
import type { Invocation } from "../../cli/invocation.ts";
import { sessionNames, sessionPath } from "../../conductor/sessions.ts";
import { keptFolders, keptSessions } from "../../session/logs/kept-sessions.ts";
import { moveToTrash } from "../../session/logs/trash.ts";
import { NOT_FOUND } from "./editor-sessions.ts";

/** A page of them, newest first: those of one folder, or of all. The cursor is how many were listed before. */
export function listSessionsFor(
  { cwd, cursor }: ListSessionsRequest,
  line: Pick<Invocation, "env" | "startedIn">,
): ListSessionsResponse {
  const skip = /^\d{1,9}$/.test(cursor ?? "0") ? Number(cursor ?? 0) : undefined;
  if (skip === undefined)
    throw RequestError.invalidParams({ cursor }, `unknown cursor ${JSON.stringify(cursor)}`);
  const { sessions, next } = keptSessions({ cwd, skip }, line);
  return {
    sessions: sessions.map(({ id, folder, title, lastAt }) => ({
      sessionId: id,
      cwd: folder,
      title,
      updatedAt: isoTime(lastAt) ?? null,
    })),
    nextCursor: next === undefined ? null : String(next),
  };
}

/** Moves it to the trash, from where `indus sessions restore` brings it back. */
export function deleteSession(id: string, line: Pick<Invocation, "env" | "startedIn">): void {
  const folder = keptFolders(line).find((each) => sessionNames(each).includes(id));
  if (folder === undefined)
    throw new RequestError(
      NOT_FOUND,
      `there is no session ${briefValue(id)}: session/list names those that are kept`,
      {
        uri: id,
      },
    );
  moveToTrash(sessionPath(folder, id));
}
