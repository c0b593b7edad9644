// Handles what appears under a protected name while the model's jobs run in the background. It is moved away as after a command: when
// another command begins, when something runs outside the sandbox, and when the job ends.

import { guardedPlaces, type PutAway, putAway } from "./command-guard.ts";

export interface JobNames {
  /** A job begins; call the returned function at its end. */
  readonly begin: () => () => void;
  /** Moves away what is new since then, while a job runs. */
  readonly sweep: () => void;
  /** What was moved away and not reported yet. */
  readonly told: () => readonly PutAway[];
  /** What appears while this runs does not belong to a job. */
  readonly outside: <T>(run: () => Promise<T>) => Promise<T>;
}

/** Does no lookups while no job runs. */
export function createJobNames(root: string): JobNames {
  let jobs = 0;
  let known: ReadonlySet<string> = new Set();
  const untold: PutAway[] = [];
  const look = (): void => {
    known = guardedPlaces(root, undefined).names;
  };
  const sweep = (): void => {
    if (jobs === 0) return;
    const moved = putAway(root, known);
    untold.push(...moved);
    if (moved.length > 0) look(); // what could not be moved is reported once
  };
  return {
    sweep,
    told: () => untold.splice(0),
    begin() {
      if (jobs === 0) look();
      jobs++;
      let isOver = false;
      return () => {
        if (isOver) return;
        isOver = true;
        sweep();
        jobs--;
      };
    },
    async outside(run) {
      sweep();
      try {
        return await run();
      } finally {
        if (jobs > 0) look();
      }
    },
  };
}
