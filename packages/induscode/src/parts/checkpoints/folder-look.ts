// All files of the working folder that are not ignored, compared with how they were at the last look. A file with the same times, size
// and inode is not read again.

import { join } from "node:path";
import { nowMs } from "indusagi/core";
import { counted } from "../../conductor/log-reader.ts";
import type { FileContents } from "./file-contents.ts";
import { readFileIndex, writeFileIndex } from "./file-index.ts";
import { createFileListing, isRuleFile, type ListedFiles } from "./file-listing.ts";
import { inBatches } from "./in-batches.ts";
import { createKnownFiles, plainFile } from "./known-files.ts";
import { type SeenFile, seenAs } from "./seen-file.ts";

/** What the last look found out. */
export interface FolderChanges {
  /** For each file that changed, how it was; undefined if it was not there. */
  readonly files: ReadonlyMap<string, SeenFile | undefined>;
  /** Whether other files may be ignored than before. */
  readonly haveRulesChanged: boolean;
}

export interface FolderLook {
  /** One at a time. Rejects if files cannot be listed. */
  readonly look: () => Promise<FolderChanges>;
  /** As of the last look; undefined if it was not there or is ignored. */
  readonly seen: (path: string) => SeenFile | undefined;
  readonly close: () => void;
}

export interface LookedAt {
  readonly cwd: string;
  /** The folder and a separator: calling `join` on 20,000 paths takes as long as checking their files. */
  readonly root: string;
  readonly home: string;
  readonly folder: string;
  readonly contents: FileContents;
  readonly maxFiles: number;
  readonly tell: (text: string) => void;
}

/** How many changed files the index can lack. */
const MAX_UNWRITTEN = 500;

export function createFolderLook({
  cwd,
  root,
  home,
  folder,
  contents,
  maxFiles,
  tell,
}: LookedAt): FolderLook {
  const list = createFileListing(cwd, maxFiles);
  const knownFiles = createKnownFiles(root);
  let known = new Map<string, SeenFile>();
  let listed: ListedFiles | undefined;
  /** When all of them were read, by this session or the one whose index it continues; undefined before the first look. */
  let readAt: number | undefined;
  /** How many files changed since the index was written. */
  let unwritten = 0;
  let isCut = false;
  return { look, seen: (path) => known.get(path), close: knownFiles.close };

  async function look(): Promise<FolderChanges> {
    const isFirst = readAt === undefined;
    if (isFirst) ({ files: known, readAt } = readFileIndex(home, folder));
    const [listing, others] = await Promise.all([list(), knownFiles.others(known)]); // another process lists
    const gone = new Set<string>();
    if (listing !== listed) {
      const there = new Set(listing.paths);
      for (const path of known.keys()) if (!there.has(path)) gone.add(path);
      for (const path of listing.paths) if (!known.has(path)) others.add(path);
    }
    const files = new Map<string, SeenFile | undefined>();
    await inBatches([...gone, ...others], (path) => {
      if (files.has(path)) return;
      const was = known.get(path);
      const found = gone.has(path) ? undefined : plainFile(`${root}${path}`);
      const is = found && seenAs(found, nowMs(), contents.keep(join(cwd, path)));
      if (is) known.set(path, is);
      else known.delete(path);
      // A file that the previous look skipped could have existed then.
      if (was || (is && (listed?.end === undefined || path <= listed.end))) files.set(path, was);
    });
    const haveRulesChanged = listed?.outerRules !== listing.outerRules || [...files.keys()].some(isRuleFile);
    listed = listing;
    tellCut(listing);
    unwritten += files.size;
    if ((isFirst && unwritten > 0) || unwritten > MAX_UNWRITTEN) {
      writeFileIndex(home, folder, { files: known, readAt: readAt ?? nowMs() });
      unwritten = 0;
    }
    return { files, haveRulesChanged };
  }

  function tellCut({ left }: ListedFiles): void {
    if (left > 0 && !isCut)
      tell(
        `Checkpoints: ${cwd} has ${counted(left, "file")} over the limit of ${maxFiles}; what commands do to those is not recorded.`,
      );
    isCut ||= left > 0;
  }
}
