// A session's log, read again when it has grown, as the story that a page shows.

import { statSync } from "node:fs";
import { monotonicMs } from "indusagi/core";
import { branchOf } from "../../conductor/branch.ts";
import { readEntries } from "../../conductor/log-reader.ts";
import { isLockHeld } from "../../store/lock.ts";
import { type Story, storyOf } from "../export/story.ts";

/** What a page needs to know to keep up. */
export interface SessionState {
  /** Changes with each entry. */
  readonly size: number;
  /** Turns before the last one are no longer what they were once this changes: the conversation went back. */
  readonly branch: number;
  readonly isRunning: boolean;
}

export interface FollowedSession {
  /** Throws while the log cannot be read. */
  readonly story: () => Story;
  /** Calls back with the state now, and whenever it may be another one; while the log cannot be read, it is tried again. */
  readonly watch: (changed: (state: SessionState) => void) => () => void;
  readonly close: () => void;
}

const LOOK_MS = 500;

/** `mask` hides the known secrets. */
export function followSession(path: string, mask: <Value>(value: Value) => Value): FollowedSession {
  const watchers = new Set<(state: SessionState) => void>();
  let timer: NodeJS.Timeout | undefined;
  let seen = "";
  /** Not before then: a long log takes a tenth of the time at most. */
  let nextLookAt = 0;
  let read: { readonly size: number; readonly branch: number; readonly story: Story } | undefined;

  const sizeNow = (): number => statSync(path, { throwIfNoEntry: false })?.size ?? read?.size ?? 0;
  const isRunning = (): boolean => isLockHeld(`${path}.lock`);

  function current() {
    const size = sizeNow();
    if (read?.size === size) return read;
    const { entries } = readEntries(path);
    const branch = entries.filter(({ type }) => type === "jump").length;
    read = { size, branch, story: storyOf(branchOf(entries.map((entry) => mask(entry)))) };
    return read;
  }

  function look(): void {
    const now = `${sizeNow()} ${isRunning()}`;
    const began = monotonicMs();
    if (now === seen || began < nextLookAt) return;
    const state = stateNow();
    if (state === undefined) return;
    nextLookAt = began + 10 * (monotonicMs() - began);
    seen = now;
    for (const changed of watchers) changed(state);
  }

  /** Undefined while the file cannot be read: it is not there yet, or is being replaced. */
  function stateNow(): SessionState | undefined {
    try {
      const { size, branch } = current();
      return { size, branch, isRunning: isRunning() };
    } catch {
      return undefined;
    }
  }

  return {
    story: () => current().story,
    watch(changed) {
      watchers.add(changed);
      const state = stateNow();
      if (state) changed(state);
      else seen = ""; // at the next look
      timer ??= setInterval(look, LOOK_MS);
      return () => {
        watchers.delete(changed);
        if (watchers.size === 0) close();
      };
    },
    close,
  };

  function close(): void {
    clearInterval(timer);
    timer = undefined;
  }
}
