// A native search for callers that are allowed to see only part of what it finds. The search program opens files by path, so
// each file with hits is opened again through the guarded files, and that content is shown.

import { join, relative } from "node:path";
import { errorCode } from "../../core/faults.ts";
import type { Fs, FsSearch, GrepHit, GrepQuery, GrepResult } from "../kernel/contract.ts";
import { MAX_FILE_BYTES, shownLine, utf8Of } from "../search/line-match.ts";
import { isPassedOver } from "../search/walk.ts";
import { ScopeError } from "./scoped.ts";

interface ScopedSearch {
  /** Runs `query` at `root`, the real path of its root; the paths of its hits stay below the root as given in the query. */
  readonly grep: (query: GrepQuery, root: string, signal: AbortSignal) => Promise<GrepResult | undefined>;
}

const FILES_AT_ONCE = 32;

export function scopedSearch({ grep }: FsSearch, { readBytes }: Pick<Fs, "readBytes">): ScopedSearch {
  return {
    async grep(query, root, signal) {
      const found = await grep({ ...query, root }, signal);
      if (!found) return undefined;
      const byFile = new Map<string, GrepHit[]>();
      for (const hit of found.hits) {
        const known = byFile.get(hit.path);
        if (known) known.push(hit);
        else byFile.set(hit.path, [hit]);
      }
      const paths = [...byFile.keys()];
      const kept: GrepHit[] = [];
      let changed = 0;
      let forbidden = 0;
      for (let from = 0; from < paths.length; from += FILES_AT_ONCE) {
        const some = paths.slice(from, from + FILES_AT_ONCE);
        const lines = await Promise.all(some.map((path) => linesOf(readBytes, path, byFile.get(path) ?? [])));
        for (const [index, path] of some.entries()) {
          const [hits = [], own] = [byFile.get(path), lines[index]];
          if (own === "forbidden") forbidden += hits.length;
          const held = hits.filter(
            ({ line, text }) => own instanceof Map && own.get(line) === unmarked(text),
          );
          if (own !== "forbidden" && own !== "gone" && held.length < hits.length) changed++;
          for (const hit of held) kept.push({ ...hit, path: join(query.root, relative(root, path)) });
        }
      }
      // Forbidden hits used up the limit: the portable walker, which sees only permitted files, has to answer.
      if (found.truncated && forbidden > 0) return undefined;
      return { ...found, hits: kept, changed: (found.changed ?? 0) + changed || undefined };
    },
  };
}

type Lines = ReadonlyMap<number, string> | "forbidden" | "gone";

/** The lines of the hits, taken from the file that may be read. */
async function linesOf(readBytes: Fs["readBytes"], path: string, hits: readonly GrepHit[]): Promise<Lines> {
  let text: string;
  try {
    const bytes = await readBytes(path, { start: 0, maxBytes: MAX_FILE_BYTES + 1 });
    if (bytes.length > MAX_FILE_BYTES) return new Map(); // it grew
    text = Buffer.from(utf8Of(bytes)).toString("utf8");
  } catch (error) {
    if (error instanceof ScopeError) return "forbidden";
    if (isPassedOver(error) || errorCode(error) === "EBUSY") return "gone";
    throw error;
  }
  const wanted = new Map(hits.map((hit) => [hit.line, hit.at]));
  const lines = new Map<number, string>();
  for (let line = 1, start = 0; start <= text.length && lines.size < wanted.size; line++) {
    const newline = text.indexOf("\n", start);
    const end = newline < 0 ? text.length : newline;
    const at = wanted.get(line);
    if (at !== undefined) lines.set(line, unmarked(shownLine(text.slice(start, end), at)));
    start = end + 1;
  }
  return lines;
}

// The search program drops the byte order mark of some encodings.
function unmarked(text: string): string {
  return text.replace(/^\ufeff/, "");
}
