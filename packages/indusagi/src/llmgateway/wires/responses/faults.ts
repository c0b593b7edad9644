// What a Responses stream may state at its end.

import type { StopReason } from "../../contract.ts";

/** Why an answer is incomplete, as its stop reason. Any other reason counts as the output limit. */
export const INCOMPLETE: Readonly<Record<string, StopReason>> = {
  max_output_tokens: "max_output",
  content_filter: "refusal",
};
