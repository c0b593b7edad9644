// What a Responses stream may say at its end.

import type { StopReason } from "../../contract.ts";

/** Why an answer is incomplete, as its stop. Anything else that cuts it short counts as its limit. */
export const INCOMPLETE: Readonly<Record<string, StopReason>> = {
  max_output_tokens: "max_output",
  content_filter: "refusal",
};
