// What sessions used, summed log by log: only sums are kept in memory, whatever the number and length of the logs.

import { readdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { describeError, isTime } from "indusagi/core";
import { estimateTokens } from "../../briefing/token-estimate.ts";
import type { Entry } from "../../conductor/contract.ts";
import { isKnownType } from "../../conductor/entry-shape.ts";
import { describeLater, newerFormatReason, scanEntries } from "../../conductor/log-reader.ts";
import { delegateFolder, foldersBelow, trashOf } from "../../conductor/sessions.ts";
import { NO_USAGE, sumUsage } from "../../conductor/usage.ts";
import type { UsageKey } from "./usage-keys.ts";

/** What one day, folder, model or addon used. For an addon: its tools, and what it changed. */
export interface UsageRow {
  readonly name: string;
  readonly requests: number;
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
  /** Part of the output, as far as providers report it. */
  readonly thinkingTokens: number;
  readonly dollars: number;
  /** Requests whose price is unknown. */
  readonly unpriced: number;
  /** How long models took to answer. */
  readonly modelMs: number;
  readonly calls: number;
  /** How long tool calls took, except those of delegates, whose work is in their own logs. */
  readonly toolMs: number;
  /** For an addon, what the model read from its tools: an estimate by length. */
  readonly resultTokens: number;
  /** For an addon, the number of entries that it changed. */
  readonly changes: number;
}

export interface UsageSum {
  readonly rows: readonly UsageRow[];
  readonly total: UsageRow;
  readonly logs: number;
  /** Logs that could not be read, or not wholly, with the reason. */
  readonly problems: readonly string[];
}

type Sum = { -readonly [Name in keyof UsageRow]: UsageRow[Name] };

/** Sums the logs below `root`, ignoring anything older than `since`; days are in the machine's time zone. */
export function sumUsageOf(root: string, by: UsageKey, since: number): UsageSum {
  const rows = new Map<string, Sum>();
  const total = emptySum("total");
  const problems: string[] = [];
  const paths = logsBelow(root);
  const there = new Set(paths.map((path) => basename(path, ".jsonl")));
  let logs = 0;
  for (const path of paths) {
    try {
      if (statSync(path).mtimeMs < since) continue;
      const own = { rows: new Map<string, Sum>(), total: emptySum("") };
      const countEntry = createCounter({ by, since, there, ...own });
      let isRead = false;
      const { newerFormat, damage } = scanEntries(
        path,
        (entry) => {
          isRead = true;
          countEntry(entry);
        },
        isUncounted,
      );
      if (newerFormat !== undefined) throw new Error(newerFormatReason(newerFormat));
      if (!isRead) throw new Error("it contains no readable entry");
      problems.push(...describeLater(damage).map((what) => `${path} ${what}`));
      logs++;
      addSum(total, own.total);
      for (const [name, sum] of own.rows) {
        const row = rows.get(name) ?? emptySum(name);
        rows.set(name, row);
        addSum(row, sum);
      }
    } catch (error) {
      problems.push(`${path}: ${describeError(error)}`);
    }
  }
  return { rows: [...rows.values()], total, logs, problems };
}

const BEGINNING = /^\{"n":\d{1,16},"at":\d{1,16},"type":"(\w{1,20})"/;
const COUNTED: ReadonlySet<string | undefined> = new Set([
  ...["session", "prompt", "request", "assistant", "summary", "jump"],
  ...["title", "sample", "tool", "user", "context", undefined],
]);

// Most lines of a log need not be parsed.
function isUncounted(line: string): boolean {
  const [, type] = BEGINNING.exec(line.slice(0, 80)) ?? [];
  return type !== undefined && isKnownType(type) && !COUNTED.has(type);
}

/** Counts the entries of one log, in order. */
function createCounter(sums: {
  readonly by: UsageKey;
  readonly since: number;
  readonly there: ReadonlySet<string>;
  readonly rows: Map<string, Sum>;
  readonly total: Sum;
}): (entry: Entry) => void {
  const { by, since, there, rows, total } = sums;
  let folder = "";
  let model = "";
  let copiedTo = -1;
  let askedAt: number | undefined;
  const count = (name: string, add: (sum: Sum) => void): void => {
    const sum = rows.get(name) ?? emptySum(name);
    rows.set(name, sum);
    add(sum);
  };
  const modelOf = (entry: Entry): string => ("asked" in entry ? (entry.by ?? "") : model);
  const nameOf = (entry: Entry): string =>
    by === "day" ? dayOf(entry.at) : by === "folder" ? folder : modelOf(entry);
  const countReply = (entry: Reply, ms: number): void => {
    const add = (sum: Sum): void => addReply(sum, entry, ms);
    add(total);
    if (by !== "addon") count(nameOf(entry), add);
  };
  return (entry) => {
    if (entry.type === "session") {
      folder = entry.cwd || folder; // the line that raised the format had none in earlier versions
      // A fork begins with a copy, which is counted in the original log.
      if (entry.parent && there.has(entry.parent.session)) copiedTo = entry.parent.entry;
    }
    if (entry.type === "prompt") model = entry.model;
    if (entry.n <= copiedTo || entry.at < since) return;
    if (entry.type === "request") askedAt = entry.at;
    if (by === "addon" && "changes" in entry)
      for (const feature of new Set(entry.changes?.map((change) => change.feature)))
        count(feature, (sum) => sum.changes++);
    if (entry.type === "assistant" || entry.type === "summary" || (entry.type === "jump" && entry.usage)) {
      const ms = askedAt === undefined ? 0 : Math.max(0, entry.at - askedAt);
      askedAt = undefined;
      countReply(entry, ms);
    }
    if ((entry.type === "title" || entry.type === "sample") && entry.usage) countReply(entry, 0); // runs in parallel with any request
    if (entry.type === "tool") {
      const add = (sum: Sum): void => addCall(sum, entry);
      add(total);
      count(by === "addon" ? (entry.feature ?? "(not in the log)") : nameOf(entry), add);
    }
  };
}

type Reply = Extract<Entry, { type: "assistant" | "summary" | "jump" | "title" | "sample" }>;

function addReply(sum: Sum, { usage = NO_USAGE, cost }: Reply, ms: number): void {
  sum.requests++;
  Object.assign(sum, sumUsage(sum, usage));
  if (cost === undefined) sum.unpriced++;
  else sum.dollars += cost;
  sum.modelMs += ms;
}

function addCall(sum: Sum, { durationMs, text, cost }: Extract<Entry, { type: "tool" }>): void {
  sum.calls++;
  sum.resultTokens += estimateTokens(text);
  if (cost === undefined) sum.toolMs += durationMs;
}

function addSum(to: Sum, { name: _, ...figures }: Sum): void {
  for (const key of Object.keys(figures) as (keyof typeof figures)[]) to[key] += figures[key];
}

function emptySum(name: string): Sum {
  const figures = {
    requests: 0,
    thinkingTokens: 0,
    dollars: 0,
    unpriced: 0,
    modelMs: 0,
    calls: 0,
    toolMs: 0,
  };
  return { name, ...NO_USAGE, ...figures, resultTokens: 0, changes: 0 };
}

function dayOf(at: number): string {
  if (!isTime(at)) return "unknown day";
  const day = new Date(at);
  const two = (part: number): string => String(part).padStart(2, "0");
  return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
}

/** Logs of sessions and delegates, including those in the trash: they were used all the same. */
function logsBelow(root: string): readonly string[] {
  return foldersBelow(root).flatMap((folder) =>
    [folder, delegateFolder(folder), trashOf(folder)].flatMap((place) => {
      if (!statSync(place, { throwIfNoEntry: false })?.isDirectory()) return [];
      return readdirSync(place).flatMap((name) => (name.endsWith(".jsonl") ? join(place, name) : []));
    }),
  );
}
