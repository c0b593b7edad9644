// What the log could not take: the code that keeps it is loaded with the first failure.

import { LogError } from "./log.ts";
import type { Unwritten, UnwrittenFacts } from "./unwritten.ts";

const WOULD_BE_LOST =
  "Leaving this session would lose entries that could not be written: send a line, then choose where to write them.";

export interface LazyUnwritten {
  /** Asks the person where to write what the log could not take; returns what the end of the task says. */
  readonly ask: (error: LogError, signal: AbortSignal) => Promise<string>;
  /** Writes what is left. Throws a `LogError`. */
  readonly write: () => void;
  /** The same, before another session takes this one's place. */
  readonly writeBeforeLeaving: () => void;
  /** Another session has taken its place. */
  readonly restart: () => void;
}

interface LazyFacts extends Omit<UnwrittenFacts, "whereToWrite"> {
  /** Absent if nobody can answer. */
  readonly whereToWrite: UnwrittenFacts["whereToWrite"] | undefined;
}

export function createLazyUnwritten({ record, whereToWrite, onWritten }: LazyFacts): LazyUnwritten {
  let unwritten: Unwritten | undefined;
  return {
    async ask(error, signal) {
      if (!whereToWrite) return error.message;
      const { createUnwritten } = await import("./unwritten.ts");
      unwritten ??= createUnwritten({ record, whereToWrite, onWritten });
      return unwritten.keep(error, signal);
    },
    write: () => unwritten?.write(),
    writeBeforeLeaving() {
      try {
        unwritten?.write();
      } catch (error) {
        if (!(error instanceof LogError)) throw error;
        throw new LogError(`${error.message}. ${WOULD_BE_LOST}`);
      }
    },
    restart() {
      unwritten = undefined;
    },
  };
}
