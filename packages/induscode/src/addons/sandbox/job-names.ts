// Handles what appears under a protected name while the model's jobs run in the background. It is moved away as after a command: when
// another command begins, when something runs outside the sandbox, and when the job ends.

import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { isInside } from "indusagi/core";
import {
  guardedPlaces,
  isNew,
  type PutAway,
  putAway,
  type RefusedPlaces,
  type SeenNames,
} from "./command-guard.ts";

export interface JobNames {
  /** A job begins; call the returned function at its end. */
  readonly begin: () => () => void;
  /** Moves away what is new since then, while a job runs. */
  readonly sweep: () => void;
  /** What was moved away and not reported yet. */
  readonly told: () => readonly PutAway[];
  /**
   * Approved work: what appears at the places that it `writes` is its own. Where those are not known, as with a command, all that appears
   * while it runs stays, and is reported.
   */
  readonly outside: <T>(run: () => Promise<T>, writes: readonly string[] | undefined) => Promise<T>;
}

/** Does no lookups while no job runs. */
export function createJobNames(root: string, refuses?: RefusedPlaces): JobNames {
  let jobs = 0;
  let known: SeenNames = { names: new Map(), unseen: new Map() };
  const untold: PutAway[] = [];
  const look = (): void => {
    known = guardedPlaces(root, refuses);
  };
  const sweep = (): void => {
    if (jobs === 0) return;
    const moved = putAway(root, known);
    untold.push(...moved);
    if (moved.length > 0) look(); // what could not be moved is reported once
  };
  const agreeTo = (writes: readonly string[] | undefined): void => {
    const { names } = guardedPlaces(root);
    const places = writes?.map((path) => realPlace(resolve(root, path)));
    const isAnywhere = places === undefined || places.some((place) => isInside(place, root));
    const isStated = (path: string): boolean =>
      places?.some((place) => isInside(path, place) || isInside(place, path)) === true;
    if (isAnywhere)
      for (const from of names.keys()) if (isNew(known, from)) untold.push({ from, isAnybodys: true });
    const same = [...known.names].filter(([path]) => !isNew(known, path));
    const agreed = [...names].filter(([path]) => isNew(known, path) && (isAnywhere || isStated(path)));
    known = { ...known, names: new Map([...same, ...agreed]) };
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
    async outside(run, writes) {
      sweep();
      try {
        return await run();
      } finally {
        if (jobs > 0) agreeTo(writes);
      }
    },
  };
}

function realPlace(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path; // nothing was written
  }
}
