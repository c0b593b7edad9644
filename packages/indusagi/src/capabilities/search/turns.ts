// Splits long work on the main thread, so that timers, input and drawing get their turn.

const TURN_MS = 10;

/** Call between steps: does nothing until 10 ms have passed since the last yield, then yields to the event loop. */
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
