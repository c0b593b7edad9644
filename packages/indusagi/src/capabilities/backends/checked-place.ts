// One operation of checked-fs.ts: open, check, work on the handle, close.

import { describeError, errorCode } from "../../core/faults.ts";
import type { FileAttempt } from "../kernel/contract.ts";
import type { OpenPlace, Place, PlaceOptions } from "./place.ts";
import type { ScopeGuard } from "./scope-guard.ts";

/** How often an operation starts over when something on the path is swapped meanwhile. */
const TRIES = 20;

/** What each operation needs. */
export interface CheckedPlaces {
  readonly open: OpenPlace;
  readonly guard: ScopeGuard;
}

/** Opens the path, checks its place, works on the handle, and closes it. */
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

/** A system error that names the place's real path instead of the handle's. */
export function byItsName(error: unknown, { path, realPath }: Place): unknown {
  if (!(error instanceof Error) || path === realPath || !error.message.includes(path)) return error;
  const named = new Error(describeError(error).replaceAll(path, realPath));
  return Object.assign(named, { code: errorCode(error) });
}

/** Retries, up to a limit, while something on the path is being swapped. */
export async function steady<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (errorCode(error) !== "EBUSY" || tries === TRIES) throw error;
    }
  }
}
