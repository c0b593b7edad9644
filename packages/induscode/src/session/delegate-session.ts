// A delegate's session, opened by the session that it works for.

import type { SubagentProfile } from "../briefing/contract.ts";
import type { Conductor } from "../conductor/contract.ts";
import type { OpenedLog } from "../conductor/log.ts";
import { hasTool } from "../deck/builtins/delegate-roles.ts";
import { type Permissions, permissionsOf } from "../deck/permissions/permissions.ts";
import type { JoinedParts } from "./joined-parts.ts";
import type { DelegateFacts, OpenDelegate, SessionFacts } from "./open-facts.ts";

/** The session that hands on the work. */
export interface Delegating {
  readonly facts: SessionFacts;
  readonly conductor: Pick<Conductor, "status">;
  readonly permissions: Permissions;
  readonly parts: Pick<JoinedParts, "host" | "beforeChange">;
}

/** With its own conversation and log, but with the features and permissions of the session that it works for. Throws a `LogError`. */
export function delegateFacts(
  { facts, conductor, permissions, parts }: Delegating,
  profile: SubagentProfile,
  { maxTurns, model: named, isUnattended, author, continues }: OpenDelegate,
): SessionFacts {
  const { delegates: given, ...rest } = facts;
  if (!given) throw new Error("this session cannot delegate");
  const { model, params } = conductor.status();
  const { log, entries, fold } = openedLog(given, continues);
  const limits = [given.maxTurns, profile.maxTurns, maxTurns].filter((limit) => limit !== undefined);
  return {
    ...rest,
    delegate: { name: profile.name, hasTool: (tool) => hasTool(profile, tool), author },
    // What it changes is a change of that session. It hands nothing on.
    join: () => [
      {
        host: (sessionId) => ({ ...parts.host(sessionId), sessions: undefined }),
        beforeChange: parts.beforeChange,
      },
    ],
    words: given.words(profile),
    permissions: () => permissionsOf(profile.name, permissions, isUnattended),
    logs: { log, entries, fold, nextLog: given.nextLog },
    model: {
      ...facts.model,
      modelName: named ?? profile.model ?? model,
      params,
      maxTurns: Math.min(...limits),
    },
  };
}

function openedLog(
  { nextLog, openLog }: DelegateFacts,
  continues: string | undefined,
): Pick<OpenedLog, "log" | "entries"> & Partial<OpenedLog> {
  return continues === undefined ? { log: nextLog(), entries: [] } : openLog(continues);
}
