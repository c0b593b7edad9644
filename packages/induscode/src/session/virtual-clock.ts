// The clock of `indus addon test`: it starts at one instant and goes on by one second for each entry of the log, so that
// two runs of the same thing write the same log.

import { useWallClock } from "indusagi/core";
import type { SessionLog } from "../conductor/log.ts";

/** When every test begins. */
export const VIRTUAL_START: string = "2026-01-01T00:00:00.000Z";
const STEP_MS = 1_000;

export interface VirtualClock {
  /** The log, whose entries move the clock. How long a tool really took is left out of it. */
  readonly keepLog: (log: SessionLog) => SessionLog;
  /** The machine's clock counts again. */
  readonly release: () => void;
}

/** Takes over this process's wall clock until it is released. */
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
