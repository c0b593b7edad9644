// The composed prompt taken apart: each part's text, source and cost in every request.

import type { BriefingInput, ComposeOptions } from "./contract.ts";
import { BRIEFING_SECTIONS } from "./sections.ts";
import { estimateTokens } from "./token-estimate.ts";

/** One part of the prompt, in its place. */
export interface PromptPart {
  /** A section's id, or `prelude`, `system`, `append-system`. */
  readonly id: string;
  readonly tokens: number;
  /** Labels, paths or names; empty for the product's own text. */
  readonly sources: readonly string[];
  readonly text: string;
}

/** A prompt's options, and where its own texts came from. */
export interface DescribeOptions extends ComposeOptions {
  readonly sources?: { readonly system?: string | undefined; readonly appendSystem?: string | undefined };
}

/** The parts that apply, in order; joined by blank lines, their texts are the whole prompt. Pure. */
export function describePrompt(input: BriefingInput, options: DescribeOptions = {}): readonly PromptPart[] {
  const { prelude, system, appendSystem, sources } = options;
  const base =
    system === undefined
      ? BRIEFING_SECTIONS.map(({ id, render, sources: sourcesOf }) =>
          part(id, render(input), sourcesOf?.(input)),
        )
      : [part("system", system, named(sources?.system))];
  return [
    part("prelude", prelude),
    ...base,
    part("append-system", appendSystem, named(sources?.appendSystem)),
  ].filter(({ text }) => text !== "");
}

function part(id: string, text = "", sources: readonly string[] = []): PromptPart {
  const trimmed = text.trim();
  return { id, tokens: estimateTokens(trimmed), sources, text: trimmed };
}

function named(source: string | undefined): readonly string[] {
  return source === undefined ? [] : [source];
}
