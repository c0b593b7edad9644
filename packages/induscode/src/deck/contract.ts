// What the session sees of its tools. Shapes only.

import type { ToolCall, ToolDescriptor, ToolOutcome, ToolState } from "indusagi/runtime";

/** An outcome with the text the model reads and which of the four ends it was. */
export interface BoundaryOutcome extends ToolOutcome {
  readonly text: string;
  readonly state: ToolState;
}

/** Runs one call through the boundary. Never rejects. */
export type Boundary = (call: ToolCall, signal: AbortSignal) => Promise<BoundaryOutcome>;

/** Descriptors in install order, made once, and the boundary that runs their calls. */
export interface Deck {
  readonly descriptors: readonly ToolDescriptor[];
  readonly run: Boundary;
  /** Whether a call starts a process and then mostly waits for it. */
  readonly waits: (call: ToolCall) => boolean;
  /** Loads what the first call will need. Worth doing while the model thinks; never rejects. */
  readonly warmUp: () => Promise<void>;
}
