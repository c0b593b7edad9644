// What a session shows, as facts: no lines, colours or widths. Every front makes its own lines of them. Shapes only; all
// texts from a model, a tool or a feature are untrusted, and whoever shows them makes them printable.

import type { JsonValue } from "indusagi/core";
import type { ModelDelta, Usage } from "indusagi/llmgateway";
import type { ConductorFault, DiagnosticEvent, ToolState } from "../conductor/contract.ts";

/** The answer to the model call under way. */
export interface AnswerView {
  readonly kind: "answer";
  readonly text: string;
  readonly thinking: string;
}

/** One tool call, while it runs and after. */
export interface CallView {
  readonly kind: "call";
  readonly callId: string;
  readonly name: string;
  /** What it is about, on one line. */
  readonly title: string;
  /** The arguments that the tool got, as far as known so far. */
  readonly input?: JsonValue | undefined;
  readonly state: "running" | ToolState;
  /** The tool itself is running, not waiting for a question, feature or other call; known only if somebody is watching. */
  readonly hasBegun?: true;
  /** Set once it has ended. */
  readonly durationMs?: number | undefined;
  /** How it ended, in the tool's own words. */
  readonly status?: string | undefined;
  readonly details?: JsonValue | undefined;
  /** What it changed in a file, as a unified diff. */
  readonly diff?: string | undefined;
  /** While it runs: the tail of its output so far. */
  readonly tail?: string | undefined;
  /** What the model reads of its result, once it has ended; unknown for a delegate's call. */
  readonly output?: string;
  /** Why a delegate's call failed or was refused. */
  readonly reason?: string | undefined;
}

/** The model call is retried. */
export interface RetryView {
  readonly kind: "retry";
  readonly retry: Extract<ModelDelta, { readonly kind: "retry" }>;
  /** Whether part of the answer had arrived already and is now void. */
  readonly isVoiding: boolean;
}

/** Something that has ended and never changes again. */
export type SettledView =
  | AnswerView
  | CallView
  | RetryView
  | { readonly kind: "alert"; readonly text: string; readonly owner?: string }
  | DiagnosticEvent
  | { readonly kind: "fault"; readonly fault: ConductorFault }
  /** Something of a delegate's that has ended; `agent` names the delegate. */
  | {
      readonly kind: "delegate";
      readonly agent: string;
      readonly sessionId: string;
      readonly item:
        | Exclude<SettledView, { readonly kind: "delegate" | "answer" }>
        /** `objective` is empty for one in the background: it is not known to indus. */
        | { readonly kind: "begun"; readonly objective: string }
        /** Without a duration if its start was not seen. */
        | { readonly kind: "ended"; readonly state: ToolState; readonly durationMs?: number | undefined };
    };

/** A delegate working for the current submit, from its start to its end. */
export interface DelegateView {
  readonly agent: string;
  readonly sessionId: string;
  readonly objective: string;
  /** Its calls that are running. */
  readonly calls: readonly CallView[];
}

/** A delegate, or an addon's session, running in the background; it outlives the submit in which it started. */
export interface BackgroundView {
  /** An addon's begins with the addon's name. */
  readonly id: string;
  readonly agent: string;
  readonly sessionId: string;
  /** When it started, according to the log. */
  readonly at: number;
}

/** For the current submit, delegates included. */
export interface SubmitTotals {
  /** Model calls that were answered. */
  readonly turns: number;
  /** Over all turns: each sends the conversation so far again. */
  readonly usage: Usage;
  /** Where prices are known. */
  readonly dollars: number;
  /** Model calls whose price is not known. */
  readonly unpriced: number;
}

/**
 * What the session waits for: a summary of the conversation so far, the provider accepting the request, the model's first token,
 * the rest of a call that it is writing, or the next retry.
 */
type WaitView =
  | { readonly kind: "summary" }
  | { readonly kind: "connecting" }
  | { readonly kind: "model" }
  | { readonly kind: "writing"; readonly tool: string }
  | { readonly kind: "retry"; readonly retry: RetryView["retry"] };

/** What there is to show between two events. Its size depends on what is running, not on the history. */
export interface ViewState {
  /** Absent until the model says something. */
  readonly answer?: AnswerView;
  /** The running calls, in the order in which they started. */
  readonly calls: readonly CallView[];
  readonly delegates: readonly DelegateView[];
  readonly background: readonly BackgroundView[];
  /** What the last event added to the answer; the answer's text is the sum of these. */
  readonly grown: string;
  /** What the last event ended, in order. */
  readonly settled: readonly SettledView[];
  readonly totals: SubmitTotals;
  /** Absent while text comes, while calls run, and between submits. */
  readonly waits?: WaitView;
  /** The last fault that was shown in the submit under way. */
  readonly fault?: ConductorFault | undefined;
}
