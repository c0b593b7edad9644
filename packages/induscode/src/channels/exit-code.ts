import type { SubmitEnd } from "../conductor/contract.ts";

/** The process's exit code for a submit's end: 0 complete, 1 faulted, 130 aborted (as a shell names SIGINT). */
export function exitCodeOf(end: SubmitEnd): number {
  if (end.kind === "complete") return 0;
  return end.kind === "aborted" ? 130 : 1;
}
