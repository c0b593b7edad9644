// What a turn changed, as its entry says it.

import type { CheckpointEntry } from "../../conductor/contract.ts";
import type { FileState } from "./file-contents.ts";

const MAX_CHANGES = 5_000;

export interface ChangeList {
  /** The first states given for a path count. */
  readonly add: (path: string, before: FileState, after: () => FileState) => void;
  /** Undefined if nothing changed. */
  readonly entry: () => CheckpointEntry | undefined;
}

export function createChangeList(): ChangeList {
  const files: CheckpointEntry["files"][number][] = [];
  const added = new Set<string>();
  let more = 0;
  return {
    add(path, before, stateAfter) {
      if (added.has(path)) return;
      added.add(path);
      const after = stateAfter();
      if (before === after) return;
      if (files.length < MAX_CHANGES) files.push({ path, before, after });
      else more++;
    },
    entry: () =>
      files.length === 0 ? undefined : { type: "checkpoint", files, more: more > 0 ? more : undefined },
  };
}
