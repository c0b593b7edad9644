// The agent loop: model call -> tool calls -> outcomes -> model call, until no call is left. It owns no memory:
// everything it learns goes to the port, and every request comes from the port.

import { Aborted, abortable } from "../core/abort.ts";
import { monotonicMs } from "../core/clock.ts";
import { describeError } from "../core/faults.ts";
import type { AssistantMessage, ModelResult, ToolCallBlock } from "../llmgateway/contract.ts";
import type { LoopEnd, LoopOptions, ToolCall, ToolOutcome } from "./contract.ts";
import {
  createRepeatedFailures,
  type RepeatedFailures,
  STOPPED_AT,
  withRepetitionTold,
} from "./repeated-failures.ts";

/** Maximum number of model calls per submit if the caller sets none. */
export const DEFAULT_MAX_TURNS = 1_000;

/** Tool calls of one reply that run concurrently in this process. */
export const MAX_CONCURRENT_CALLS = 8;

/** Calls of one reply that wait for other processes concurrently, in addition to those that work in this one. */
export const MAX_WAITING_CALLS = 16;

// After an abort, a tool has this long to return its own outcome; the whole abort must finish within 100 ms.
const ABORT_GRACE_MS = 60;

/** Runs one submit to its end. Rejects only if the port throws: a port that cannot commit must stop the loop. */
export async function runLoop(options: LoopOptions): Promise<LoopEnd> {
  const { port, signal } = options;
  const maxTurns = options.maxTurns ?? DEFAULT_MAX_TURNS;
  const failures = createRepeatedFailures();
  for (let turn = 0; turn < maxTurns; turn++) {
    await port.commitSteering();
    if (signal.aborted) return { kind: "aborted" };
    const result = await callModel(options);
    if (!result.ok) {
      return result.fault.kind === "aborted" ? { kind: "aborted" } : { kind: "faulted", fault: result.fault };
    }
    const { stop } = result.reply;
    const message = await port.commitReply(result.reply);
    const calls = toolCallsOf(message);
    if (calls.length === 0) {
      if (await port.commitSteering()) continue;
      // Some servers state that they stopped for calls, and send none.
      return { kind: "complete", message, stop: stop === "tool_calls" ? "complete" : stop };
    }
    const ending = await runCalls(stop === "max_output" ? withCutCall(calls) : calls, options, failures);
    if (ending === "task") return { kind: "complete", message, stop };
    if (ending !== undefined) return { kind: "repeated_failure", tool: ending.repeated, times: STOPPED_AT };
  }
  return signal.aborted ? { kind: "aborted" } : { kind: "turn_budget", maxTurns };
}

/** An answer that was cut ends in the middle of its last call, unless that one can be read. */
function withCutCall(calls: readonly ToolCallBlock[]): readonly ToolCallBlock[] {
  return calls.map((call, at) =>
    at === calls.length - 1 && call.problem !== undefined ? { ...call, problem: CUT } : call,
  );
}

const CUT = "cut";

/** The calls in a reply, in the order the model made them. */
export function toolCallsOf(message: AssistantMessage): readonly ToolCallBlock[] {
  return message.content.filter((block) => block.kind === "tool_call");
}

async function callModel(options: LoopOptions): Promise<ModelResult> {
  const { port, signal } = options;
  for (;;) {
    const result = await askModel(options);
    if (result.ok || result.fault.kind === "aborted" || !port.recover) return result;
    const fault = await port.recover(result.fault, signal);
    if (signal.aborted) return { ok: false, fault: { kind: "aborted", message: "Cancelled." } };
    if (fault) return { ok: false, fault };
  }
}

async function askModel({ port, signal }: LoopOptions): Promise<ModelResult> {
  const prepared = await port.prepareCall(signal);
  if (!prepared.ok) return prepared;
  const { provider, request } = prepared;
  let open = true; // a provider that ignores its signal must not keep writing to the screen
  const onDelta: typeof port.onDelta = (delta) => {
    if (open) port.onDelta(delta);
  };
  try {
    const { onRemark } = port;
    const options = { signal, onDelta, onRemark };
    return await abortable(provider.stream(request, options), signal);
  } catch (error) {
    if (error instanceof Aborted) return { ok: false, fault: { kind: "aborted", message: "Cancelled." } };
    const message = `The provider "${provider.id}" broke its contract: ${describeError(error)}`;
    return { ok: false, fault: { kind: "protocol", message } };
  } finally {
    open = false;
  }
}

interface Settled {
  readonly outcome: ToolOutcome;
  readonly durationMs: number;
}

/** Returns what of the calls ends the task, if anything does: an outcome that says so, or a failure that was repeated too often. */
async function runCalls(
  calls: readonly ToolCallBlock[],
  options: LoopOptions,
  failures: RepeatedFailures,
): Promise<"task" | { readonly repeated: string } | undefined> {
  const { port, tools, signal } = options;
  const settled: (Settled | undefined)[] = calls.map(() => undefined);
  let committed = 0;
  let broken: { readonly error: unknown } | undefined;
  let repeated: string | undefined;

  // Outcomes arrive in any order; they are committed in call order, each as early as possible.
  const commitReady = (): void => {
    for (let ready = settled[committed]; ready; ready = settled[committed]) {
      const call = calls[committed] as ToolCallBlock;
      committed++;
      const times = failures.count(call, ready.outcome);
      if (times >= STOPPED_AT) repeated = call.name;
      port.commitOutcome(call, withRepetitionTold(ready.outcome, times), ready.durationMs);
    }
  };
  const slots = { working: MAX_CONCURRENT_CALLS, waiting: MAX_WAITING_CALLS };
  await new Promise<void>((resolve) => {
    const queue = calls.map(
      (call, index) => ({ call, index, place: tools.runner.waits?.(call) ? "waiting" : "working" }) as const,
    );
    let running = 0;
    // Starts, in call order, every call that has a free slot of its kind.
    const startReady = (): void => {
      for (let at = 0; at < queue.length && !broken; ) {
        const next = queue[at];
        if (!next || slots[next.place] === 0) at++;
        else {
          queue.splice(at, 1);
          void start(next);
        }
      }
      if (running === 0) resolve();
    };
    const start = async ({ call, index, place }: (typeof queue)[number]): Promise<void> => {
      slots[place]--;
      running++;
      try {
        const ended = await runCall(call, options);
        settled[index] = ended;
        if (index > committed) port.onOutcomeHeld?.(call, ended.outcome, ended.durationMs);
        commitReady();
      } catch (error) {
        broken ??= { error };
      }
      slots[place]++;
      running--;
      startReady();
    };
    startReady();
  });
  if (broken) throw (broken as { readonly error: unknown }).error;
  if (settled.some((each) => each?.outcome.endsTask === true)) return "task";
  return repeated === undefined || signal.aborted ? undefined : { repeated };
}

async function runCall(block: ToolCallBlock, { port, tools, signal }: LoopOptions): Promise<Settled> {
  const call: ToolCall = { id: block.id, name: block.name, input: block.input };
  port.onToolStart(call);
  const startedMs = monotonicMs();
  const outcome = block.problem !== undefined ? unparsable(block) : await dispatch(call);
  return { outcome, durationMs: outcome.ranMs ?? monotonicMs() - startedMs };

  async function dispatch(toRun: ToolCall): Promise<ToolOutcome> {
    if (signal.aborted) return cancelled(toRun, `Cancelled before ${toRun.name} could begin.`);
    try {
      const outcome = await withinGrace(tools.runner.run(toRun, signal), signal);
      return outcome ?? failed(toRun, `The tool ${toRun.name} failed: its runner returned no outcome.`);
    } catch (error) {
      if (error instanceof Aborted) return cancelled(toRun, `Cancelled while ${toRun.name} was running.`);
      return failed(toRun, `The tool ${toRun.name} failed: ${describeError(error)}`);
    }
  }
}

/** Settles like `run`, but no later than the grace period after the signal fires. */
function withinGrace<T>(run: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    const onAbort = (): void => {
      timer = setTimeout(() => reject(new Aborted()), ABORT_GRACE_MS);
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
    run.then(resolve, reject).finally(() => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
    });
  });
}

function unparsable(block: ToolCallBlock): ToolOutcome {
  if (block.problem === CUT) return failed(block, CUT_MESSAGE);
  const shown = (block.unparsed ?? "").slice(0, 200);
  return failed(
    block,
    `The arguments of ${block.name} could not be parsed: ${block.problem}. Received: ${shown}\nSend one JSON object that matches the tool's schema.`,
  );
}

const CUT_MESSAGE =
  "Your answer was cut at its output limit, in the middle of this call. Nothing was run or written. " +
  "Send it in smaller parts, such as a long file in several pieces.";

function failed(call: { readonly id: string }, message: string): ToolOutcome {
  return { id: call.id, output: message, isError: true, state: "failed" };
}

function cancelled(call: { readonly id: string }, message: string): ToolOutcome {
  return { ...failed(call, message), state: "cancelled" };
}
