// How much memory this process came to hold: its resident size, looked at every 20 ms.

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

export interface MemoryWatch {
  /** The most that came on top of what was there at the start, in bytes. Ends the watch. */
  readonly stop: () => number;
}

const EVERY_MS = 20;

/** Collects what is garbage first, so that what comes after it is growth. */
export function watchMemory(): MemoryWatch {
  collect();
  const before = process.memoryUsage.rss();
  let peak = before;
  const look = (): void => {
    peak = Math.max(peak, process.memoryUsage.rss());
  };
  const timer = setInterval(look, EVERY_MS);
  return {
    stop() {
      clearInterval(timer);
      look();
      return peak - before;
    },
  };
}

function collect(): void {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
}
