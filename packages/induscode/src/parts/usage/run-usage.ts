// `indus usage`: the usage of sessions, as a table, with bars on a terminal, or as JSON.

import { dirname } from "node:path";
import { formatDollars, homeFolder, nowMs, printable } from "indusagi/core";
import { ageFlag } from "../../cli/age-flag.ts";
import type { Invocation } from "../../cli/invocation.ts";
import { EXIT_OK } from "../../cli/problem.ts";
import { formatCount, formatDuration } from "../../console/figures.ts";
import { type HomePlaces, indusHome, inHome } from "../../store/home.ts";
import { homePath } from "../../store/home-files.ts";
import { PRICES, type UsageKey } from "./usage-keys.ts";
import { sumUsageOf, type UsageRow, type UsageSum } from "./usage-sum.ts";
import { type Column, usageTable } from "./usage-table.ts";

interface Own {
  readonly by?: string | undefined;
  readonly since?: string | undefined;
}

/** Further rows are only counted; `--json` has them all. */
const MAX_ROWS = 31;
const BAR_CELLS = 20;

export function runUsage({ flags, env }: Invocation<Own & { readonly json?: boolean | undefined }>): number {
  const by = (flags.by ?? "day") as UsageKey; // the table of flags accepts only these
  const since = flags.since === undefined ? 0 : nowMs() - ageFlag("since", flags.since);
  const home = indusHome(env);
  const places = { home, personHome: homeFolder(env) };
  if (flags.json) {
    const { rows, total, logs, problems } = sumOf(home, by, since);
    process.stdout.write(`${JSON.stringify({ by, rows, total, logs, problems }, undefined, 2)}\n`);
    return EXIT_OK;
  }
  const { table, uncounted } = usageReport(places, by, since);
  process.stdout.write(printable(`${table.join("\n")}\n`));
  if (uncounted !== undefined) process.stderr.write(printable(`${uncounted}\n`));
  return EXIT_OK;
}

interface UsageReport {
  readonly table: readonly string[];
  /** What is missing in it, and why. */
  readonly uncounted: string | undefined;
}

/** What all sessions used since then, for a person. */
export function usageReport(places: HomePlaces, by: UsageKey, since = 0): UsageReport {
  const sum = sumOf(places.home, by, since);
  const { problems } = sum;
  const [first] = problems;
  return {
    table: tableOf(sum, by, inHome(PRICES, places)),
    uncounted:
      first === undefined
        ? undefined
        : `Not counted, because they cannot be read: ${problems.length} (${first})`,
  };
}

function sumOf(home: string, by: UsageKey, since: number): UsageSum {
  const sum = sumUsageOf(dirname(dirname(homePath(home, "session", "x"))), by, since);
  return { ...sum, rows: sum.rows.toSorted(by === "day" ? (a, b) => (a.name < b.name ? 1 : -1) : mostFirst) };
}

/** Highest usage first: by price, or by tokens if no price is known. */
function mostFirst(a: UsageRow, b: UsageRow): number {
  return (
    b.dollars - a.dollars || tokensOf(b) - tokensOf(a) || b.calls - a.calls || (a.name < b.name ? -1 : 1)
  );
}

const tokensOf = (row: UsageRow): number =>
  row.inputTokens + row.cacheReadTokens + row.cacheWriteTokens + row.outputTokens;

function tableOf({ rows, total, logs }: UsageSum, by: UsageKey, pricesIn: string): readonly string[] {
  if (rows.length === 0) return ["No usage yet."];
  const columns = by === "addon" ? ADDON_COLUMNS : COLUMNS;
  const shown = rows.slice(0, MAX_ROWS);
  const all = by === "addon" || rows.length === 1 ? shown : [...shown, total];
  const bars = barsOf(shown, by);
  const more = rows.length - shown.length;
  return [
    ...usageTable({ by, columns, rows: all, bars }, process.stdout.columns || Number.POSITIVE_INFINITY),
    ...(more > 0 ? [`and ${more} more: --json lists them all`] : []),
    ...(total.unpriced > 0 && by !== "addon"
      ? [`The cost of ${formatCount(total.unpriced)} of the requests is unknown; add prices to ${pricesIn}.`]
      : []),
    ...(by === "addon"
      ? ["Tokens are an estimate, by length, of what the model read from an addon's calls."]
      : []),
    `${formatCount(logs)} ${logs === 1 ? "log" : "logs"}, including those in the trash and of delegates.`,
  ];
}

const COLUMNS: readonly Column[] = [
  ["requests", ({ requests }) => formatCount(requests)],
  ["read", ({ inputTokens }) => formatCount(inputTokens)],
  ["cached", ({ cacheReadTokens }) => formatCount(cacheReadTokens)],
  ["to cache", ({ cacheWriteTokens }) => formatCount(cacheWriteTokens)],
  ["written", ({ outputTokens }) => formatCount(outputTokens)],
  ["thinking", ({ thinkingTokens }) => formatCount(thinkingTokens)],
  ["cost", costOf],
  ["models", ({ modelMs }) => formatDuration(modelMs)],
  ["tools", ({ toolMs }) => formatDuration(toolMs)],
];

const ADDON_COLUMNS: readonly Column[] = [
  ["calls", ({ calls }) => formatCount(calls)],
  ["tokens", ({ resultTokens }) => formatCount(resultTokens)],
  ["time", ({ toolMs }) => formatDuration(toolMs)],
  ["changed", ({ changes }) => formatCount(changes)],
];

function costOf({ dollars, requests, unpriced }: UsageRow): string {
  if (unpriced === requests) return "";
  return unpriced > 0 ? `> ${formatDollars(dollars)}` : formatDollars(dollars);
}

/** Next to each row, its share of the largest; only on a terminal. */
function barsOf(rows: readonly UsageRow[], by: UsageKey): readonly string[] {
  if (!process.stdout.isTTY) return [];
  const priced = rows.some(({ dollars }) => dollars > 0);
  const size = (row: UsageRow): number =>
    by === "addon" ? row.resultTokens : priced ? row.dollars : tokensOf(row);
  const most = Math.max(...rows.map(size));
  return rows.map((row) =>
    most === 0 || size(row) === 0 ? "" : "█".repeat(Math.max(1, Math.round((size(row) / most) * BAR_CELLS))),
  );
}
