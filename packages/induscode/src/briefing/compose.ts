import type { BriefingInput, ComposeOptions, NamedSection } from "./contract.ts";
import { describePrompt } from "./describe-prompt.ts";
import { BRIEFING_SECTIONS } from "./sections.ts";

/** The system prompt: the default recipe applied to `input`. Pure: the same input gives the same bytes. */
export function composeBriefing(input: BriefingInput): string {
  return composeWith(BRIEFING_SECTIONS, input);
}

/** {@link composeBriefing} with the texts of `--system` and `--append-system`: the first replaces the whole recipe. */
export function composeBriefingWithOptions(input: BriefingInput, options: ComposeOptions): string {
  return joinBlocks(describePrompt(input, options).map(({ text }) => text));
}

/** Folds a recipe between two texts: each fragment is trimmed, blank ones are dropped, the rest joined by blank lines. */
export function composeWith(
  sections: readonly NamedSection[],
  input: BriefingInput,
  { prelude, append }: { readonly prelude?: string; readonly append?: string } = {},
): string {
  return joinBlocks([prelude, ...sections.map(({ render }) => render(input)), append]);
}

function joinBlocks(fragments: readonly (string | undefined)[]): string {
  return fragments
    .map((fragment) => fragment?.trim() ?? "")
    .filter((fragment) => fragment !== "")
    .join("\n\n");
}
