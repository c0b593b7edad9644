import type { SubmitEnd } from "../conductor/contract.ts";

/** The process's exit code when a submit ends: 0 complete, 1 faulted, 130 aborted (as shells report SIGINT). */
export function exitCodeOf(end: SubmitEnd): number {
  if (end.kind === "complete") return 0;
  return end.kind === "aborted" ? 130 : 1;
}
