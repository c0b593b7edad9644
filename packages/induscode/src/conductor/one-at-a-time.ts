// A session does one thing at a time: a submit, a compaction, a jump.

import type { ConductorFault, SubmitEnd } from "./contract.ts";
import { LogError } from "./log.ts";
import { maskedEnd, type NO_MASK } from "./masked.ts";

type Work = (signal: AbortSignal) => Promise<SubmitEnd>;

export interface OneAtATime {
  readonly isBusy: () => boolean;
  /** Runs something to its end. A failing log ends it as a fault, since nothing unlogged may proceed; `onLogError` returns what that fault says. */
  readonly run: (
    work: Work,
    onLogError?: (error: LogError, signal: AbortSignal) => Promise<string>,
  ) => Promise<SubmitEnd>;
  /** Runs something that takes time but is not a submit. */
  readonly runAside: (
    work: (signal: AbortSignal) => Promise<ConductorFault | undefined>,
  ) => Promise<ConductorFault | undefined>;
  /** Does something that takes no time, if nothing runs. */
  readonly whenIdle: <Done>(work: () => Done) => Done | { readonly fault: ConductorFault };
  readonly abort: () => void;
  /** Resolves when nothing runs any more. */
  readonly settled: () => Promise<unknown>;
}

/** `first` is called before anything that takes time; it may throw a `LogError`. */
export function createOneAtATime(mask: typeof NO_MASK, first: () => void): OneAtATime {
  let running: { readonly controller: AbortController; readonly done: Promise<unknown> } | undefined;
  return {
    isBusy: () => running !== undefined,
    run,
    async runAside(work) {
      const end = await run(async (signal) => {
        const fault = await work(signal);
        return fault ? { kind: "faulted", fault } : { kind: "complete", text: "", stop: "complete" };
      });
      return end.kind === "faulted" ? end.fault : undefined;
    },
    whenIdle(work) {
      if (running) return { fault: busyFault() };
      try {
        return work();
      } catch (error) {
        return { fault: logFault(error) };
      }
    },
    abort: () => running?.controller.abort(),
    settled: async () => running?.done,
  };

  async function run(
    work: Work,
    onLogError?: (error: LogError, signal: AbortSignal) => Promise<string>,
  ): Promise<SubmitEnd> {
    if (running) return { kind: "faulted", fault: busyFault() };
    const controller = new AbortController();
    const { signal } = controller;
    const done = begin(work, signal).catch(async (error: unknown): Promise<SubmitEnd> => {
      const fault = logFault(error);
      if (!(onLogError && error instanceof LogError)) return { kind: "faulted", fault };
      return { kind: "faulted", fault: { ...fault, message: await onLogError(error, signal) } };
    });
    running = { controller, done };
    try {
      return maskedEnd(mask, await done);
    } finally {
      running = undefined;
    }
  }

  async function begin(work: Work, signal: AbortSignal): Promise<SubmitEnd> {
    first();
    return work(signal);
  }
}

function busyFault(): ConductorFault {
  return { kind: "busy", message: "The session is busy. Wait for the answer, or stop it first." };
}

/** What a failing log is for the person. Any other error is thrown on. */
export function logFault(error: unknown): ConductorFault {
  if (!(error instanceof LogError)) throw error;
  return { kind: "log", message: error.message, cause: error };
}
