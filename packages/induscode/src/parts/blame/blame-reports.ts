// The two answers of `indus blame`: about the lines of a file, and about what a commit added.

import { join } from "node:path";
import { type BlamedLine, blameText } from "./blame-text.ts";
import { blamedLogs } from "./blamed-logs.ts";
import { type CommittedShare, commitText, sharesOf } from "./commit-shares.ts";
import { damagedLogs } from "./damaged-logs.ts";
import { askedFile, rootAround } from "./file-asked.ts";
import { createFileHistory } from "./file-history.ts";
import { committedFiles, gitLines } from "./git-lines.ts";
import type { MaybeOrigin } from "./origin.ts";

export interface BlamePlace {
  readonly home: string;
  readonly cwd: string;
  readonly personHome: string;
  readonly env: NodeJS.ProcessEnv;
}

export interface BlameReport {
  readonly lines: readonly string[];
  readonly json: object;
  /** What was not found out, and why. */
  readonly notes: readonly string[];
}

export async function blameFile(word: string, place: BlamePlace): Promise<BlameReport> {
  const { home, cwd, personHome, env } = place;
  const { path, text, lines } = askedFile(word, cwd, personHome);
  const blamed = blamedLogs(home, rootAround(path, cwd));
  const history = createFileHistory({ home, personHome, blamed });
  const version = history.version(path, text);
  const { from, to } = lines ?? { from: 1, to: version.lines.length };
  const isAsked = (index: number): boolean => index + 1 >= from && index < to;
  const isUntold = version.by.some((origin, index) => !origin && isAsked(index));
  const { commits, problem } = isUntold ? await gitLines(env, path, text) : { commits: [] };
  const rows = version.lines.flatMap((line, index): readonly BlamedLine[] => {
    const origin = version.by[index];
    const commit = origin ? undefined : commits[index];
    return isAsked(index) ? [{ line: index + 1, text: line.replace(/\r?\n$/, ""), origin, commit }] : [];
  });
  const notes = [...history.notes(), ...damagedLogs(rows.map(({ origin }) => origin))];
  const asked = problem === undefined ? [] : [`git was not asked: ${problem}`];
  return { lines: blameText(rows), json: { file: path, ...jsonOf(rows) }, notes: [...notes, ...asked] };
}

/** Lines name their origin by its index. */
function jsonOf(rows: readonly BlamedLine[]): object {
  const origins = [...new Set(rows.flatMap(({ origin }) => origin ?? []))];
  return {
    origins,
    lines: rows.map(({ line, text, origin, commit }) => ({
      ...{ line, text, origin: origin ? origins.indexOf(origin) : null },
      commit,
    })),
  };
}

export async function blameCommit(word: string, place: BlamePlace): Promise<BlameReport> {
  const { home, cwd, personHome, env } = place;
  const { top, commit, at, files, left } = await committedFiles(env, cwd, word);
  const blamed = blamedLogs(home, top);
  const history = createFileHistory({ home, personHome, blamed });
  const origins: MaybeOrigin[] = [];
  const shares = files.map(({ path, text, added }): CommittedShare => {
    const { by } = history.version(join(top, path), text, at + SECOND_MS);
    const its = added.map((index) => by[index]);
    origins.push(...its);
    return sharesOf(path, its);
  });
  const notes = [...left, ...history.notes(), ...damagedLogs(origins)];
  return { lines: commitText(commit, shares), json: { commit, files: shares }, notes };
}

/** git keeps whole seconds. */
const SECOND_MS = 1000;
