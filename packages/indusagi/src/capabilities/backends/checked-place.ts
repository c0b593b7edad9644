// One operation of checked-fs.ts: open, ask, work on what is open, close.

import { describeError, errorCode } from "../../core/faults.ts";
import type { FileAttempt } from "../kernel/contract.ts";
import type { OpenPlace, Place, PlaceOptions } from "./place.ts";
import type { ScopeGuard } from "./scope-guard.ts";

/** How often the search for a place begins again when something on the way is exchanged meanwhile. */
const TRIES = 20;

/** What one operation works with. */
export interface CheckedPlaces {
  readonly open: OpenPlace;
  readonly guard: ScopeGuard;
}

/** Opens the path, asks for its place, works on what is open, and closes it. */
export async function at<Result>(
  { open, guard }: CheckedPlaces,
  attempt: FileAttempt,
  options: PlaceOptions,
  work: (place: Place) => Promise<Result>,
): Promise<Result> {
  const place = await guard.locate(attempt, (asked) => open(asked, options));
  try {
    guard.require(place.realPath, attempt);
    const result = await work(place);
    await place.confirm();
    return result;
  } catch (error) {
    throw byItsName(error, place);
  } finally {
    place.close();
  }
}

/** An error of the system with the place's real path instead of the handle's. */
export function byItsName(error: unknown, { path, realPath }: Place): unknown {
  if (!(error instanceof Error) || path === realPath || !error.message.includes(path)) return error;
  const named = new Error(describeError(error).replaceAll(path, realPath));
  return Object.assign(named, { code: errorCode(error) });
}

/** Begins again, a bounded number of times, while something on the way is being exchanged. */
export async function steady<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (errorCode(error) !== "EBUSY" || tries === TRIES) throw error;
    }
  }
}
