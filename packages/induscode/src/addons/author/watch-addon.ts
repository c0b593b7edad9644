// Reports when the files of an addon have changed and come to rest. Editors write in steps and often replace the old file
// with a new one, so the parent folder is watched as well.

import { type FSWatcher, lstatSync, watch } from "node:fs";
import { basename, dirname } from "node:path";
import { createDisposer, type Disposer, describeError, errorCode, monotonicMs } from "indusagi/core";

export interface WatchOptions {
  /** Called once for each burst of changes. */
  readonly onChange: () => void;
  /** Called with the reason when changes can no longer be seen. */
  readonly onLost: (why: string) => void;
}

/** A burst ends after this long without a change; one that continues is reported after the second limit anyway. */
const QUIET_MS = 100;
const LONGEST_BURST_MS = 1_000;

/** Watches a file, or a folder with everything in it. Throws the system's error if it cannot. */
export function watchAddon(root: string, { onChange, onLost }: WatchOptions): Disposer {
  let timer: NodeJS.Timeout | undefined;
  let burstSinceMs: number | undefined;
  let inside: FSWatcher | undefined;
  const name = basename(root);
  const around = watch(dirname(root), (_what, changed) => {
    if (changed !== null && changed !== name) return;
    try {
      watchInside(); // it may be a different folder of the same name
    } catch (error) {
      lost(error);
    }
    note();
  });
  around.on("error", lost);
  try {
    watchInside();
  } catch (error) {
    around.close(); // otherwise it would keep the process alive
    throw error;
  }
  return createDisposer(() => {
    clearTimeout(timer);
    around.close();
    inside?.close();
  });

  function watchInside(): void {
    inside?.close();
    inside = undefined;
    if (!isFolder()) return;
    inside = watch(root, { recursive: true }, note);
    inside.on("error", lost);
  }

  function isFolder(): boolean {
    return lstatSync(root, { throwIfNoEntry: false })?.isDirectory() === true;
  }

  /** A removed folder is not an error: the watch on its parent reports when it exists again. */
  function lost(error: unknown): void {
    if (errorCode(error) !== "ENOENT" || isFolder()) onLost(describeError(error));
  }

  function note(): void {
    const nowMs = monotonicMs();
    burstSinceMs ??= nowMs;
    clearTimeout(timer);
    const leftMs = burstSinceMs + LONGEST_BURST_MS - nowMs;
    timer = setTimeout(
      () => {
        burstSinceMs = undefined;
        onChange();
      },
      Math.max(0, Math.min(QUIET_MS, leftMs)),
    );
  }
}
