// A permission question that the person left without an answer, which counts as a no where nobody else can answer.

import type { PermissionAnswer } from "../feature/permission.ts";

export const INPUT_ENDED = "the input ended";

/** Whether nobody answered. */
export function isLeft(answer: PermissionAnswer): boolean {
  return answer.kind === "no" && (answer.isInterrupted === true || answer.reason === INPUT_ENDED);
}
