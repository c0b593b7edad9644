// What a scoped backend can touch, as plain predicates, and how it refuses. Enforced by scoped-fs.ts and scoped-shell.ts.

import { isErrorOf } from "../../core/copies.ts";
import { isInside } from "../../core/paths.ts";

/**
 * Which files may be read and written. Called with real paths only: absolute, every link resolved, spelled as stored on disk
 * (for a missing entry: as asked, so protect names in any case). Must not throw; a throw refuses.
 */
export interface FsScope {
  readonly mayRead: (realPath: string) => boolean;
  readonly mayWrite: (realPath: string) => boolean;
  /** What is allowed, in words: the end of a refusal's message. */
  readonly allows?: string | undefined;
}

/** Which commands may run and which variables they get. `cwd` is as the caller gave it; resolve links first. */
export interface ShellScope {
  readonly mayExecute: (command: string, cwd: string) => boolean;
  readonly permitsEnv: (name: string) => boolean;
}

/** A scoped backend's refusal. It has the system's error code, so that code that handles file errors treats it as forbidden. */
export class ScopeError extends Error {
  override readonly name = "ScopeError";
  readonly code = "EACCES";

  constructor(message: string) {
    super(`EACCES: ${message}`);
  }

  static override [Symbol.hasInstance](error: unknown): boolean {
    // biome-ignore lint/complexity/noThisInStatic: `this` is the class that was asked about, which may extend this one
    return isErrorOf(this, ScopeError, "ScopeError", error);
  }
}

// Reading these can have side effects, never end, or show other processes: a scope above them does not include them.
const KERNEL_FOLDERS: readonly string[] = ["/dev", "/proc", "/sys"];

/**
 * Allows reading and writing at and below `realRoot`. Pass the root's real path: a root that is itself a link covers nothing,
 * because what is below it is really elsewhere.
 */
export function confinedTo(realRoot: string): FsScope {
  const covers = (realPath: string): boolean =>
    isInside(realRoot, realPath) &&
    !KERNEL_FOLDERS.some((folder) => isInside(realRoot, folder) && isInside(folder, realPath));
  return { mayRead: covers, mayWrite: covers, allows: `paths inside '${realRoot}'` };
}
