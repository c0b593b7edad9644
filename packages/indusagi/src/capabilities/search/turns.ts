// Long work on the main thread, cut up so that timers, input and drawing have their turn.

const TURN_MS = 10;

/** Call between steps: does nothing until 10 ms have passed since the last turn, then lets the event loop turn. */
export function createTurns(): () => Promise<void> | undefined {
  let startedAt = performance.now();
  return () => {
    if (performance.now() - startedAt < TURN_MS) return undefined;
    return new Promise((resolve) =>
      setImmediate(() => {
        startedAt = performance.now();
        resolve();
      }),
    );
  };
}
