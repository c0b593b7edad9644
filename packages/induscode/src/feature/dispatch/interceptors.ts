// The onion around one tool execution: enter stages forward, the tool once, exit stages in reverse.

import type { ToolResult } from "indusagi/capabilities";
import { Aborted, describeError, type JsonValue } from "indusagi/core";
import { faultKindOf } from "../fault-kind.ts";
import type { Attribution, GateDecision } from "../handler.ts";
import { DEADLINES_IN_ONE_CALL } from "../handler-limits.ts";
import type { FeatureFault } from "../install-report.ts";
import type { EnterOutcome, ToolEnterContext, ToolExitContext, ToolInterceptor } from "../interceptor.ts";
import { meansTool } from "../tool-names.ts";
import { Asking } from "./asking.ts";
import { attribute } from "./attribute.ts";
import { createDispatchState, type DispatchState } from "./dispatch-state.ts";
import { closedBecause, FAILED, type Fence, type FenceOptions, fenceOf, NotRunning } from "./fence.ts";
import { deepFreeze } from "./freeze.ts";
import type { GrowthChange } from "./growth.ts";
import { acceptEnter, acceptResult } from "./handler-results.ts";
import { type CallTime, createCallTime, NotAsked } from "./time-budget.ts";

export interface InterceptResult {
  /** Absent when the call was blocked. */
  readonly result?: ToolResult;
  readonly blocked?: GateDecision & { readonly by: Attribution };
  /** The arguments the tool got, or would have got. */
  readonly args: JsonValue;
  readonly argsChangedBy: readonly Attribution[];
  readonly resultChangedBy: readonly Attribution[];
}

/** Runs the tool with its final arguments, exactly once; receives who changed them. */
export type ExecuteTool = (args: JsonValue, changedBy: readonly Attribution[]) => Promise<ToolResult>;

export interface RunOptions {
  /** The time of the call. */
  readonly time?: CallTime;
  /** The part of a result a feature is shown. */
  readonly view?: ((feature: string, result: ToolResult) => ToolResult) | undefined;
}

/** The interceptors of one tool; looked up on first use. */
interface Around {
  readonly enters: readonly (ToolInterceptor & { readonly enter: NonNullable<ToolInterceptor["enter"]> })[];
  /** In reverse. */
  readonly exits: readonly (ToolInterceptor & { readonly exit: NonNullable<ToolInterceptor["exit"]> })[];
  readonly features: number;
}

/**
 * Folds the committed interceptors around tool calls. A failing stage is a fault and a no-op, unless its feature blocks on
 * failure: then it stops the call or withholds the result.
 */
export class InterceptorChain {
  readonly #interceptors: readonly ToolInterceptor[];
  readonly #fence: Fence;
  readonly #state: Pick<DispatchState, "growth">;
  readonly #around = new Map<string, Around>();

  constructor(
    interceptors: readonly ToolInterceptor[],
    fence: Partial<FenceOptions> = {},
    state?: Pick<DispatchState, "growth">,
  ) {
    this.#interceptors = interceptors;
    this.#fence = fenceOf(fence);
    this.#state = state ?? createDispatchState(this.#fence);
  }

  /** Whether any interceptor applies to `tool`. */
  matches(tool: string): boolean {
    return this.#interceptors.some((each) => meansTool(each.match, tool));
  }

  /** One call under a signal that never fires. */
  run(context: ToolEnterContext, execute: ExecuteTool): Promise<InterceptResult> {
    return this.runWith(context, execute, new AbortController().signal);
  }

  /**
   * One call, within its remaining time; without `time` the chain has its own. Rejects only when `execute` does and no exit
   * stage recovers. Without a `view` each stage sees whole results.
   */
  async runWith(
    context: ToolEnterContext,
    execute: ExecuteTool,
    signal: AbortSignal,
    { time, view }: RunOptions = {},
  ): Promise<InterceptResult> {
    const { enters, exits, features } = this.#aroundOf(context.tool);
    if (features === 0) {
      const { args } = context;
      return { result: await execute(args, []), args, argsChangedBy: [], resultChangedBy: [] };
    }
    const callTime = time ?? this.#timeOf(features);
    const entered = await this.#enter(context, enters, new Asking(this.#fence, callTime, signal));
    if (entered.blocked) return { ...entered, resultChangedBy: [] };
    const { args, argsChangedBy } = entered;
    let thrown: { readonly error: unknown } | undefined;
    const result = await execute(args, argsChangedBy).catch((error: unknown): ToolResult => {
      thrown = { error };
      return { content: [{ kind: "text", text: describeError(error) }], isError: true };
    });
    const asking = new Asking(this.#fence, callTime, signal);
    const exited = await this.#exit({ ...context, args, result }, exits, asking, view);
    if (thrown && exited.resultChangedBy.length === 0) throw thrown.error;
    return { args, argsChangedBy, ...exited };
  }

  /** The enter stages, forward, up to the first that blocks. */
  async #enter(
    context: ToolEnterContext,
    enters: Around["enters"],
    asking: Asking,
  ): Promise<Pick<InterceptResult, "args" | "argsChangedBy" | "blocked">> {
    let { args } = context;
    const argsChangedBy: Attribution[] = [];
    for (const [at, owner] of enters.entries()) {
      let failure: unknown;
      const before = args;
      const given = { ...context, args: handOut(owner, args) };
      const answer = asking.ask({
        among: enters,
        at,
        owner,
        run: (handler) => owner.enter(given, handler),
        accept: (returned) =>
          acceptEnter(returned, { before, requireRoom: (change) => this.#spend(owner, change) }),
        onError: (error) => {
          failure = error;
          this.#report(owner.feature, context.tool, error);
        },
      });
      const outcome = answer instanceof Promise ? await answer : answer;
      const stop = outcome === FAILED ? closedStage(owner, failure) : outcome;
      if (stop === undefined || stop === null) continue;
      if (!isGate(stop)) {
        args = stop.args;
        argsChangedBy.push(attribute(owner));
      } else if (stop.stop) return { blocked: { ...stop, by: attribute(owner) }, args, argsChangedBy };
    }
    return { args, argsChangedBy };
  }

  /** The exit stages, in reverse; each may replace the result, and so recover an error. */
  async #exit(
    context: ToolEnterContext & Pick<ToolExitContext, "result">,
    exits: Around["exits"],
    asking: Asking,
    view: RunOptions["view"],
  ): Promise<{ readonly result: ToolResult; readonly resultChangedBy: readonly Attribution[] }> {
    let { result } = context;
    const resultChangedBy: Attribution[] = [];
    for (const [at, owner] of exits.entries()) {
      const before = view === undefined ? result : view(owner.feature, result);
      const error = before.isError ? errorText(before) : undefined;
      let failure: unknown;
      const given = {
        ...context,
        args: handOut(owner, context.args),
        result: handOut(owner, before),
        error,
      };
      const answer = asking.ask({
        among: exits,
        at,
        owner,
        run: (handler) => owner.exit(given, handler),
        accept: (returned) =>
          acceptResult(returned, { before, requireRoom: (change) => this.#spend(owner, change) }),
        onError: (error) => {
          failure = error;
          this.#report(owner.feature, context.tool, error);
        },
      });
      const outcome = answer instanceof Promise ? await answer : answer;
      const next = outcome === FAILED ? withheld(owner, failure) : outcome;
      if (next === undefined) continue;
      result = next;
      resultChangedBy.push(attribute(owner));
    }
    return { result, resultChangedBy };
  }

  #aroundOf(tool: string): Around {
    let around = this.#around.get(tool);
    if (around === undefined) {
      const matching = this.#interceptors.filter((each) => meansTool(each.match, tool));
      around = {
        enters: matching.filter((each) => each.enter !== undefined) as Around["enters"],
        exits: matching.filter((each) => each.exit !== undefined).toReversed() as Around["exits"],
        features: new Set(matching.map(({ feature }) => feature)).size,
      };
      this.#around.set(tool, around);
    }
    return around;
  }

  #timeOf(features: number): CallTime {
    return createCallTime(this.#fence.deadlineMs * DEADLINES_IN_ONE_CALL, features);
  }

  #spend({ feature }: ToolInterceptor, change: GrowthChange): void {
    this.#state.growth.spend(feature, change);
  }

  #report(feature: string, tool: string, error: unknown): void {
    // Whoever ended what it was asked for knows.
    if (error instanceof NotRunning || error instanceof Aborted) return;
    if (error instanceof NotAsked && error.isTold) return;
    const message = `${feature} failed around ${tool}: ${describeError(error)}`;
    const kind = faultKindOf(error, "handler");
    const fault: FeatureFault = { kind, owner: feature, message, cause: error };
    this.#fence.onFault(fault);
  }
}

/** A stage that failed, and blocks on failure, stops the call. */
function closedStage({ feature, onFailure }: ToolInterceptor, error: unknown): GateDecision | undefined {
  if (onFailure !== "block") return undefined;
  return { stop: true, reason: closedBecause(`the interceptor of ${feature}`, error) };
}

/** The tool has run, but a stage that blocks on failure could not check its result: nobody sees it. */
function withheld({ feature, onFailure }: ToolInterceptor, error: unknown): ToolResult | undefined {
  if (onFailure !== "block") return undefined;
  const reason = closedBecause(`the interceptor of ${feature}`, error);
  const text = `The call ran, but its result is withheld, because ${reason} (${feature})`;
  return { content: [{ kind: "text", text }], isError: true };
}

/** The session's own value stays unchanged: only what a stage returns counts. */
function handOut<T>({ isRemote }: ToolInterceptor, value: T): T {
  return isRemote ? value : deepFreeze(value);
}

function isGate(outcome: NonNullable<EnterOutcome>): outcome is GateDecision {
  return "stop" in outcome;
}

function errorText(result: ToolResult): string {
  return result.content
    .map((block) => (block.kind === "text" ? block.text : JSON.stringify(block.value)))
    .join("\n");
}
