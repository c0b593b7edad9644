// Room in the model's window: when a session compacts itself, and what it does where that does not help.

import type { Message, ModelFault } from "indusagi/llmgateway";
import type { TurnDeps } from "../conductor-deps.ts";
import type { ConductorFault } from "../contract.ts";
import type { ResolvedModel } from "../model-in-use.ts";
import type { CompactionFacts } from "./compaction.ts";
import { logNotices } from "./notice-queue.ts";
import { ensurePrompt } from "./prompt.ts";

/** The share of the window at which a session compacts itself. */
const COMPACT_AT_SHARE = 0.8;
/** The share of the window that must be estimated before the provider is asked for its count. */
const DOUBTFUL_SHARE = 0.02;
/** The share of the window that must fill before a failed summary is tried again. */
const POSTPONED_SHARE = 0.05;
const BROUGHT_BACK_BYTES_PER_TOKEN = 0.4;

/**
 * How often in a row a session may fill up again within a few answers of its last summary. A model that starts over after each
 * summary would otherwise run, and be paid for, until its calls are used up.
 */
const MAX_REFILLS = 6;
const REFILL_ANSWERS = 3;

const THRASHING =
  `The session was summarised ${MAX_REFILLS} times in a row and was full again within ${REFILL_ANSWERS} answers each time: what the ` +
  "model requests does not fit its window. Ask for a smaller part of the work, or choose a model with a larger window (/model).";

/** The room of one turn. */
export interface ContextRoom {
  /** Before a request: logs what waits for the model, and compacts a session that is nearly full. Returns why the turn must end. */
  readonly prepare: (model: ResolvedModel) => Promise<ModelFault | undefined>;
  /** The provider said that the request does not fit. Returns the fault to end with, if no room can be made. */
  readonly overflowed: (fault: ModelFault) => Promise<ModelFault | undefined>;
  readonly answered: () => void;
}

export function createContextRoom(deps: TurnDeps, signal: AbortSignal): ContextRoom {
  const { record, hooks, models, notices, budget } = deps;
  /** How often room was made for the current reply, and what was in view before the first time. */
  let roomMade = 0;
  let whole: readonly Message[] = [];
  /** Below this many tokens no summary is asked for, because the last one failed. */
  let postponedTo = 0;
  const refills = createRefills();
  return {
    async prepare(model) {
      const { contextWindow } = model.card;
      logWaiting(contextWindow);
      if (!(await isFull(model))) return undefined;
      if (refills.isThrashing()) return { kind: "request", message: THRASHING };
      await ensurePrompt(deps, signal);
      const fault = await compact(model);
      if (typeof fault === "object") postpone(fault, contextWindow);
      else if (fault === undefined) refills.summarised();
      logWaiting(contextWindow); // restores what the summary took out of view
      return undefined;
    },
    async overflowed(fault) {
      if (roomMade === 0 && refills.isThrashing())
        return { ...fault, message: `${fault.message} ${THRASHING}` };
      if (roomMade === 0) whole = record.fold().messages;
      // The provider decides what fits: our estimate may be wrong, and so may the model's card.
      const found = await models.resolved();
      if (!found.ok) return fault;
      const problem = await compact(found.model, { before: roomMade, whole });
      if (problem === "not needed") return undefined; // does not count as a try: a summary is still possible
      if (problem === undefined) refills.summarised();
      roomMade++;
      return problem && { ...fault, message: `${fault.message} ${problem.message}` };
    },
    answered() {
      roomMade = 0;
      whole = [];
      refills.answered();
    },
  };

  async function compact(
    model: ResolvedModel,
    overfull?: CompactionFacts["overfull"],
  ): Promise<ConductorFault | "not needed" | undefined> {
    const { compactSession } = await import("./compaction.ts"); // most sessions never compact
    return compactSession({ record, hooks, model, budget, reason: "full", focus: "", signal, overfull });
  }

  /** The provider is asked to count only where it matters: near the limit, with much that is only estimated. */
  async function isFull({ provider, model, card: { contextWindow } }: ResolvedModel): Promise<boolean> {
    const fold = record.fold();
    const { contextTokens, estimatedTokens } = fold;
    const limit = Math.max(contextWindow * COMPACT_AT_SHARE, postponedTo);
    const known = contextTokens - estimatedTokens;
    const isDoubtful =
      estimatedTokens > contextWindow * DOUBTFUL_SHARE &&
      known + estimatedTokens / 2 <= limit &&
      known + estimatedTokens * 3 > limit;
    const counted =
      isDoubtful && fold.prompt ? await provider.countTokens?.(fold.request(model), signal) : undefined;
    return (counted ?? contextTokens) > limit;
  }

  // There is still room: the provider will say when there is none.
  function postpone(fault: ConductorFault, contextWindow: number): void {
    postponedTo = record.fold().contextTokens + contextWindow * POSTPONED_SHARE;
    if (fault.kind === "vetoed" || signal.aborted) return;
    record.append({ type: "context", from: 0, remove: 0, insert: [] }); // the summary's question was for that request only
    record.emit({
      kind: "alert",
      text: `${fault.message} The session continues with the room that is left.`,
    });
  }

  /** What a compaction restores must leave room for the work; after a second one for the same reply it is only named. */
  function logWaiting(contextWindow: number): void {
    logNotices(record, notices, roomMade > 1 ? 0 : contextWindow * BROUGHT_BACK_BYTES_PER_TOKEN);
  }
}

export interface Refills {
  /** A summary has made room. */
  readonly summarised: () => void;
  readonly answered: () => void;
  /** Summaries do not last: another one would not help. */
  readonly isThrashing: () => boolean;
}

/** Counts the summaries in a row that did not last. */
export function createRefills(): Refills {
  let refills = 0;
  /** Since the last summary. */
  let answers = Number.POSITIVE_INFINITY;
  return {
    summarised() {
      if (answers === 0) return; // another try for a reply that still does not fit
      refills = answers <= REFILL_ANSWERS ? refills + 1 : 1;
      answers = 0;
    },
    answered() {
      answers++;
    },
    isThrashing: () => refills >= MAX_REFILLS && answers > 0 && answers <= REFILL_ANSWERS,
  };
}
