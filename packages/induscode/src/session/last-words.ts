// The end that nobody asked for: an error that nothing caught, or nothing left to wait for. What must still be done is done
// at once: nothing asynchronous happens any more.

import { existsSync } from "node:fs";
import { createDisposer, type Disposer } from "indusagi/core";

/** Answers the path of a log that it left whole, if there is one. */
type LastWork = (why: string) => string | undefined;

const works = new Set<LastWork>();

/** `work` must be synchronous. It hears why, in one sentence, and answers the path of a log that is whole now. */
export function atUnaskedEnd(work: LastWork): Disposer {
  const own: LastWork = (why) => work(why); // one entry each, even for the same function
  works.add(own);
  return createDisposer(() => works.delete(own));
}

/** Does what must still be done, the newest first. What of it fails harms nothing else. Answers the logs. Never throws. */
export function endUnasked(why: string): readonly string[] {
  const kept: string[] = [];
  for (const work of [...works].reverse()) {
    works.delete(work);
    try {
      const log = work(why);
      if (log !== undefined && existsSync(log)) kept.push(log); // one that nothing was said in is not there
    } catch {
      // Whoever calls this reports the end itself; nothing more can be reported.
    }
  }
  return kept;
}
