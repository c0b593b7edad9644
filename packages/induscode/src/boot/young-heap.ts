// A console stays open for hours, so its memory use matters more than the last tenth of its speed.

import type { Conductor } from "../conductor/contract.ts";

/** The option is V8's own; a later V8 without it would print a line on the screen. */
const KNOWN_TO_NODE = 26;
/** A start has 20 MiB; a session that ends soon never gets this far. */
const LARGE_HEAP_BYTES: number = 26 * 1024 * 1024;

/**
 * Stops V8's young generation from growing once a session has grown: it stays at some megabytes instead of becoming sixteen, three times.
 * Not earlier, because once an option has changed, V8 rejects the compiled code from the build for parts that are loaded later.
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
