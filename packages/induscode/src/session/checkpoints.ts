// What a session asks of checkpoints. Shapes only: what keeps them is loaded when something is about to change.

import type { Fs } from "indusagi/capabilities";
import type { CheckpointEntry } from "../conductor/contract.ts";
import type { Access } from "../feature/contract.ts";

export interface Checkpoints {
  /** A turn begins: what was changed before it is not its doing. */
  readonly begin: () => void;
  /** Awaited before something that touches this happens. Never rejects. */
  readonly before: (touched: readonly Access[]) => Promise<void>;
  /** The same files; each is noted before it is written or removed. */
  readonly noting: (fs: Fs) => Fs;
  /** What the turn changed; undefined where it changed nothing. Never rejects. */
  readonly end: () => Promise<CheckpointEntry | undefined>;
}
