// The history of a file, from all logs that tell of it, and through its moves.

import { basename } from "node:path";
import { describeError } from "indusagi/core";
import { createFileContents, isKept } from "../checkpoints/file-contents.ts";
import { type BlamedLogs, mentions } from "./blamed-logs.ts";
import { type BlamedLog, type ReadAround, readSteps, type Step } from "./log-steps.ts";
import { addChanges, type ChangedFiles, movedTo } from "./moved-files.ts";
import { type Replayed, replay } from "./replay-steps.ts";
import type { Version } from "./traced-text.ts";

export interface FileHistory {
  /** The origin of each line that the file has with this text. `until`: what happened later is left out. */
  readonly version: (path: string, text: string, until?: number) => Version;
  /** What could not be used so far, one sentence each. */
  readonly notes: () => readonly string[];
}

interface HistoryPlace {
  readonly home: string;
  readonly personHome: string;
  readonly blamed: BlamedLogs;
}

/** A file with more moves behind it is followed no further. */
const MAX_MOVES = 20;

export function createFileHistory({ home, personHome, blamed }: HistoryPlace): FileHistory {
  const ids = new Set(blamed.logs.map(({ path }) => basename(path, ".jsonl")));
  const around: ReadAround = { personHome, ids };
  const stores = blamed.folders.map((folder) => createFileContents(home, basename(folder)));
  const unreadable = new Map<string, string>();
  const lost = new Map<string, number>();
  const steps = new Map<string, readonly Step[]>();
  let changes: ChangedFiles | undefined;

  function contentOf(state: string): string | undefined {
    if (!isKept(state)) return undefined;
    for (const store of stores) {
      const content = store.content(state);
      if (content) return content.toString("utf8");
    }
    return undefined;
  }

  /** An unreadable log is noted. */
  function eachLog(read: (log: BlamedLog) => void): void {
    for (const log of blamed.logs)
      try {
        read(log);
      } catch (error) {
        unreadable.set(log.path, describeError(error));
      }
  }

  function stepsOf(path: string): readonly Step[] {
    const known = steps.get(path);
    if (known) return known;
    const found: Step[] = [];
    eachLog((log) => {
      if (mentions(log.path, basename(path))) found.push(...readSteps(log, path, around));
    });
    found.sort((a, b) => a.at - b.at || a.n - b.n);
    steps.set(path, found);
    return found;
  }

  function changedFiles(): ChangedFiles {
    const found: Parameters<typeof addChanges>[1] = new Map();
    eachLog(({ path }) => addChanges(path, found));
    return found;
  }

  /** `after`: the paths that it had later. */
  function replayed(path: string, until: number, after: readonly string[], wanted?: string): Replayed {
    const movedHere = (text: string, before: number): Version | undefined => {
      changes ??= changedFiles();
      const file = movedTo({ path, text, before }, changes, contentOf);
      if (!file || after.includes(file.path) || after.length >= MAX_MOVES) return undefined;
      return replayed(file.path, file.leftAt === undefined ? before : file.leftAt - 1, [...after, path]).last;
    };
    const known = stepsOf(path).filter(({ at }) => at <= until);
    const result = replay(known, { contentOf, movedHere }, wanted);
    lost.set(path, result.lost);
    return result;
  }

  return {
    version(path, text, until = Number.POSITIVE_INFINITY) {
      const all = replayed(path, Number.POSITIVE_INFINITY, [], text);
      if (all.exact) return all.exact;
      return (until === Number.POSITIVE_INFINITY ? all : replayed(path, until, [])).become(text, until);
    },
    notes: () => [
      ...Array.from(unreadable, ([path, why]) => `The log ${path} cannot be read: ${why}.`),
      ...(blamed.left > 0
        ? [`All logs together are longer than 4 GiB: the ${blamed.left} oldest were not read.`]
        : []),
      ...Array.from(lost).flatMap(([path, count]) =>
        count === 0
          ? []
          : [
              `${path}: ${count} of the file's earlier states were never stored, or were removed; the diffs in the log were used instead.`,
            ],
      ),
    ],
  };
}
