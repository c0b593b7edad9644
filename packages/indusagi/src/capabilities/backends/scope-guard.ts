// Where a path really leads, whether the scope permits that place, and the words of a refusal.

import { dirname, resolve } from "node:path";
import type { Fs } from "../kernel/contract.ts";
import { type FsScope, ScopeError } from "./scoped.ts";

/** One operation on one path, as a refusal names it. */
export interface Attempt {
  /** A verb: "read", "make the folder". */
  readonly operation: string;
  /** As the caller gave it. */
  readonly path: string;
  readonly right: "read" | "write";
}

export class ScopeGuard {
  readonly #inner: Fs;
  readonly #scope: FsScope;

  constructor(inner: Fs, scope: FsScope) {
    this.#inner = inner;
    this.#scope = scope;
  }

  /** Throws a {@link ScopeError} unless the scope permits the attempt at `realPath`. */
  require(realPath: string, attempt: Attempt): void {
    if (!this.#permits(realPath, attempt)) throw new ScopeError(this.#refusal(realPath, attempt));
  }

  /**
   * What `find` answers for the path. Its failure is passed on only from a permitted neighbourhood: otherwise it would
   * tell what lies in a forbidden one.
   */
  async locate<Found>(attempt: Attempt, find: (asked: string) => Promise<Found>): Promise<Found> {
    const asked = resolve(attempt.path);
    try {
      return await find(asked);
    } catch (error) {
      const nearest = await this.#nearestLocated(asked);
      if (nearest !== undefined) this.require(nearest, attempt);
      throw error;
    }
  }

  /** Runs `work` at `place`, a real path, if that is permitted and `find` still answers a permitted one afterwards. */
  async perform<Result>(
    attempt: Attempt,
    place: string,
    { work, find }: { work: (place: string) => Promise<Result>; find: (place: string) => Promise<string> },
  ): Promise<Result> {
    this.require(place, attempt);
    const result = await work(place);
    const after = await find(place);
    if (!this.#permits(after, attempt)) {
      const done = attempt.right === "write" ? " The change may have been made there: look at it." : "";
      throw new ScopeError(
        `${this.#refusal(after, attempt)} It led to ${JSON.stringify(place)} when it was checked: ` +
          `something replaced a part of the path meanwhile.${done}`,
      );
    }
    return result;
  }

  // By halves, because a path may have thousands of folders. A failure here means "look further up" and no more: the
  // one to report is that of the path itself.
  async #nearestLocated(path: string): Promise<string | undefined> {
    const folders = foldersAbove(path);
    let nearest: string | undefined;
    for (let low = 0, high = folders.length; low < high; ) {
      const middle = (low + high) >> 1;
      try {
        nearest = await this.#inner.realPath(folders[middle] ?? path);
        low = middle + 1;
      } catch {
        high = middle;
      }
    }
    return nearest;
  }

  #permits(realPath: string, { right }: Attempt): boolean {
    return right === "read" ? this.#scope.mayRead(realPath) : this.#scope.mayWrite(realPath);
  }

  #refusal(realPath: string, { operation, path, right }: Attempt): string {
    const [asked, real] = [JSON.stringify(path), JSON.stringify(realPath)];
    const leads = path === realPath ? "it" : `it leads to ${real}, which`;
    const allowed = this.#scope.allows === undefined ? "" : ` (allowed: ${this.#scope.allows})`;
    return (
      `cannot ${operation} ${asked}: ${leads} is outside what this scope may ${right}${allowed}. ` +
      `Grant ${right} access to ${real} to allow it.`
    );
  }
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
