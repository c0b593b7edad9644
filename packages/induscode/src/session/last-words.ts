// Unexpected ends of the process: an uncaught error, or nothing left to wait for. What must still be done is done
// synchronously, because nothing asynchronous runs any more.

import { existsSync } from "node:fs";
import { createDisposer, type Disposer } from "indusagi/core";

/** Returns the path of a log it left whole, if any. */
type LastWork = (why: string) => string | undefined;

const works = new Set<LastWork>();

/** `work` must be synchronous. It gets the reason, in one sentence, and returns the path of a log that is now whole. */
export function atUnaskedEnd(work: LastWork): Disposer {
  const own: LastWork = (why) => work(why); // a separate entry each, even for the same function
  works.add(own);
  return createDisposer(() => works.delete(own));
}

/** Does what must still be done, newest first. A failure does not affect the rest. Returns the logs. Never throws. */
export function endUnasked(why: string): readonly string[] {
  const kept: string[] = [];
  for (const work of [...works].reverse()) {
    works.delete(work);
    try {
      const log = work(why);
      if (log !== undefined && existsSync(log)) kept.push(log); // a session in which nothing was said has no log
    } catch {
      // The caller reports the end itself; nothing more can be reported here.
    }
  }
  return kept;
}
