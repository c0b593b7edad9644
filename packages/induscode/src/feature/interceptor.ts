// What a feature places around a tool's execution.

import type { ToolResult } from "indusagi/capabilities";
import type { JsonValue } from "indusagi/core";
import type { FailurePolicy, FeatureId, HostCapability } from "./descriptor.ts";
import type { GateDecision, HandlerContext, HostHandlerContext } from "./handler.ts";

export interface ToolEnterContext {
  readonly tool: string;
  readonly callId: string;
  readonly args: JsonValue;
}

export interface ToolExitContext extends ToolEnterContext {
  readonly result: ToolResult;
  /** What went wrong, where the result is an error; a stage may recover by returning another result. */
  readonly error?: string | undefined;
}

/** Replaces the arguments, or blocks the call; nothing or null is not a change. */
export type EnterOutcome = { readonly args: JsonValue } | GateDecision | null | undefined;

/** The forms in which a tool's result may be returned: content may be a text, and so may a block of it. */
export type ToolResultForm =
  | string
  | {
      readonly content:
        | string
        | readonly (
            | string
            | ToolResult["content"][number]
            | { readonly type: "text"; readonly text: string }
            | { readonly type: "json"; readonly value: JsonValue }
          )[];
      readonly isError?: boolean;
    };

/** What an exit stage returns: the result that replaces the tool's; nothing or null is not a change. */
export type ExitOutcome = ToolResultForm | null | undefined;

/** The two halves of an interceptor around one tool execution. What they are handed is frozen. */
export interface InterceptorStage<Context = HandlerContext> {
  /** What it is handed goes to another process as a copy. */
  readonly isRemote?: true;
  readonly enter?:
    | ((context: ToolEnterContext, handler: Context) => EnterOutcome | Promise<EnterOutcome>)
    | undefined;
  readonly exit?:
    | ((context: ToolExitContext, handler: Context) => ExitOutcome | Promise<ExitOutcome>)
    | undefined;
}

/** One recorded interceptor: `match` is a tool's name or `*`. */
export interface ToolInterceptor extends InterceptorStage<HostHandlerContext> {
  readonly feature: FeatureId;
  readonly version?: string | undefined;
  /** The feature's grants; absent means none. */
  readonly grants?: readonly HostCapability[];
  /** Applies to the whole feature; without `block` a failing stage changes nothing. */
  readonly onFailure?: FailurePolicy | undefined;
  /** See {@link FeatureDescriptor.patienceMs}. */
  readonly patienceMs?: number | undefined;
  readonly match: string;
}
