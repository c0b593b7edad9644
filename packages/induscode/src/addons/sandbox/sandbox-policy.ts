// What an addon's own process can reach: nothing, unless it was granted. This policy decides by the text of a
// path only; whoever performs the operation checks the real path again.

import { isInside } from "indusagi/core";
import { DEFAULT_LIMITS, type ProtocolLimits } from "../process/protocol/contract.ts";
import { resolvePath } from "../source/path-hygiene.ts";

export interface SandboxPolicy {
  readonly allowFs: boolean;
  /** The folder that file access is confined to; without one, `allowFs` grants nothing. */
  readonly workspaceRoot?: string;
  /** How long one call may take, in milliseconds. */
  readonly timeoutMs: number;
  /** The names of the environment variables that are passed on. */
  readonly envAllowlist: readonly string[];
  /** For the connection to the process: sizes, depth, rate, concurrency, liveness. */
  readonly limits: ProtocolLimits;
}

export const DEFAULT_TIMEOUT_MS = 30_000;

/** Grants nothing. */
export function denyAll(): SandboxPolicy {
  return { allowFs: false, timeoutMs: DEFAULT_TIMEOUT_MS, envAllowlist: [], limits: DEFAULT_LIMITS };
}

/** Grants files at and under `root`, and nothing else. */
export function confinedTo(root: string): SandboxPolicy {
  return { ...denyAll(), allowFs: true, workspaceRoot: resolvePath(root) };
}

/** Whether the path, with every `..` resolved, is at or under the root. Links are not resolved. */
export function permitsPath({ allowFs, workspaceRoot }: SandboxPolicy, path: string): boolean {
  if (!allowFs || workspaceRoot === undefined || path.includes("\0")) return false;
  return isInside(resolvePath(workspaceRoot), resolvePath(path));
}

/** Whether an environment variable of this exact name is passed on. */
export function permitsEnv({ envAllowlist }: SandboxPolicy, name: string): boolean {
  return envAllowlist.includes(name);
}
