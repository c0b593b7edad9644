// Where a log stops explaining its requests: which entries are between the last request that it explains and the first that it does not,
// which features were involved, and where their bytes are in the file.

import { readFileSync } from "node:fs";
import { foldEntries } from "../../conductor/branch.ts";
import type { Entry } from "../../conductor/contract.ts";
import { counted } from "../../conductor/log-reader.ts";

const MAX_TRIED = 200;
const MAX_LISTED = 12;

/** Lines for a person about the first request with a different digest; `at` is its entry number. */
export function explainMismatch(path: string, entries: readonly Entry[], at: number): readonly string[] {
  const index = entries.findIndex(({ n, type }) => n === at && type === "request");
  const before = entries.findLastIndex(({ type }, each) => each < index && type === "request");
  const suspects = entries.slice(before + 1, index).filter(isInView);
  const places = placesIn(path);
  const rows = suspects.slice(0, MAX_LISTED).map((entry) => {
    const [from, to] = places.get(entry.n) ?? [];
    const bytes = from === undefined ? "" : `, bytes ${from} to ${to}`;
    const by = handsIn(entry);
    return `  entry ${entry.n}, ${entry.type}${bytes}${by.length === 0 ? "" : `, changed by ${by.join(", ")}`}`;
  });
  const since =
    before < 0 ? "There is no earlier request" : `The request at entry ${entries[before]?.n} matches`;
  const added = suspects.slice(0, MAX_TRIED).find(
    (suspect) =>
      digestAt(
        entries.filter((entry) => entry !== suspect),
        at,
      ) === digestOf(entries[index]),
  );
  const verdict =
    added === undefined
      ? suspects.length === 0
        ? "no entry between them is visible to the model: an entry is missing, or the digest itself was altered."
        : `something was altered, added or lost among ${counted(suspects.length, "entry", "entries")}:`
      : `without entry ${added.n} the digest would match: that entry was added or altered later.`;
  const more = suspects.length - rows.length;
  return [
    `${since}; the request at entry ${at} does not match: ${verdict}`,
    ...(added === undefined ? rows : rows.filter((_, each) => suspects[each] === added)),
    ...(added === undefined && more > 0 ? [`  and ${more} more`] : []),
  ];
}

function digestOf(entry: Entry | undefined): string | undefined {
  return entry?.type === "request" ? entry.digest : undefined;
}

function digestAt(entries: readonly Entry[], at: number): string | undefined {
  let digest: string | undefined;
  foldEntries(entries.slice(0, entries.findIndex(({ n }) => n === at) + 1), (entry, fold) => {
    if (entry.n === at && entry.type === "request") digest = fold.prompt ? fold.digest() : undefined;
  });
  return digest;
}

const NOT_IN_VIEW: readonly Entry["type"][] = [
  ...(["session", "request", "veto", "queued", "title", "sample", "checkpoint", "rewind"] as const),
  ...(["approval", "decision", "mode", "plan", "delegate"] as const),
];

function isInView({ type }: Entry): boolean {
  return !NOT_IN_VIEW.includes(type);
}

/** The features that an entry names. */
function handsIn(entry: Entry): readonly string[] {
  const changes = "changes" in entry ? (entry.changes ?? []) : [];
  const own = entry.type === "notice" ? [entry.origin] : entry.type === "tool" ? [entry.feature ?? ""] : [];
  const all = [...changes.map(({ feature }) => feature), ...own];
  return [...new Set(all.filter((id) => id.includes(":") && !id.startsWith("builtin:")))];
}

/** The first and last byte of each entry's line, by entry number. */
function placesIn(path: string): ReadonlyMap<number, readonly [number, number]> {
  const bytes = readFileSync(path);
  const places = new Map<number, readonly [number, number]>();
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(0x0a, from);
    const to = end < 0 ? bytes.length : end;
    const [, n] = /^\{"n":(\d+),/.exec(bytes.toString("latin1", from, Math.min(to, from + 40))) ?? [];
    if (n !== undefined) places.set(Number(n), [from, to - 1]);
    from = to + 1;
  }
  return places;
}
