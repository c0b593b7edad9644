// Which file was moved to a path: one that is gone and whose last content is the most alike. Checkpoints tell of both.

import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { basename, resolve } from "node:path";
import { isKnownType } from "../../conductor/entry-shape.ts";
import { scanEntries } from "../../conductor/log-reader.ts";
import { likeness, versionOf } from "./traced-text.ts";

/** A file that went away. */
export interface LeftFile {
  readonly path: string;
  /** When it was seen to be gone; absent if no log tells of it. */
  readonly leftAt: number | undefined;
  /** Its last state. */
  readonly state: string;
}

interface Change {
  readonly at: number;
  readonly before: string;
  readonly after: string;
}

export type ChangedFiles = ReadonlyMap<string, readonly Change[]>;

/** How many are compared. */
const MAX_COMPARED = 200;
/** The share of its lines that a moved file has kept, as for git. */
const MIN_LIKENESS = 0.5;
const BEGINNING = /^\{"n":\d{1,16},"at":\d{1,16},"type":"(\w{1,20})"/;

/** Adds what the checkpoints of a log tell. Throws what the file system throws. */
export function addChanges(path: string, changes: Map<string, Change[]>): void {
  let cwd = "/";
  scanEntries(
    path,
    (entry) => {
      if (entry.type === "session") cwd = entry.cwd;
      if (entry.type !== "checkpoint") return;
      for (const { path: file, before, after } of entry.files) {
        const name = resolve(cwd, file);
        const its = changes.get(name) ?? [];
        changes.set(name, its);
        its.push({ at: entry.at, before, after });
      }
    },
    (line) => {
      const type = BEGINNING.exec(line.slice(0, 80))?.[1] ?? "";
      return isKnownType(type) && type !== "session" && type !== "checkpoint";
    },
  );
}

/** The file that came to `path` with this text before that moment; undefined if none seems to have. */
export function movedTo(
  { path, text, before }: { readonly path: string; readonly text: string; readonly before: number },
  changes: ChangedFiles,
  contentOf: (state: string) => string | undefined,
): LeftFile | undefined {
  const left = [...changes].flatMap(([other, its]): readonly LeftFile[] => {
    const gone = its.findLast(({ after }) => after === "absent");
    if (other === path || (existsSync(other) && !(gone && gone.at <= before))) return [];
    return [{ path: other, leftAt: gone?.at, state: gone?.before ?? its.at(-1)?.after ?? "absent" }];
  });
  const digest = createHash("sha256").update(text).digest("hex");
  const isNamedAlike = (file: LeftFile): boolean => basename(file.path) === basename(path);
  const likely = left.sort((a, b) => Number(isNamedAlike(b)) - Number(isNamedAlike(a)));
  const same = likely.find(({ state }) => state.startsWith(digest));
  if (same || text === "") return text === "" ? undefined : same;
  const now = versionOf(text, undefined);
  const [best] = likely
    .slice(0, MAX_COMPARED)
    .map((file) => ({ file, score: likeness(versionOf(contentOf(file.state) ?? "", undefined), now) }))
    .sort((a, b) => b.score - a.score);
  return best && best.score >= MIN_LIKENESS ? best.file : undefined;
}
