// What a session shows, as facts: no line, no colour, no width. Every front makes its own lines of it. Shapes only; all
// texts that come from a model, a tool or a feature are untrusted, and whoever shows them makes them printable.

import type { JsonValue } from "indusagi/core";
import type { ModelDelta } from "indusagi/llmgateway";
import type { ConductorFault, ToolState } from "../conductor/contract.ts";

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
  /** The arguments that the tool got, as far as they are known yet. */
  readonly input?: JsonValue;
  readonly state: "running" | ToolState;
  /** The tool itself is at work, and no question, feature or other call is waited for; known only where somebody looks on. */
  readonly hasBegun?: true;
  /** Once it ended. */
  readonly durationMs?: number;
  /** How it ended, in the tool's own words. */
  readonly status?: string;
  readonly details?: JsonValue;
  /** What it changed in a file, as a unified diff. */
  readonly diff?: string;
  /** While it runs: the last of what it has brought so far. */
  readonly tail?: string;
  /** What the model reads of its result, once it ended; of a delegate's call it is not known. */
  readonly output?: string;
}

/** The model call is made again. */
export interface RetryView {
  readonly kind: "retry";
  readonly retry: Extract<ModelDelta, { readonly kind: "retry" }>;
  /** Whether something of the answer was there already, and is void now. */
  readonly isVoiding: boolean;
}

/** What has come to its end, and is never changed again. */
export type SettledView =
  | AnswerView
  | CallView
  | RetryView
  | { readonly kind: "alert"; readonly text: string; readonly owner?: string }
  | { readonly kind: "fault"; readonly fault: ConductorFault }
  /** What was said so far was summarised. */
  | { readonly kind: "summary" }
  /** A delegate's own, as it ended; `agent` names the delegate. */
  | {
      readonly kind: "delegate";
      readonly agent: string;
      readonly sessionId: string;
      readonly item:
        | Exclude<SettledView, { readonly kind: "delegate" | "answer" | "summary" }>
        | { readonly kind: "begun"; readonly objective: string }
        | { readonly kind: "ended"; readonly state: ToolState; readonly durationMs: number };
    };

/** A delegate at work in the submit under way, from its start to its end. */
export interface DelegateView {
  readonly agent: string;
  readonly sessionId: string;
  readonly objective: string;
  /** Those of its calls that run. */
  readonly calls: readonly CallView[];
}

/** Of the submit under way, delegates included. */
export interface SubmitTotals {
  /** Model calls that were answered. */
  readonly turns: number;
  /** Of all kinds, over all turns. */
  readonly tokens: number;
  /** As far as prices are known. */
  readonly dollars: number;
  /** Model calls whose price is not known. */
  readonly unpriced: number;
}

/** What the session waits for: a summary of what was said so far, the provider to take the request, the model's first word, the rest of a call that it writes, or the next try. */
type WaitView =
  | { readonly kind: "summary" }
  | { readonly kind: "connecting" }
  | { readonly kind: "model" }
  | { readonly kind: "writing"; readonly tool: string }
  | { readonly kind: "retry"; readonly retry: RetryView["retry"] };

/** What there is to show between two events. It grows with what runs, not with what was. */
export interface ViewState {
  /** Absent until the model says something. */
  readonly answer?: AnswerView;
  /** The calls that run, in the order in which they began. */
  readonly calls: readonly CallView[];
  readonly delegates: readonly DelegateView[];
  /** What the last event added to the answer; the answer's text is the sum of these. */
  readonly grown: string;
  /** What the last event brought to its end, in order. */
  readonly settled: readonly SettledView[];
  readonly totals: SubmitTotals;
  /** Absent while text comes, while calls run, and between submits. */
  readonly waits?: WaitView;
  /** The last fault that was shown in the submit under way. */
  readonly fault?: ConductorFault;
}
