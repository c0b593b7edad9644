// The two outward contracts of the tool layer and the loop's port. Defined once, imported everywhere.

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

/** One request to call a named tool, as the model made it. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: JsonValue;
}

/**
 * The flat result of one call: a single text is a bare string, a single JSON block its value, a mix an array of `{
 * kind, … }` objects. Refused, failed, cancelled and succeeded calls all produce an outcome.
 */
export interface ToolOutcome {
  readonly id: string;
  readonly output: JsonValue;
  readonly isError: boolean;
  /** What the model reads, if a host's boundary turned `output` into text. */
  readonly text?: string;
  /** How the call ended, if the caller knows more than `isError`. */
  readonly state?: ToolState;
  /** How it ended, in a few words chosen by the tool; see `CallReport`. */
  readonly status?: string;
  /** Dollars spent on model calls that the tool made itself. */
  readonly cost?: number;
  /** What it changed in a file, as a unified diff for the person. */
  readonly diff?: string | undefined;
  /** What the model sees of it besides the text. */
  readonly images?: readonly ImageBlock[] | undefined;
  /** How long the tool itself ran, if the runner knows: excludes waiting for a slot or for a person. */
  readonly ranMs?: number;
  /** The model is not called again: this outcome ends the task. */
  readonly endsTask?: boolean;
}

/** How a tool call ended. The model sees all four the same way: as an outcome. */
export type ToolState = "ok" | "failed" | "refused" | "cancelled";

/** Runs one call. Never rejects. The calls of one reply are started in call order. */
export interface ToolRunner {
  readonly run: (call: ToolCall, signal: AbortSignal) => Promise<ToolOutcome>;
  /** Whether a call mostly waits for another process; such calls do not take the slots of those that work in this process. */
  readonly waits?: (call: ToolCall) => boolean;
}

/** The catalogue that the model sees, and the runner that executes it. */
export interface ToolBox {
  readonly descriptors: () => readonly ToolDescriptor[];
  readonly runner: ToolRunner;
}

/**
 * What the loop needs from the owner of the conversation. Every commit method returns only once the data is durable: the model
 * and the person see it afterwards.
 */
export interface LoopPort {
  /** The next model call: a fold of everything committed so far, and which provider serves it. Asked before each call. */
  readonly prepareCall: (signal: AbortSignal) => Promise<PreparedCall>;
  /**
   * Tries to make a failed model call worth retrying: shortens a conversation that does not fit, or chooses another model. The
   * call is then prepared and made again. Returns the fault to end with if nothing can be done.
   */
  readonly recover?: (fault: ModelFault, signal: AbortSignal) => Promise<ModelFault | undefined>;
  readonly onDelta: (delta: ModelDelta) => void;
  /** What the provider wants the person to know about how it sends its requests. */
  readonly onRemark?: (text: string) => void;
  /** Returns the message as committed: the loop continues with that one. */
  readonly commitReply: (reply: ModelReply) => AssistantMessage | Promise<AssistantMessage>;
  readonly onToolStart: (call: ToolCall) => void;
  /** A call has ended before one that precedes it: its outcome is committed after that one's. */
  readonly onOutcomeHeld?: (call: ToolCall, outcome: ToolOutcome, durationMs: number) => void;
  /** Called in call order, once per call of the reply; `durationMs` is its run time. */
  readonly commitOutcome: (call: ToolCall, outcome: ToolOutcome, durationMs: number) => void;
  /** Commits queued steering lines; true if there was at least one. */
  readonly commitSteering: () => boolean | Promise<boolean>;
}

export type PreparedCall =
  | { readonly ok: true; readonly provider: ModelProvider; readonly request: ModelRequest }
  | { readonly ok: false; readonly fault: ModelFault };

export interface LoopOptions {
  readonly tools: ToolBox;
  readonly port: LoopPort;
  readonly signal: AbortSignal;
  /** Maximum number of model calls per submit; default 1,000. */
  readonly maxTurns?: number | undefined;
}

/** How a submit ended. `faulted` carries the fault to show; the log holds everything before it. */
export type LoopEnd =
  | { readonly kind: "complete"; readonly message: AssistantMessage; readonly stop: ModelReply["stop"] }
  | { readonly kind: "aborted" }
  | { readonly kind: "turn_budget"; readonly maxTurns: number }
  /** The model made the same failing call `times` times. */
  | { readonly kind: "repeated_failure"; readonly tool: string; readonly times: number }
  | { readonly kind: "faulted"; readonly fault: ModelFault };
