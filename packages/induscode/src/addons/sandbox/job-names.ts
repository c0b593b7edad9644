// What comes to stand under a protected name while jobs of the model run in the background. It is put away as after a command:
// when another command begins, when something runs outside of the sandbox, and when the job ends.

import { guardedPlaces, type PutAway, putAway } from "./command-guard.ts";

export interface JobNames {
  /** A job begins; what is answered is called at its end. */
  readonly begin: () => () => void;
  /** Puts away what is new since then, where a job runs. */
  readonly sweep: () => void;
  /** What was put away and not reported yet. */
  readonly told: () => readonly PutAway[];
  /** What appears there meanwhile does not belong to a job. */
  readonly outside: <T>(run: () => Promise<T>) => Promise<T>;
}

/** Looks at nothing as long as no job runs. */
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
