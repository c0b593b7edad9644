// How signals stop the process: work is stopped in order, so that the log gets its end and no command keeps running, and the process
// exits as a shell expects.

import { constants } from "node:os";
import { createDisposer, type Disposer } from "indusagi/core";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

let isStopping = false;

/** Whether a signal asked this process to end: then exiting with its code is what was requested. */
export function isStopped(): boolean {
  return isStopping;
}

export interface SignalWatch {
  readonly release: () => void;
  /** 128 plus the number of the signal that came; `code` if there was none. */
  readonly exitCode: (code: number) => number;
}

/** Calls `stop` at the first signal. A second one ends the process at once, except SIGHUP: a closing terminal sends it more than once. */
export function stopOnSignals(stop: () => void): SignalWatch {
  let first: NodeJS.Signals | undefined;
  const codeOf = (signal: NodeJS.Signals): number => 128 + (constants.signals[signal] ?? 0);
  const onSignal = (signal: NodeJS.Signals): void => {
    isStopping = true;
    if (first && signal !== "SIGHUP") process.exit(codeOf(signal));
    if (!first) stop();
    first ??= signal;
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  return {
    release: () => {
      for (const signal of SIGNALS) process.off(signal, onSignal);
    },
    exitCode: (code) => (first ? codeOf(first) : code),
  };
}

/** Runs `work`, which must be synchronous, before a signal ends the process as it would without a listener. */
export function tidyOnSignals(work: () => void): Disposer {
  const onSignal = (signal: NodeJS.Signals): void => {
    release();
    try {
      work();
    } finally {
      process.kill(process.pid, signal);
    }
  };
  const release = (): void => {
    for (const signal of SIGNALS) process.off(signal, onSignal);
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  return createDisposer(release);
}
