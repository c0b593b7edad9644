// What a status line shows about the place: the branch, the model's context window, the mode. Looked up when it could have changed, never
// on a timer.

import { statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { monotonicMs, readFileOpening } from "indusagi/core";
import type { StatusFacts } from "../tui/status/status-line.ts";

export interface PlaceFacts {
  readonly cwd: string;
  /** Undefined while it is not certain. */
  readonly mode: () => string | undefined;
  readonly model: () => string;
  /** How many tokens the model of this name can hold. */
  readonly windowOf: (model: string) => Promise<number | undefined>;
  readonly quarantined: () => number;
  readonly jobs: () => number;
}

const FRESH_MS = 2000;

/** Returns a function cheap enough to call for each frame. */
export function createStatusFacts(facts: PlaceFacts): () => Partial<StatusFacts> {
  let branch: string | undefined;
  let lookedMs = Number.NEGATIVE_INFINITY;
  let known: { readonly model: string; window?: number } | undefined;
  return () => {
    if (monotonicMs() - lookedMs > FRESH_MS) {
      branch = branchOf(facts.cwd);
      lookedMs = monotonicMs();
    }
    const model = facts.model();
    if (known?.model !== model) {
      const asked: { readonly model: string; window?: number } = { model };
      known = asked;
      void facts.windowOf(model).then(
        (window) => {
          if (window !== undefined && window < Number.MAX_SAFE_INTEGER) asked.window = window;
        },
        () => undefined, // without a usable model there is no window to show
      );
    }
    const { window } = known;
    return {
      mode: facts.mode(),
      quarantined: facts.quarantined(),
      jobs: facts.jobs(),
      contextWindow: window,
      branch,
    };
  };
}

const MAX_LEVELS = 40;

/** The branch that is checked out, or the start of a commit; undefined outside a repository. */
function branchOf(cwd: string): string | undefined {
  let folder = cwd;
  for (let level = 0; level < MAX_LEVELS; level++) {
    const found = headIn(folder);
    if (found !== undefined) return found;
    const above = dirname(folder);
    if (above === folder) return undefined;
    folder = above;
  }
  return undefined;
}

function headIn(folder: string): string | undefined {
  try {
    const git = join(folder, ".git");
    const place = statSync(git).isDirectory() ? git : linked(folder, opening(git));
    const head = opening(join(place, "HEAD")).trim();
    return /^ref: refs\/heads\/(\S+)$/.exec(head)?.[1] ?? head.slice(0, 8);
  } catch {
    return undefined; // no repository here, or an unreadable one
  }
}

function opening(path: string): string {
  return readFileOpening(path, 1000).toString("utf8");
}

// In a worktree .git is a file that says where the rest is.
function linked(folder: string, text: string): string {
  return resolve(folder, /^gitdir: (.+)/.exec(text)?.[1]?.trim() ?? ".git");
}
