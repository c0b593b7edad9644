// The parts of a session, as one.

import type { AfterChange, SessionPart } from "../cli/part.ts";
import type { TurnHooks } from "../conductor/conductor-deps.ts";
import type { Entry } from "../conductor/contract.ts";
import type { SessionHost } from "../feature/host.ts";
import type { Access } from "../feature/tool.ts";

export interface JoinedParts {
  readonly host: (sessionId: () => string) => Partial<SessionHost>;
  readonly beforeChange: (touched: readonly Access[]) => Promise<AfterChange>;
  readonly turn: TurnHooks;
  readonly entered: (entries: readonly Entry[]) => void;
  readonly afterSummary: () => readonly string[];
  readonly stop: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** `parts` may grow: each of these asks those that are there by then. */
export function joinParts(parts: readonly SessionPart[]): JoinedParts {
  return {
    host: (sessionId) => Object.assign({}, ...parts.map(({ host }) => host?.(sessionId))),
    async beforeChange(touched) {
      const after: AfterChange[] = [];
      for (const part of parts) if (part.beforeChange) after.push(await part.beforeChange(touched));
      return (runsOn) => {
        for (const each of after) each(runsOn);
      };
    },
    turn: {
      begin() {
        for (const { turn } of parts) turn?.begin();
      },
      async end() {
        const bodies = [];
        for (const { turn } of parts) bodies.push(await turn?.end());
        return bodies.filter((body) => body !== undefined);
      },
    },
    entered(entries) {
      for (const part of parts) part.entered?.(entries);
    },
    afterSummary: () => parts.flatMap((part) => part.afterSummary?.() ?? []),
    async stop() {
      for (const part of parts) await part.stop?.();
    },
    async close() {
      for (const part of parts) await part.close?.();
    },
  };
}
