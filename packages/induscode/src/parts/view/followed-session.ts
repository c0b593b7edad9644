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
  readonly state: () => SessionState;
  readonly story: () => Story;
  /** Calls back when the state may be another one. */
  readonly watch: (changed: () => void) => () => void;
  readonly close: () => void;
}

const LOOK_MS = 500;

/** `mask` hides the known secrets. */
export function followSession(path: string, mask: <Value>(value: Value) => Value): FollowedSession {
  const watchers = new Set<() => void>();
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
    try {
      current();
    } catch {
      return; // the file was replaced just now: it is read at the next look
    }
    nextLookAt = began + 10 * (monotonicMs() - began);
    seen = now;
    for (const changed of watchers) changed();
  }

  return {
    state: () => ({ size: current().size, branch: current().branch, isRunning: isRunning() }),
    story: () => current().story,
    watch(changed) {
      watchers.add(changed);
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
