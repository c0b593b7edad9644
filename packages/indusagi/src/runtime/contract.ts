// The two outward contracts of the tool layer (seed 001) and the loop's seam. Defined once, imported everywhere.

import type {
  AssistantMessage,
  ImageBlock,
  JsonValue,
  ModelDelta,
  ModelFault,
  ModelProvider,
  ModelReply,
  ModelRequest,
  ToolDescriptor,
} from "../llmgateway/contract.ts";

export type { ToolDescriptor };

/** A single request to invoke a named tool, as the model made it. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: JsonValue;
}

/**
 * The flat result of running one call (seed 001): a lone text is a bare string, a lone JSON block its value, a mix an
 * array of `{ kind, … }` objects. Refused, failed, cancelled and succeeded calls all end as an outcome.
 */
export interface ToolOutcome {
  readonly id: string;
  readonly output: JsonValue;
  readonly isError: boolean;
  /** What the model reads, where a host's boundary made a text of `output`. */
  readonly text?: string;
  /** Which end it was, where the caller can tell more than `isError`. */
  readonly state?: ToolState;
  /** How it ended, in a few words of the tool's own; see `CallReport`. */
  readonly status?: string;
  /** Dollars that models cost which the call asked by itself. */
  readonly cost?: number;
  /** What the model sees of it besides the text. */
  readonly images?: readonly ImageBlock[];
  /** How long the tool itself ran, where the runner knows: without waiting for its turn or for a person. */
  readonly ranMs?: number;
  /** The model is not asked again: what the call brought is the end of the task. */
  readonly endsTask?: boolean;
}

/** How a tool call ended. All four look alike to the model: an outcome. */
export type ToolState = "ok" | "failed" | "refused" | "cancelled";

/** Runs one call. Never rejects. Calls of one reply are started in call order. */
export interface ToolRunner {
  readonly run: (call: ToolCall, signal: AbortSignal) => Promise<ToolOutcome>;
  /** Whether a call mostly waits for another process; such calls do not take the place of those that work here. */
  readonly waits?: (call: ToolCall) => boolean;
}

/** The catalogue the model sees with the runner that fulfils it. */
export interface ToolBox {
  readonly descriptors: () => readonly ToolDescriptor[];
  readonly runner: ToolRunner;
}

/**
 * What the loop needs from whoever owns the conversation. Every method that commits returns after the thing is
 * durable: the model and the person hear of it only afterwards.
 */
export interface LoopPort {
  /** The next model call: a fold of everything committed so far, and who serves it. Asked before each call. */
  readonly prepareCall: (signal: AbortSignal) => Promise<PreparedCall>;
  /**
   * Does something about a failed model call, so that it is worth asking again: shortens a conversation that does not fit,
   * chooses another model. The call is then prepared and made anew. Answers the fault to end with where nothing can be done.
   */
  readonly recover?: (fault: ModelFault, signal: AbortSignal) => Promise<ModelFault | undefined>;
  readonly onDelta: (delta: ModelDelta) => void;
  /** What the provider has to say to the person about how it asks. */
  readonly onRemark?: (text: string) => void;
  /** Returns the message as it was committed: the loop goes on with that one. */
  readonly commitReply: (reply: ModelReply) => AssistantMessage | Promise<AssistantMessage>;
  readonly onToolStart: (call: ToolCall) => void;
  /** Called in call order, once for each call of the reply, `durationMs` of run time later. */
  readonly commitOutcome: (call: ToolCall, outcome: ToolOutcome, durationMs: number) => void;
  /** Commits queued steering lines; true when there was at least one. */
  readonly commitSteering: () => boolean | Promise<boolean>;
}

export type PreparedCall =
  | { readonly ok: true; readonly provider: ModelProvider; readonly request: ModelRequest }
  | { readonly ok: false; readonly fault: ModelFault };

export interface LoopOptions {
  readonly tools: ToolBox;
  readonly port: LoopPort;
  readonly signal: AbortSignal;
  /** Model calls for one submit; default 1,000. */
  readonly maxTurns?: number;
}

/** How a submit ended. `faulted` carries the fault to show; the log holds everything before it. */
export type LoopEnd =
  | { readonly kind: "complete"; readonly message: AssistantMessage; readonly stop: ModelReply["stop"] }
  | { readonly kind: "aborted" }
  | { readonly kind: "turn_budget"; readonly maxTurns: number }
  | { readonly kind: "faulted"; readonly fault: ModelFault };
