// The line below the editor: the model, how full the context window is, the cost, the folder.

import { formatDollars } from "indusagi/core";
import type { SessionStatus } from "../../conductor/contract.ts";
import { formatCount, formatUsage, plural } from "../../console/figures.ts";
import { STATUS_PARTS, type StatusPart } from "../../view/status-parts.ts";
import { cut, type Line, type Span, span, widthOf } from "../screen/spans.ts";
import type { Mark } from "../screen/theme.ts";

/** What the line shows; absent facts are left out. All texts are untrusted. */
export interface StatusFacts {
  readonly model: string;
  readonly thinking?: string | undefined;
  readonly mode?: string | undefined;
  readonly contextTokens: number;
  readonly contextWindow?: number | undefined;
  /** What the session has paid for so far; shown once there is some. */
  readonly usage: SessionStatus["usage"];
  /** What remains of the provider's limits. */
  readonly limits?: SessionStatus["limits"];
  readonly dollars: number;
  readonly isUnpriced: boolean;
  readonly branch?: string | undefined;
  /** Lines waiting to join the running task. */
  readonly queue: number;
  /** Running background jobs. */
  readonly jobs: number;
  readonly quarantined: number;
  /** The number of alerts from addons since the last task began. */
  readonly alerts?: number;
  /** Items by addons, each text after its addon's name. */
  readonly addons?: readonly string[];
}

const GAP = span("  ", "dim");
const BAR_CELLS = 8;

/** What each part shows; empty if there is nothing to say. They are in the usual order. */
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
  tokens: ({ usage }) => (usage.outputTokens > 0 ? [[span(formatUsage(usage, ""), "dim")]] : []),
  cost: ({ dollars, isUnpriced }) =>
    dollars > 0 ? [[span(`${isUnpriced ? "≥ " : ""}${formatDollars(dollars)}`, "dim")]] : [],
  branch: ({ branch }) => (branch === undefined ? [] : [[span(`⎇ ${branch}`, "dim")]]),
};

/** What is always shown if it was chosen, however narrow the window: the permission mode. */
const KEPT: StatusPart = "mode";

/**
 * As much of it as fits: the first part is dropped last, and the permission mode never. `chosen` are the parts that the person wants, in
 * their order; an addon in quarantine is always shown, because what it guarded may be unprotected.
 */
export function statusLine(
  facts: StatusFacts,
  columns: number,
  chosen: readonly StatusPart[] = STATUS_PARTS,
): Line {
  const names = chosen.includes("quarantine") ? chosen : [...chosen, "quarantine" as const];
  const parts = names.flatMap((name) => PARTS[name](facts).map((part) => ({ name, part })));
  const whole = fitted(parts, columns);
  const [dropped] = whole.left;
  if (dropped === undefined) return whole.line;
  const narrow = fitted(
    parts.map(({ name, part }) => ({ name, part: name === "context" ? withoutBar(part) : part })),
    columns,
  );
  // The earlier a part, the more it matters.
  const isBetter = (narrow.left[0] ?? parts.length) > dropped || narrow.left.length < whole.left.length;
  return isBetter ? narrow.line : whole.line;
}

interface NamedPart {
  readonly name: StatusPart;
  readonly part: readonly Span[];
}

/** A line of those that fit, and the places of those that do not. */
function fitted(
  parts: readonly NamedPart[],
  columns: number,
): { readonly line: Line; readonly left: readonly number[] } {
  let line: Span[] = [];
  const left: number[] = [];
  /** The columns of what is kept and still to come. */
  let kept = parts
    .filter(({ name }) => name === KEPT)
    .reduce((sum, { part }) => sum + widthOf([GAP, ...part]), 0);
  for (const [at, { name, part }] of parts.entries()) {
    if (name === KEPT) kept -= widthOf([GAP, ...part]);
    const longer = line.length === 0 ? [...part] : [...line, GAP, ...part];
    if (widthOf(longer) + kept <= columns) line = longer;
    else if (line.length === 0) line = [...cut(part, Math.max(MIN_FIRST, columns - kept))];
    else left.push(at);
  }
  return { line: cut(line, columns), left };
}

/** The figures of the context alone. */
function withoutBar(part: readonly Span[]): readonly Span[] {
  return part.slice(-1).map((figures) => ({ ...figures, text: figures.text.trimStart() }));
}

/** The fewest columns of the first part. */
const MIN_FIRST = 12;

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
