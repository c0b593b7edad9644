// What the session sees of its tools. Shapes only.

import type { JsonValue } from "indusagi/core";
import type { ToolCall, ToolDescriptor, ToolOutcome, ToolState } from "indusagi/runtime";
import type { ExecOutcome } from "../feature/contract.ts";

/** Who changed something of a call on its way, and where. */
export interface CallChange {
  /** An event of the table, or `intercept:enter` and `intercept:exit`. */
  readonly at: string;
  readonly feature: string;
  readonly version?: string;
  /** What changed where that is not plain: the names of environment variables. */
  readonly detail?: string;
}

/** An outcome with the text the model reads and which of the four ends it was. */
export interface BoundaryOutcome extends ToolOutcome {
  readonly text: string;
  readonly state: ToolState;
  /** The arguments that the tool got, where features rewrote the model's. */
  readonly finalInput?: JsonValue;
  readonly changes?: readonly CallChange[];
}

/** Runs one call through the boundary. Never rejects. */
export type Boundary = (call: ToolCall, signal: AbortSignal) => Promise<BoundaryOutcome>;

/** Descriptors in install order, made once, and the boundary that runs their calls. */
export interface Deck {
  readonly descriptors: readonly ToolDescriptor[];
  readonly run: Boundary;
  /** Runs a person's command line through the gate of the `bash` tool. Rejects with the reason when it is refused. */
  readonly exec: (command: string, signal: AbortSignal) => Promise<ExecOutcome>;
  /** Whether a call starts a process and then mostly waits for it. */
  readonly waits: (call: ToolCall) => boolean;
  /** Loads what the first call will need. Worth doing while the model thinks; never rejects. */
  readonly warmUp: () => Promise<void>;
}
