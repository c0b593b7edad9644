// The checkpoint functions a session needs. Shapes only: the implementation is loaded when something is about to change.

import type { Fs } from "indusagi/capabilities";
import type { CheckpointEntry } from "../conductor/contract.ts";
import type { Access } from "../feature/contract.ts";

export interface Checkpoints {
  /** A turn begins: earlier changes do not count as its own. */
  readonly begin: () => void;
  /** Awaited before an action that touches these. Never rejects. */
  readonly before: (touched: readonly Access[]) => Promise<void>;
  /** The same file system, noting each file before it is written or removed. */
  readonly noting: (fs: Fs) => Fs;
  /** What the turn changed; undefined if nothing. Never rejects. */
  readonly end: () => Promise<CheckpointEntry | undefined>;
}
