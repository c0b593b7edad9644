// The checkpoint functions a session needs. Shapes only: the implementation is loaded when something is about to change.

import type { Fs } from "indusagi/capabilities";
import type { CheckpointEntry } from "../conductor/contract.ts";
import type { Access } from "../feature/tool.ts";

/** `runsOn` tells whether something that the action started is still running. */
export type AfterAction = (runsOn?: () => boolean) => void;

export interface Checkpoints {
  /** A turn begins: earlier changes do not count as its own. */
  readonly begin: () => void;
  /** Awaited before an action that touches these; what it resolves to is called after the action. Never rejects. */
  readonly before: (touched: readonly Access[]) => Promise<AfterAction>;
  /** The same file system, noting each file before it is written or removed. */
  readonly noting: (fs: Fs) => Fs;
  /** The model is being asked: what can be found out now delays nobody later. */
  readonly meanwhile: () => void;
  /** What the turn changed; undefined if nothing. Never rejects. */
  readonly end: () => Promise<CheckpointEntry | undefined>;
  /** Ends what looks, after the session's last turn. */
  readonly close: () => void;
}
