// The sessions of one editor, side by side in this process.

import {
  type AgentContext,
  type ClientCapabilities,
  type NewSessionResponse,
  RequestError,
} from "@agentclientprotocol/sdk/unstable";
import { briefValue } from "indusagi/core";
import type { Flags } from "../../cli/flags.ts";
import type { Invocation } from "../../cli/invocation.ts";
import type { EditorSession, Opening } from "./editor-session.ts";

/** What an editor asks for when it opens a session. */
export interface Wanted extends Omit<Opening, "line" | "gone"> {
  readonly editor: AgentContext;
  readonly client: ClientCapabilities;
  /** The editor wants to be told what was said before. */
  readonly retells?: boolean;
}

export interface EditorSessions {
  readonly open: (wanted: Wanted) => Promise<NewSessionResponse>;
  readonly find: (id: string) => EditorSession | undefined;
  /** Throws the protocol's error if there is none. */
  readonly get: (id: string) => EditorSession;
  /** Ends it, if it is open. */
  readonly close: (id: string) => Promise<void>;
  /** Returns what went wrong, one line each. */
  readonly closeAll: () => Promise<readonly string[]>;
}

export function createSessions(line: Invocation<Flags>): EditorSessions {
  const open = new Map<string, EditorSession>();
  const opening = new Set<Promise<EditorSession>>();
  const gone = new AbortController();
  const find = (id: string): EditorSession | undefined => open.get(id);
  return {
    find,
    get(id) {
      const found = find(id);
      if (found === undefined)
        throw new RequestError(
          NOT_FOUND,
          `session ${briefValue(id)} is not open: session/load and session/resume open one that session/list names, session/new opens another`,
          { uri: id },
        );
      return found;
    },
    async open({ retells = false, ...wanted }) {
      requireId(wanted.resume);
      // An editor that was reloaded asks again for what is still open here.
      if (wanted.resume !== undefined && wanted.forks !== true) await this.close(wanted.resume);
      const made = import("./editor-session.ts").then(async ({ openEditorSession }) => {
        const session = await openEditorSession({ ...wanted, line, gone: gone.signal });
        open.set(session.id, session);
        return session;
      });
      opening.add(made);
      const session = await made.finally(() => opening.delete(made));
      if (retells) await session.retell();
      session.afterAnswer();
      return { sessionId: session.id, ...session.choices() };
    },
    async close(id) {
      const session = find(id);
      open.delete(id);
      await session?.close();
    },
    async closeAll() {
      gone.abort();
      await Promise.allSettled(opening);
      const problems = await Promise.all([...open.values()].map((session) => session.close()));
      open.clear();
      return problems.flat();
    },
  };
}

/** A path would be any log on this machine, such as one that a repository brought. */
function requireId(resume: string | undefined): void {
  if (resume === undefined || /^[\w.-]+$/.test(resume)) return;
  throw new RequestError(
    INVALID_PARAMS,
    `session ${JSON.stringify(resume)} not found: expected the id of a session`,
  );
}

const INVALID_PARAMS = -32602;
/** The protocol's code for what is not there. */
export const NOT_FOUND = -32002;
