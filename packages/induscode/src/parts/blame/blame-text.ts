// What a person reads: a letter for each line, and what each letter stands for.

import { beginningOf, isoTime } from "indusagi/core";
import { printableLine } from "../../console/printable-line.ts";
import { tableLines } from "../../console/table.ts";
import type { GitCommit } from "./git-lines.ts";
import { type MaybeOrigin, NO_TURN, type Origin, type TracedCall } from "./origin.ts";

export interface BlamedLine {
  /** From 1. */
  readonly line: number;
  readonly text: string;
  readonly origin: MaybeOrigin;
  /** For a line that no session wrote, if HEAD has it. */
  readonly commit: GitCommit | undefined;
}

const MAX_CALLS = 3;

export function blameText(lines: readonly BlamedLine[]): readonly string[] {
  if (lines.length === 0) return ["The file has no lines."];
  const letters = new Map<string, string>();
  const told = new Map<string, readonly string[]>();
  const rows = lines.map(({ line, text, origin, commit }) => {
    const key = keyOf(origin, commit);
    const letter =
      letters.get(key) ?? (key === NOBODY ? "·" : letterOf(told.has(NOBODY) ? told.size - 1 : told.size));
    letters.set(key, letter);
    if (!told.has(key)) told.set(key, [letter, ...(origin ? originLines(origin) : [commitLine(commit)])]);
    return [String(line), letter, printableLine(text)];
  });
  const legend = [...told.values()].map(([letter = "", first = "", ...more]) =>
    [`${letter}  ${first}`, ...more.map((each) => `   ${each}`)].join("\n"),
  );
  return [...tableLines(rows, (column) => column === 0), "", ...legend];
}

const NOBODY = "nobody";

function keyOf(origin: MaybeOrigin, commit: GitCommit | undefined): string {
  if (!origin) return commit?.commit ?? NOBODY;
  const { kind, session, turn } = origin;
  return kind === "call" ? `${session} ${origin.call.entry}` : `${session} turn ${turn} ${origin.at}`;
}

/** a … z, aa, ab, … */
function letterOf(index: number): string {
  const last = String.fromCharCode(97 + (index % 26));
  return index < 26 ? last : letterOf(Math.floor(index / 26) - 1) + last;
}

function commitLine(commit: GitCommit | undefined): string {
  if (!commit) return "no session";
  const { at, author, summary } = commit;
  return `no session; commit ${commit.commit.slice(0, 10)}, ${dayOf(at)}, ${author}: ${beginningOf(summary, 100)}`;
}

function originLines(origin: Origin): readonly string[] {
  const { session, isDelegate, turn, said, at } = origin;
  const what = turn === NO_TURN ? `${minuteOf(at)}: ${said}` : `turn ${turn}, ${minuteOf(at)}: "${said}"`;
  return [
    `session ${session}${isDelegate ? " (a delegate's)" : ""}, ${what}`,
    ...(origin.kind === "call" ? callLines(origin.call) : [maybeLine(origin.maybe, turn)]),
  ];
}

function callLines(call: TracedCall): readonly string[] {
  const addon = call.addon === undefined ? "" : `, a tool of ${call.addon}`;
  return [
    `${calledAs(call)}${addon} (entry ${call.entry})`,
    ...(call.changedBy.length > 0 ? [`changed by ${call.changedBy.join(", ")}`] : []),
    ...(call.allowed === undefined ? [] : [call.allowed]),
  ];
}

function maybeLine(calls: readonly TracedCall[], turn: number): string {
  const [only, ...others] = calls;
  const part = turn === NO_TURN ? "the calls at that time" : `turn ${turn}`;
  if (!only) return `something in ${part} that its log does not name`;
  if (others.length === 0)
    return only.tool === "bash"
      ? `a command${turn === NO_TURN ? "" : ` of ${part}`}: ${only.title}`
      : `in ${part}, during or after the call ${calledAs(only)}${only.addon === undefined ? "" : `, a tool of ${only.addon}`}`;
  const more = calls.length - MAX_CALLS;
  const named = calls.slice(0, MAX_CALLS).map(calledAs).join("; ");
  return `one of these calls of ${part}: ${named}${more > 0 ? `; or ${more} more` : ""}`;
}

function calledAs({ tool, title }: TracedCall): string {
  return `${tool} ${beginningOf(title, 100)}`;
}

function dayOf(at: number): string {
  return isoTime(at)?.slice(0, 10) ?? NO_TIME;
}

function minuteOf(at: number): string {
  const time = isoTime(at);
  return time === undefined ? NO_TIME : `${time.slice(0, 16).replace("T", " ")} UTC`;
}

const NO_TIME = "at an invalid time";
