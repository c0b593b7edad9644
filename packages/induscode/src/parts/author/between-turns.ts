// Work that is done only between turns, one piece after the other.

export interface BetweenTurns {
  /** There is work: done at once, or after the running turn. Resolves when nothing is left to do, or at once during a turn. */
  readonly request: () => Promise<void>;
  /** A turn, from start to end; what was requested before is done first. */
  readonly duringTurn: <Result>(turn: () => Promise<Result>) => Promise<Result>;
  /** No more work begins; resolves once none is being done. Never rejects. */
  readonly close: () => Promise<void>;
}

/** `work` does all that is requested by then. Never rejects. */
export function createBetweenTurns(work: () => Promise<void>): BetweenTurns {
  let turns = 0;
  let isRequested = false;
  let isClosed = false;
  let working: Promise<void> | undefined;

  function settle(): Promise<void> {
    working ??= workAll().finally(() => {
      working = undefined;
    });
    return working;
  }

  async function workAll(): Promise<void> {
    while (isRequested && !isClosed && turns === 0) {
      isRequested = false;
      await work();
    }
  }

  return {
    request() {
      isRequested = true;
      return turns === 0 ? settle() : Promise.resolve();
    },
    async duringTurn(turn) {
      if (turns === 0) await settle();
      turns++;
      try {
        return await turn();
      } finally {
        turns--;
        if (turns === 0) void settle(); // it never rejects
      }
    },
    async close() {
      isClosed = true;
      await working;
    },
  };
}
