// A turn's looks at everything: the first one before something that can change any file, the others for what has changed since.

import { nowMs } from "indusagi/core";
import { counted } from "../../conductor/log-reader.ts";
import type { FolderLook } from "./folder-look.ts";
import { plainFile } from "./known-files.ts";
import type { SeenFile } from "./seen-file.ts";

export interface TurnLook {
  /** Another turn: it has not looked yet. */
  readonly restart: () => void;
  /** Its first look, unless it has had that. */
  readonly begin: () => Promise<void>;
  readonly hasBegun: () => boolean;
  /** Something may have changed since the last look. */
  readonly expectChange: () => void;
  /** Looks again, if it has looked and there can be something new. */
  readonly again: () => Promise<void>;
  /** What has changed since the first look, as it was then. */
  readonly changed: () => Iterable<readonly [path: string, was: SeenFile | undefined]>;
}

export function createTurnLook(
  all: Pick<FolderLook, "look">,
  root: string,
  tell: (text: string) => void,
): TurnLook {
  let changed: Map<string, SeenFile | undefined> | undefined;
  /** When the first look began. */
  let beganAt = 0;
  let isDirty = false;
  const isOlder = (path: string): boolean => {
    const found = plainFile(`${root}${path}`);
    return found !== undefined && found.birthtimeMs < beganAt;
  };
  return {
    restart() {
      changed = undefined;
      isDirty = false;
    },
    async begin() {
      if (changed) return;
      beganAt = nowMs();
      await all.look();
      changed = new Map();
    },
    hasBegun: () => changed !== undefined,
    expectChange() {
      isDirty = true;
    },
    async again() {
      if (!changed || !isDirty) return;
      const { files, haveRulesChanged } = await all.look();
      let uncovered = 0;
      for (const [path, was] of files) {
        if (!was && haveRulesChanged && isOlder(path)) uncovered++;
        else if (!changed.has(path)) changed.set(path, was);
      }
      if (uncovered > 0)
        tell(
          `Checkpoints: the state before this turn is missing for ${counted(uncovered, "file")}: ignore rules covered ${uncovered === 1 ? "the file" : "the files"} when the turn began, and no longer do.`,
        );
      isDirty = false;
    },
    changed: () => changed ?? [],
  };
}
