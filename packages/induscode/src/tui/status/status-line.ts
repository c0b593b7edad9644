// The line below the editor: who answers, how far the window is filled, what it cost, where it works.

import { formatDollars } from "indusagi/core";
import type { SessionStatus } from "../../conductor/contract.ts";
import { formatCount, plural } from "../../console/figures.ts";
import { cut, type Line, type Span, span, widthOf } from "../screen/spans.ts";
import type { Mark } from "../screen/theme.ts";
import { STATUS_PARTS, type StatusPart } from "./status-parts.ts";

/** What the line shows; what is absent is left out. All texts are untrusted. */
export interface StatusFacts {
  readonly model: string;
  readonly thinking?: string;
  readonly mode?: string;
  readonly contextTokens: number;
  readonly contextWindow?: number;
  readonly tokens: number;
  /** What is left of the provider's limits. */
  readonly limits?: SessionStatus["limits"];
  readonly dollars: number;
  readonly isUnpriced: boolean;
  readonly branch?: string;
  /** Lines that wait to join the running task. */
  readonly queue: number;
  /** Background jobs that run. */
  readonly jobs: number;
  readonly quarantined: number;
  /** What addons alerted the person of since the last task began. */
  readonly alerts?: number;
  /** What addons have put there, each text after its name. */
  readonly addons?: readonly string[];
}

const GAP = span("  ", "dim");
const BAR_CELLS = 8;

/** What each part shows; where nothing is to be said, nothing. Their order is the usual one. */
const PARTS: Readonly<Record<StatusPart, (facts: StatusFacts) => readonly (readonly Span[])[]>> = {
  model: ({ model, thinking = "off" }) => [
    [span(model, "dim"), ...(thinking === "off" ? [] : [span(` ${thinking}`, "accent")])],
  ],
  context: contextPart,
  limits: ({ limits = [] }) => limits.filter(isNear).map((limit) => [span(limitText(limit), "warn")]),
  quarantine: ({ quarantined }) =>
    quarantined > 0 ? [[span(`${plural(quarantined, "addon")} in quarantine`, "bad")]] : [],
  alerts: ({ alerts = 0 }) => (alerts > 0 ? [[span(`! ${plural(alerts, "alert")}`, "warn")]] : []),
  queue: ({ queue }) => (queue > 0 ? [[span(`${queue} queued`, "accent")]] : []),
  jobs: ({ jobs }) => (jobs > 0 ? [[span(plural(jobs, "job"), "accent")]] : []),
  addons: ({ addons = [] }) => addons.map((text) => [span(`[${text}]`, "dim")]),
  mode: ({ mode }) => (mode === undefined ? [] : [[span(mode, mode === "bypass" ? "warn" : "dim")]]),
  tokens: ({ tokens }) => (tokens > 0 ? [[span(`${formatCount(tokens)} tokens`, "dim")]] : []),
  cost: ({ dollars, isUnpriced }) =>
    dollars > 0 ? [[span(`${isUnpriced ? "≥ " : ""}${formatDollars(dollars)}`, "dim")]] : [],
  branch: ({ branch }) => (branch === undefined ? [] : [[span(`⎇ ${branch}`, "dim")]]),
};

/**
 * As much of it as fits: the first is dropped last. `chosen` are the parts that the person wants, in their order; an addon in
 * quarantine is said in any case, because what it guarded may be open.
 */
export function statusLine(
  facts: StatusFacts,
  columns: number,
  chosen: readonly StatusPart[] = STATUS_PARTS,
): Line {
  const names = chosen.includes("quarantine") ? chosen : [...chosen, "quarantine" as const];
  const parts = names.flatMap((name) => PARTS[name](facts));
  let line: Span[] = [];
  for (const part of parts) {
    const longer = line.length === 0 ? [...part] : [...line, GAP, ...part];
    if (widthOf(longer) > columns) {
      if (line.length === 0) line = [...cut(part, columns)];
      continue;
    }
    line = longer;
  }
  return line;
}

const NEAR_SHARE = 0.1;

type RateLimit = SessionStatus["limits"][number];

function isNear({ remaining, limit }: RateLimit): boolean {
  return remaining <= 0 || (limit !== undefined && remaining <= limit * NEAR_SHARE);
}

function limitText({ what, remaining, limit = 0 }: RateLimit): string {
  return remaining <= 0 ? `${what} used up` : `${what} ${Math.ceil((remaining / limit) * 100)} % left`;
}

function contextPart({ contextTokens, contextWindow }: StatusFacts): readonly (readonly Span[])[] {
  if (contextWindow === undefined || contextWindow <= 0)
    return contextTokens > 0 ? [[span(`context ${formatCount(contextTokens)}`, "dim")]] : [];
  const share = Math.min(1, contextTokens / contextWindow);
  const full = Math.round(share * BAR_CELLS);
  const mark: Mark = share > 0.9 ? "bad" : share > 0.7 ? "warn" : "dim";
  return [
    [
      span("█".repeat(full) + "░".repeat(BAR_CELLS - full), mark),
      span(` ${formatCount(contextTokens)}/${formatCount(contextWindow)}`, mark),
    ],
  ];
}
