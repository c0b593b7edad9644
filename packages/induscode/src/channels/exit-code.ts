import type { SubmitEnd } from "../conductor/contract.ts";

/** The model's last answer is not whole: cut at its output limit, or refused. */
export const EXIT_INCOMPLETE = 4;

/**
 * The process's exit code when a submit ends: 0 complete, {@link EXIT_INCOMPLETE} truncated or refused by the model, 1 faulted, 130
 * aborted (as shells report SIGINT).
 */
export function exitCodeOf(end: SubmitEnd): number {
  if (end.kind === "complete")
    return end.stop === "max_output" || end.stop === "refusal" ? EXIT_INCOMPLETE : 0;
  return end.kind === "aborted" ? 130 : 1;
}
