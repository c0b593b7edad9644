// What a scoped backend may touch, as plain predicates, and how it says no. scoped-fs.ts and scoped-shell.ts enforce.

import { isInside } from "../../core/paths.ts";

/**
 * Which files may be read and written. Asked with real paths only: absolute, every link resolved, letters as stored
 * on disk (of a missing entry: as asked, so protect names in any case). Must not throw; a throw refuses.
 */
export interface FsScope {
  readonly mayRead: (realPath: string) => boolean;
  readonly mayWrite: (realPath: string) => boolean;
  /** What is allowed, in words: ends the message of a refusal. */
  readonly allows?: string;
}

/** Which commands may run and which variables they get. `cwd` is as the caller gave it; resolve links before. */
export interface ShellScope {
  readonly mayExecute: (command: string, cwd: string) => boolean;
  readonly permitsEnv: (name: string) => boolean;
}

/** A scoped backend's refusal. Its code is the system's, so that callers that know files treat it as forbidden. */
export class ScopeError extends Error {
  override readonly name = "ScopeError";
  readonly code = "EACCES";

  constructor(message: string) {
    super(`EACCES: ${message}`);
  }
}

// Reading these may act, never ends, or shows other processes: a scope above them does not reach into them.
const KERNEL_FOLDERS: readonly string[] = ["/dev", "/proc", "/sys"];

/**
 * Reading and writing at and below `realRoot`. Give the root's real path: a root that is itself a link covers nothing,
 * because what lies below it is really elsewhere.
 */
export function confinedTo(realRoot: string): FsScope {
  const covers = (realPath: string): boolean =>
    isInside(realRoot, realPath) &&
    !KERNEL_FOLDERS.some((folder) => isInside(realRoot, folder) && isInside(folder, realPath));
  return { mayRead: covers, mayWrite: covers, allows: `paths inside '${realRoot}'` };
}
