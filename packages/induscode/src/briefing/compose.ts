import type { BriefingInput, NamedSection } from "./contract.ts";
import { BRIEFING_SECTIONS } from "./sections.ts";

/** The system prompt: the default recipe over `input`. Pure; the same input gives the same bytes (seed 003). */
export function composeBriefing(input: BriefingInput): string {
  return composeWith(BRIEFING_SECTIONS, input);
}

/** Folds a recipe: each fragment trimmed, blank ones dropped, the rest joined by blank lines. */
export function composeWith(sections: readonly NamedSection[], input: BriefingInput): string {
  return sections
    .map(({ render }) => render(input)?.trim() ?? "")
    .filter((fragment) => fragment !== "")
    .join("\n\n");
}
