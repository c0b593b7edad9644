// Where a path really leads, whether the scope permits that place, and the text of a refusal.

import { dirname, resolve } from "node:path";
import type { FileAttempt, Fs, PlaceCheck } from "../kernel/contract.ts";
import { type FsScope, ScopeError } from "./scoped.ts";

/** `scope` as the check that each operation makes on the place it has found. */
export function checkOf(scope: FsScope): PlaceCheck {
  return (realPath, attempt) => {
    const isPermitted = attempt.right === "read" ? scope.mayRead(realPath) : scope.mayWrite(realPath);
    return isPermitted ? undefined : new ScopeError(refusal(realPath, attempt, scope));
  };
}

export class ScopeGuard {
  readonly #realPath: Fs["realPath"];
  readonly #check: PlaceCheck;

  constructor({ realPath }: Pick<Fs, "realPath">, check: PlaceCheck) {
    this.#realPath = realPath;
    this.#check = check;
  }

  /** Throws a {@link ScopeError} unless the attempt is permitted at `realPath`. */
  require(realPath: string, attempt: FileAttempt): void {
    const refused = this.#check(realPath, attempt);
    if (refused) throw refused;
  }

  permits(realPath: string, attempt: FileAttempt): boolean {
    return this.#check(realPath, attempt) === undefined;
  }

  /**
   * The result of `find` for the path. Its error is passed on only if the nearest existing place is permitted: otherwise the
   * error would reveal what is in a forbidden one.
   */
  async locate<Found>(attempt: FileAttempt, find: (asked: string) => Promise<Found>): Promise<Found> {
    const asked = resolve(attempt.path);
    try {
      return await find(asked);
    } catch (error) {
      const nearest = await this.#realPath(asked).catch(() => this.#nearestLocated(asked));
      if (nearest !== undefined) this.require(nearest, attempt);
      throw error;
    }
  }

  /** Runs `work` at `place`, a real path, if that is permitted and `find` still returns a permitted place afterwards. */
  async perform<Result>(
    attempt: FileAttempt,
    place: string,
    { work, find }: { work: (place: string) => Promise<Result>; find: (place: string) => Promise<string> },
  ): Promise<Result> {
    this.require(place, attempt);
    const result = await work(place);
    const refused = this.#check(await find(place), attempt);
    if (refused) {
      const done = attempt.right === "write" ? " The change may have been made there: check it." : "";
      throw new ScopeError(
        `${refused.message.replace(/^EACCES: /, "")} It resolved to ${JSON.stringify(place)} when it was checked: ` +
          `part of the path was replaced in the meantime.${done}`,
      );
    }
    return result;
  }

  // A binary search, because a path can have thousands of folders. A failure here only means "look further up"; the error to
  // report is that of the path itself.
  async #nearestLocated(path: string): Promise<string | undefined> {
    const folders = foldersAbove(path);
    let nearest: string | undefined;
    for (let low = 0, high = folders.length; low < high; ) {
      const middle = (low + high) >> 1;
      try {
        nearest = await this.#realPath(folders[middle] ?? path);
        low = middle + 1;
      } catch {
        high = middle;
      }
    }
    return nearest;
  }
}

function refusal(
  realPath: string,
  { operation, path, right }: FileAttempt,
  { allows }: Pick<FsScope, "allows">,
): string {
  const [asked, real] = [JSON.stringify(path), JSON.stringify(realPath)];
  const leads = path === realPath ? "it" : `it resolves to ${real}, which`;
  const allowed = allows === undefined ? "" : ` (allowed: ${allows})`;
  return (
    `cannot ${operation} ${asked}: ${leads} is outside what this scope may ${right}${allowed}. ` +
    `Grant ${right} access to ${real} to allow it.`
  );
}

/** Outermost first. */
function foldersAbove(path: string): readonly string[] {
  const folders: string[] = [];
  for (let folder = path; folder !== dirname(folder); ) {
    folder = dirname(folder);
    folders.push(folder);
  }
  return folders.reverse();
}
