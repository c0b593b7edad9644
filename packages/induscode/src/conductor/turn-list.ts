// The lines that a person sent, as a list to choose from.

import { beginningOf, printable } from "indusagi/core";
import { branchOf } from "./branch.ts";
import type { Entry } from "./contract.ts";
import { counted } from "./log-reader.ts";

export interface TurnFacts {
  /** From 1. */
  readonly turn: number;
  /** The number of its entry. */
  readonly n: number;
  readonly said: string;
  /** How many files it is known to have changed. */
  readonly files: number;
}

/** The lines of the current conversation, without abandoned branches. */
export function turnsOf(entries: readonly Entry[]): readonly TurnFacts[] {
  const turns: { turn: number; n: number; said: string; files: number }[] = [];
  for (const entry of branchOf(entries)) {
    const last = turns.at(-1);
    if (entry.type === "checkpoint" && last) last.files += entry.files.length;
    if (entry.type !== "user" || entry.via !== "submit") continue;
    const text = (entry.typed ?? entry.content).find((block) => block.kind === "text");
    turns.push({
      turn: turns.length + 1,
      n: entry.n,
      said: text?.kind === "text" ? text.text : "",
      files: 0,
    });
  }
  return turns;
}

/** The list as shown to the person, latest first: `3: mend the leak (2 files)`. */
export function turnChoices(entries: readonly Entry[]): readonly string[] {
  return turnsOf(entries)
    .map(({ turn, said, files }) => {
      const line = beginningOf(printable(said).replaceAll(/\s+/g, " ").trim(), 60);
      return `${turn}: ${line}${files > 0 ? ` (${counted(files, "file")})` : ""}`;
    })
    .reverse();
}
