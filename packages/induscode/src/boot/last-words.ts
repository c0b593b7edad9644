// The end that nobody asked for: an error that nothing caught, or nothing left to wait for. What must still be done is done
// at once: nothing asynchronous happens any more.

import { createDisposer, type Disposer } from "indusagi/core";

type LastWork = (why: string) => void;

const works = new Set<LastWork>();

/** `work` must be synchronous. It hears why, in one sentence. */
export function atUnaskedEnd(work: LastWork): Disposer {
  const own: LastWork = (why) => work(why); // one entry each, even for the same function
  works.add(own);
  return createDisposer(() => works.delete(own));
}

/** Does what must still be done, the newest first. What of it fails harms nothing else. Never throws. */
export function endUnasked(why: string): void {
  for (const work of [...works].reverse()) {
    works.delete(work);
    try {
      work(why);
    } catch {
      // The end itself is told by whoever calls this, and there is nobody left to tell more.
    }
  }
}
