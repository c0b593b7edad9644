import { createDisposer, type Disposer } from "indusagi/core";

/** Calls `stop` on the first SIGINT or SIGTERM; a second one ends the process as the shell expects (128 + number). */
export function stopOnSignals(stop: () => void): Disposer {
  let stopping = false;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (stopping) process.exit(signal === "SIGTERM" ? 143 : 130);
    stopping = true;
    stop();
  };
  process.on("SIGINT", onSignal).on("SIGTERM", onSignal);
  return createDisposer(() => process.off("SIGINT", onSignal).off("SIGTERM", onSignal));
}
