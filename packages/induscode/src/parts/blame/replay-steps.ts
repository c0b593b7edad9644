// The steps of a file, replayed from the oldest: its text after each of them, and the origin of each line.

import { createHash } from "node:crypto";
import { applied, hunksOf, type LooseHunk, settled } from "./hunks.ts";
import type { CallStep, StateStep, Step } from "./log-steps.ts";
import type { MaybeOrigin, TracedCall } from "./origin.ts";
import { rewritten, textOf, type Version } from "./traced-text.ts";

export interface Sources {
  /** The content of a checkpoint's state, if it is still kept. */
  readonly contentOf: (state: string) => string | undefined;
  /** The file appears with this text: the version that was moved to its path, if it seems to come from another one. */
  readonly movedHere: (text: string, before: number) => Version | undefined;
}

export interface Replayed {
  /** The last version; undefined if the file is gone, or no text of it is known. */
  readonly last: Version | undefined;
  /** The text becomes `text` now, by nobody whom a log names. */
  readonly become: (text: string, before: number) => Version;
  /** The last version with exactly the text asked for. */
  readonly exact: Version | undefined;
  /** States whose content is no longer kept. */
  readonly lost: number;
}

/** Steps must be in order. */
export function replay(steps: readonly Step[], sources: Sources, wanted?: string): Replayed {
  let now: Version | undefined;
  let exact: Version | undefined;
  let lost = 0;
  /** Something that is not known happened since `now`; it was within this turn. */
  let gap: MaybeOrigin;
  let loose: LooseHunk[] = [];
  /** The calls since the last known state. */
  let calls: TracedCall[] = [];
  const earlier = new Map<string, Version>();

  function become(text: string, by: MaybeOrigin, before: number): Version {
    const { version, inserted } = rewritten(now ?? sources.movedHere(text, before), text, by ?? gap);
    const found = settled(version, loose, inserted);
    gap = undefined;
    loose = [];
    return found;
  }

  function takeCall({ origin, content, diff = "", at }: CallStep): void {
    if (origin.kind === "call") calls.push(origin.call);
    const hunks = hunksOf(diff);
    if (content !== undefined) {
      if (now || hunks.length === 0) now = rewritten(now, content, origin).version;
      else {
        loose.push(...hunks.map((hunk) => ({ ...hunk, origin })));
        now = become(content, undefined, at);
      }
    } else if (now) {
      const done = applied(now, hunks, origin);
      now = done.version;
      loose.push(...done.loose);
    } else loose.push(...hunks.map((hunk) => ({ ...hunk, origin })));
  }

  function takeState({ state, within, at }: StateStep): void {
    const by = withinOf(within, calls);
    calls = [];
    if (state === "absent") {
      now = undefined;
      loose = [];
      return;
    }
    const [digest = ""] = state.split(":");
    if (now && digestOf(now) === digest)
      loose = []; // whatever they added is gone again
    else {
      const text = sources.contentOf(state);
      const restored = within ? undefined : earlier.get(digest);
      if (restored) now = restored;
      else if (text !== undefined) now = become(text, by, at);
      else {
        lost++;
        gap ??= by;
        return;
      }
    }
    earlier.set(digest, now);
  }

  for (const step of steps) {
    if (step.kind === "call") takeCall(step);
    else takeState(step);
    if (now && wanted !== undefined && textOf(now) === wanted) exact = now;
  }
  return { last: now, become: (text, before) => become(text, undefined, before), exact, lost };
}

/** If none of the turn's commands can have done it, it came after, or with, one of the calls that wrote the file. */
function withinOf(within: StateStep["within"], calls: readonly TracedCall[]): MaybeOrigin {
  if (within?.kind !== "turn" || within.maybe.length > 0) return within;
  return { ...within, maybe: calls };
}

function digestOf(version: Version): string {
  return createHash("sha256").update(textOf(version)).digest("hex");
}
