// The line below the editor: who answers, how far the window is filled, what it cost, where it works.

import { formatDollars } from "indusagi/core";
import { formatCount, plural } from "../../console/figures.ts";
import { type Line, type Span, span, widthOf } from "../screen/spans.ts";
import type { Mark } from "../screen/theme.ts";

/** What the line shows; what is absent is left out. All texts are untrusted. */
export interface StatusFacts {
  readonly model: string;
  readonly thinking?: string;
  readonly mode?: string;
  readonly contextTokens: number;
  readonly contextWindow?: number;
  readonly tokens: number;
  readonly dollars: number;
  readonly isUnpriced: boolean;
  readonly branch?: string;
  /** Background jobs that run. */
  readonly jobs: number;
  readonly quarantined: number;
  /** What addons have put there, each text after its name. */
  readonly addons?: readonly string[];
}

const GAP = span("  ", "dim");
const BAR_CELLS = 8;

/** As much of it as fits: what stands first goes last. */
export function statusLine(facts: StatusFacts, columns: number): Line {
  const parts: readonly (readonly Span[] | undefined)[] = [
    [
      span(facts.model, "dim"),
      ...(facts.thinking === undefined || facts.thinking === "off"
        ? []
        : [span(` ${facts.thinking}`, "accent")]),
    ],
    contextPart(facts),
    facts.quarantined > 0 ? [span(`${plural(facts.quarantined, "addon")} in quarantine`, "bad")] : undefined,
    facts.jobs > 0 ? [span(plural(facts.jobs, "job"), "accent")] : undefined,
    ...(facts.addons ?? []).map((text): readonly Span[] => [span(`[${text}]`, "dim")]),
    facts.mode === undefined ? undefined : [span(facts.mode, facts.mode === "bypass" ? "warn" : "dim")],
    facts.tokens > 0 ? [span(`${formatCount(facts.tokens)} tokens`, "dim")] : undefined,
    costPart(facts),
    facts.branch === undefined ? undefined : [span(`⎇ ${facts.branch}`, "dim")],
  ];
  let line: Span[] = [];
  for (const part of parts) {
    if (!part) continue;
    const longer = line.length === 0 ? [...part] : [...line, GAP, ...part];
    if (widthOf(longer) > columns) {
      if (line.length === 0) line = [span(facts.model.slice(0, Math.max(0, columns - 1)), "dim")];
      continue;
    }
    line = longer;
  }
  return line;
}

function contextPart({ contextTokens, contextWindow }: StatusFacts): readonly Span[] | undefined {
  if (contextWindow === undefined || contextWindow <= 0) {
    return contextTokens > 0 ? [span(`context ${formatCount(contextTokens)}`, "dim")] : undefined;
  }
  const share = Math.min(1, contextTokens / contextWindow);
  const full = Math.round(share * BAR_CELLS);
  const mark: Mark = share > 0.9 ? "bad" : share > 0.7 ? "warn" : "dim";
  return [
    span("█".repeat(full) + "░".repeat(BAR_CELLS - full), mark),
    span(` ${formatCount(contextTokens)}/${formatCount(contextWindow)}`, mark),
  ];
}

function costPart({ dollars, isUnpriced }: StatusFacts): readonly Span[] | undefined {
  if (dollars <= 0) return undefined;
  return [span(`${isUnpriced ? "≥ " : ""}${formatDollars(dollars)}`, "dim")];
}
