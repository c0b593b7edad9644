// The clock of `indus addon test`: it starts at a fixed instant and advances one second per log entry, so that two identical
// runs write the same log.

import { useWallClock } from "indusagi/core";
import type { SessionLog } from "../../conductor/log.ts";

/** The start time of every test. */
export const VIRTUAL_START: string = "2026-01-01T00:00:00.000Z";
const STEP_MS = 1_000;

export interface VirtualClock {
  /** Wraps the log so that its entries advance the clock. A tool's real duration is not logged. */
  readonly keepLog: (log: SessionLog) => SessionLog;
  /** The machine's clock applies again. */
  readonly release: () => void;
}

/** Replaces this process's wall clock until it is released. */
export function createVirtualClock(): VirtualClock {
  let now = Date.parse(VIRTUAL_START);
  const release = useWallClock(() => now);
  return {
    release,
    keepLog: (log) => ({
      ...log,
      append(body) {
        now += STEP_MS;
        return log.append(body.type === "tool" ? { ...body, durationMs: 0 } : body);
      },
    }),
  };
}
