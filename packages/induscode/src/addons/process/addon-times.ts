// How long an addon's process took to start and its handlers to answer: measured where they are called, stored for `indus
// addons --timing` after the session.

import { readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describeError, isoNow } from "indusagi/core";
import { HOME_FILES, homePath } from "../../store/home-files.ts";
import { readJson } from "../../store/json.ts";
import { replaceFile } from "../../store/replace-file.ts";
import { removeUnused } from "../../store/unused-entries.ts";

/** What was measured for one kind of call, in milliseconds. */
export interface TimeFigures {
  readonly count: number;
  /** Of the newest {@link SAMPLES}. */
  readonly medianMs: number;
  readonly maxMs: number;
}

/** The figures of one addon: by `start` and the protocol's methods. */
export type TimeTable = Readonly<Record<string, TimeFigures>>;

export interface AddonTimes {
  readonly note: (what: string, ms: number) => void;
  readonly table: () => TimeTable;
}

const SAMPLES = 256;

export function createAddonTimes(): AddonTimes {
  const series = new Map<string, { count: number; maxMs: number; readonly recent: number[] }>();
  return {
    note(what, ms) {
      const one = series.get(what) ?? { count: 0, maxMs: 0, recent: [] };
      series.set(what, one);
      one.recent[one.count % SAMPLES] = ms;
      one.count++;
      one.maxMs = Math.max(one.maxMs, ms);
    },
    table: () =>
      Object.fromEntries(
        [...series].map(([what, { count, maxMs, recent }]) => {
          const sorted = recent.toSorted((one, other) => one - other);
          const medianMs = sorted[Math.floor(sorted.length / 2)] ?? 0;
          return [what, { count, medianMs: round(medianMs), maxMs: round(maxMs) }];
        }),
      ),
  };
}

/** What the newest session measured for one addon. */
export interface StoredTimes {
  readonly addon: string;
  readonly at: string;
  readonly table: TimeTable;
}

/** Stores the figures of a finished session. Throws the system's error if they cannot be written. */
export function storeTimes(home: string, addon: string, table: TimeTable): void {
  const stored: StoredTimes = { addon, at: isoNow(), table };
  const path = homePath(home, "addonTimes", encodeURIComponent(addon));
  replaceFile(path, JSON.stringify(stored));
  removeUnused(dirname(path), basename(path));
}

/** The figures of every addon that a session has measured, by addon. Unreadable files are skipped. */
export function readTimes(home: string): readonly StoredTimes[] {
  const folder = dirname(homePath(home, "addonTimes"));
  let names: readonly string[];
  try {
    names = readdirSync(folder);
  } catch {
    return []; // no session has measured anything yet
  }
  return names
    .filter((name) => name.endsWith(".json"))
    .sort()
    .flatMap((name) => {
      try {
        return [readJson(join(folder, name), HOME_FILES.addonTimes.maxBytes) as StoredTimes];
      } catch (error) {
        process.emitWarning(`${join(folder, name)} is ignored: ${describeError(error)}`);
        return [];
      }
    });
}

function round(ms: number): number {
  return Math.round(ms * 1_000) / 1_000;
}
