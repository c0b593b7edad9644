// A console stays for hours, and what it takes of the machine counts more than the last tenth of its speed.

import type { Conductor } from "../conductor/contract.ts";

/** The option is V8's own, and one that a later V8 no longer has would be a line on the screen. */
const KNOWN_TO_NODE = 26;
/** A start has 20; a session that is soon over never comes as far. */
const LARGE_HEAP_BYTES: number = 26 * 1024 * 1024;

/**
 * Keeps V8's young generation as it is once a session has grown: some megabytes, where it would become sixteen, three times. Not before,
 * because V8 refuses the code that the build compiled for parts which are loaded after an option has changed.
 */
export function keepYoungHeapSmall({ subscribe }: Pick<Conductor, "subscribe">): void {
  if (Number.parseInt(process.versions.node, 10) > KNOWN_TO_NODE) return;
  const { getHeapStatistics, setFlagsFromString } = process.getBuiltinModule("node:v8");
  const stop = subscribe(
    (event) => {
      if (event.kind !== "entry" || event.entry.type !== "request") return;
      if (getHeapStatistics().total_heap_size < LARGE_HEAP_BYTES) return;
      setFlagsFromString("--semi-space-growth-factor=1");
      stop();
    },
    { pieces: false },
  );
}
