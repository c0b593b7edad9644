// A turn: from a person's line to the end of the task that it sets.

import { runLoop } from "indusagi/runtime";
import type { ConductorDeps, TurnDeps } from "../conductor-deps.ts";
import type { ConductorFault, EntryBody, SubmitEnd, SubmitInput } from "../contract.ts";
import { totalDollars } from "../cost.ts";
import type { ContextFold } from "../fold.ts";
import type { LogError } from "../log.ts";
import { maskedContent } from "../masked.ts";
import type { Notes } from "../notes.ts";
import { logFault } from "../one-at-a-time.ts";
import { submitInput, tellLifecycle, type Veto } from "../session-hooks.ts";
import { closeOpenCalls } from "./close-open-calls.ts";
import { createTurnPort } from "./loop-port.ts";
import { promptProblem } from "./prompt-problem.ts";
import { joinQueued } from "./queued-lines.ts";
import { endEntry, submitEnd } from "./turn-end.ts";

export interface TurnsDeps extends TurnDeps, Pick<ConductorDeps, "turn" | "maxTurns"> {
  readonly notes: Notes;
}

export interface Turns {
  /** Runs a turn. Throws a `LogError` where the log takes no more. */
  readonly submit: (input: SubmitInput, signal: AbortSignal) => Promise<SubmitEnd>;
  /** The entry at which a failing log ended a turn is written by now: the turn ends after it. */
  readonly endLate: (body: EntryBody | undefined, error: LogError) => void;
  /** The program ends: so does the turn, if one is open. */
  readonly breakOff: (why: string) => void;
}

/** How many times in a row features have the model go on. */
const MAX_GO_ONS = 5;

export function createTurns(deps: TurnsDeps): Turns {
  const { record, hooks, deck, models, notes } = deps;
  /** A line is logged but its end is not yet. */
  let isOpen = false;
  return {
    async submit({ content }, signal) {
      const problem = promptProblem(content);
      if (problem !== undefined) return { kind: "faulted", fault: { kind: "config", message: problem } };
      models.endFallback();
      const found = await models.resolved();
      if (!found.ok) return { kind: "faulted", fault: found.fault, lacksModel: "certain" };
      const vetoed = await begin(content, signal);
      if (vetoed) return { kind: "faulted", fault: vetoed };
      let { end, goOn } = await work(signal, false);
      for (let again = 0; goOn !== undefined && end.kind === "complete"; again++) {
        if (again === MAX_GO_ONS) {
          record.emit({
            kind: "alert",
            text: `${goOn.by.feature} made the model continue ${MAX_GO_ONS} times in a row; the turn ends now`,
          });
          break;
        }
        logGoOn(goOn);
        ({ end, goOn } = await work(signal, true));
      }
      return end;
    },
    endLate(body, error) {
      const isLine = body?.type === "user";
      if (isLine) notes.begin();
      if ((isOpen || isLine) && body?.type !== "end") finish({ kind: "faulted", fault: logFault(error) });
      isOpen = false;
    },
    breakOff(why) {
      if (!isOpen) return;
      closeOpenCalls(record);
      record.append(endEntry({ kind: "faulted", fault: { kind: "broken", message: why } }));
    },
  };

  /** Logs the line; returns why not, if a feature stopped it. */
  async function begin(
    content: SubmitInput["content"],
    signal: AbortSignal,
  ): Promise<ConductorFault | undefined> {
    closeOpenCalls(record);
    const input = await submitInput(hooks, maskedContent(deps.mask, content), signal);
    if ("veto" in input) {
      record.append({ type: "veto", event: "input:submit", ...input.veto });
      const { reason, by } = input.veto;
      return { kind: "vetoed", message: `Your line was blocked: ${reason} (${by.feature})` };
    }
    const waiting = unanswered(record.fold());
    await joinQueued(deps, signal); // queued lines were typed before this one
    record.append({ type: "user", via: "submit", ...input });
    if (waiting > 0) record.emit({ kind: "alert", text: alongText(waiting) });
    isOpen = true;
    notes.begin();
    notes.logEarly();
    record.log().sync();
    return undefined;
  }

  /** From the line, which is logged, to the end of its turn; and whether a feature wants the model to go on then. */
  async function work(
    signal: AbortSignal,
    isAgain: boolean,
  ): Promise<{ readonly end: SubmitEnd; readonly goOn: Veto | undefined }> {
    deck.beginTurn();
    deps.turn?.begin();
    await tellLifecycle(hooks, "turn:start", record.log().id, { signal, isAgain });
    const port = createTurnPort(deps, signal);
    const end = submitEnd(
      await runLoop({
        tools: { descriptors: () => deck.descriptors, runner: { run: deck.run, waits: deck.waits } },
        port,
        signal,
        maxTurns: deps.maxTurns,
      }),
    );
    port.logInterrupted();
    for (const body of (await deps.turn?.end()) ?? []) record.append(body);
    finish(end);
    // Of a turn that was ended before, features hear as ever; who ends it while they are asked ends what they run.
    const ending = signal.aborted ? { isAgain } : { signal, isAgain };
    const goOn = await tellLifecycle(hooks, "turn:end", record.log().id, ending);
    return { end, goOn: signal.aborted ? undefined : goOn };
  }

  /** The words of a feature in the place of a person's line. */
  function logGoOn({ reason, by }: Veto): void {
    const text = `Notice from ${by.feature}: ${reason}`;
    const content = maskedContent(deps.mask, [{ kind: "text", text }]);
    record.append({ type: "user", via: "steer", content, changes: [{ at: "turn:end", ...by }] });
    isOpen = true;
  }

  function finish(end: SubmitEnd): void {
    const cost = totalDollars(record.fold().costs);
    record.append({ ...endEntry(end), cost: cost > 0 ? cost : undefined, turns: record.fold().turns });
    isOpen = false;
    record.log().sync();
  }
}

/** How many lines are in the view after its last answer: their turns failed, or were interrupted before it. */
function unanswered({ messages, places }: Pick<ContextFold, "messages" | "places">): number {
  const last = messages.findLastIndex(({ role }) => role === "assistant");
  return places.slice(last + 1).filter(({ isLine = false }) => isLine).length;
}

function alongText(waiting: number): string {
  return waiting === 1
    ? "Your last prompt has no answer: the model reads it along with this one."
    : `Your last ${waiting} prompts have no answer: the model reads them along with this one.`;
}
