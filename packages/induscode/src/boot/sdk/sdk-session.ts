// A session that a program holds: the same wherever it runs.

import type { UserContent } from "../../conductor/contract.ts";
import type { TaskEvent, TaskResult } from "./task-events.ts";

/** A session that is open until {@link SdkSession.close}. What cannot be meant, and what comes after that, is a `Problem`. */
export interface SdkSession<Output = undefined> {
  /** Its id, for `resume`. A fork and a rewind continue in a session of another id. */
  readonly id: () => string;
  /** Runs one task to its end. Never rejects; a second task during a run ends `faulted` with the kind `busy`. */
  readonly submit: (prompt: string | UserContent) => Promise<TaskResult<Output>>;
  /** Adds a line to the running task: the model reads it at its next call. If none runs, it waits for the next task. */
  readonly steer: (line: string) => void;
  /** Ends the running task and its commands within 100 ms. Does nothing if none runs. */
  readonly interrupt: () => void;
  /**
   * Goes on in a fork without the last `back` lines and what followed them; the session itself stays. Only while no task runs. Resolves to the
   * fork's id; rejects with a `Problem` that says why not.
   */
  readonly fork: (back: number) => Promise<string>;
  /** Takes conversation and files back to before line `line`, counted from 1. Resolves to what was done, or why nothing was, in words. */
  readonly rewind: (line: number) => Promise<string>;
  /** Lines for a person from before anybody could listen: problems in the settings, what was left out and why. */
  readonly notices: readonly string[];
  /** Every event from now on, until the returned function is called. */
  readonly subscribe: (listener: (event: TaskEvent) => void) => () => void;
  /** Ends a running task, the session and its processes. Returns what went wrong, one line each. */
  readonly close: () => Promise<readonly string[]>;
}
