// Tells when the files of an addon have changed and come to rest. Editors write in steps and often put a new file in the
// place of the old one, so the folder around the addon is watched as well.

import { type FSWatcher, lstatSync, watch } from "node:fs";
import { basename, dirname } from "node:path";
import { createDisposer, type Disposer, describeError, errorCode, monotonicMs } from "indusagi/core";

export interface WatchOptions {
  /** Called once for a burst of changes. */
  readonly onChange: () => void;
  /** Called with the reason when changes are not seen any more. */
  readonly onLost: (why: string) => void;
}

/** As long as nothing changes, a burst has ended; and one that goes on is not waited for longer than the second. */
const QUIET_MS = 100;
const LONGEST_BURST_MS = 1_000;

/** Watches a file, or a folder with all that is in it. Throws the system's error when that cannot be done. */
export function watchAddon(root: string, { onChange, onLost }: WatchOptions): Disposer {
  let timer: NodeJS.Timeout | undefined;
  let burstSinceMs: number | undefined;
  let inside: FSWatcher | undefined;
  const name = basename(root);
  const around = watch(dirname(root), (_what, changed) => {
    if (changed !== null && changed !== name) return;
    try {
      watchInside(); // it may be another folder of the same name
    } catch (error) {
      lost(error);
    }
    note();
  });
  around.on("error", lost);
  try {
    watchInside();
  } catch (error) {
    around.close(); // else it would keep the process alive
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

  /** A folder that is gone is not a loss: the one around it says when there is one again. */
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
