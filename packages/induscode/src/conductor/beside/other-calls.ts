// The calls of other programs beside the conversation: the boundary decides about them as about a model's, and the log has them, but no
// model sees them.

import { monotonicMs } from "indusagi/core";
import type { ToolCall } from "indusagi/runtime";
import type { CallOutcome } from "../../deck/contract.ts";
import { toolTitle } from "../call-facts.ts";
import type { TurnDeps, TurnHooks } from "../conductor-deps.ts";
import type { Conductor, OtherCaller } from "../contract.ts";
import { LogError } from "../log.ts";
import { mendLog } from "../move-log.ts";
import type { Notes } from "../notes.ts";
import { logFault } from "../one-at-a-time.ts";
import { logOutcome } from "../turns/outcome-entry.ts";

export interface OtherCalls extends Pick<Conductor, "tools" | "call"> {
  /** Ends all that run. */
  readonly abort: () => void;
  /** None runs any more, and the log has them all. */
  readonly settled: () => Promise<void>;
}

interface OtherCallsDeps extends Pick<TurnDeps, "record" | "deck"> {
  readonly notes: Notes;
  readonly turn?: TurnHooks | undefined;
}

export function createOtherCalls({ record, deck, notes, turn }: OtherCallsDeps): OtherCalls {
  const running = new Map<AbortController, Promise<unknown>>();
  let atWork = 0;
  let ending: Promise<void> | undefined;

  async function run(
    call: ToolCall,
    { by, without }: OtherCaller,
    signal: AbortSignal,
  ): Promise<CallOutcome> {
    const meant = deck.meant(call);
    const { id, name, input } = meant;
    record.emit({ kind: "tool_start", callId: id, name, title: toolTitle(input), input });
    const began = monotonicMs();
    const feature = deck.ownerOf(name);
    const outcome =
      feature !== undefined && without.has(feature) ? notOffered(call) : await deck.run(call, signal);
    const durationMs = monotonicMs() - began;
    logOutcome(record, meant, outcome, { durationMs, feature, by });
    return outcome;
  }

  /** Several at once count as one turn: what they changed is found out after the last one. */
  async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    while (ending !== undefined) await ending; // its look at the files is not this turn's
    const isFirst = atWork++ === 0;
    try {
      if (isFirst) begin();
      secure();
      return await work();
    } finally {
      atWork--;
      if (atWork === 0) {
        const ended = end().catch(told); // the calls have their outcomes
        ending = ended.finally(() => {
          ending = undefined;
        });
        await ending;
      }
    }
  }

  function begin(): void {
    notes.begin();
    notes.logEarly();
    turn?.begin();
  }

  /** Nothing is done that the log cannot tell. Throws a `LogError`. */
  function secure(): void {
    mendLog(record);
    record.log().sync();
  }

  function told(error: unknown): void {
    if (!(error instanceof LogError)) throw error;
    record.emit({ kind: "fault", fault: logFault(error) });
  }

  async function end(): Promise<void> {
    for (const body of (await turn?.end()) ?? []) record.append(body);
    record.append({ type: "end", how: "complete", turns: record.fold().turns });
    record.log().sync();
  }

  return {
    tools(without) {
      deck.beginTurn();
      return deck.descriptors.filter(({ name }) => !without.has(deck.ownerOf(name) ?? ""));
    },
    async call(call, caller, signal) {
      const controller = new AbortController();
      const done = inTurn(() => run(call, caller, AbortSignal.any([controller.signal, signal])));
      running.set(controller, done);
      try {
        return await done;
      } finally {
        running.delete(controller);
      }
    },
    abort() {
      for (const controller of running.keys()) controller.abort();
    },
    settled: async () => void (await Promise.allSettled(running.values())),
  };
}

function notOffered({ id, name }: ToolCall): CallOutcome {
  const text = `Refused: ${name} was not run, because it belongs to a conversation, and is not offered to other programs`;
  return { id, output: text, text, isError: true, state: "refused" };
}
