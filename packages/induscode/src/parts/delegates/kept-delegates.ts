// The delegates of a session that are kept: those at work, and those that have ended and can continue.

import { monotonicMs, nearest } from "indusagi/core";
import { type BackgroundDelegate, DelegateProblem, type DelegateState } from "./delegate-desk.ts";
import type { DelegateWorker } from "./delegate-worker.ts";

/** How many sessions are kept; beyond that, the oldest one that has ended is closed. */
export const MAX_KEPT = 16;

export interface Kept {
  readonly id: string;
  readonly agent: string;
  readonly worker: DelegateWorker;
  objective: string;
  state: DelegateState;
  report: string;
  since: number;
  /** Stops its current work. */
  controller: AbortController;
  done: Promise<void>;
  /** How many callers wait and will learn how it ended. */
  waiting: number;
}

export interface KeptDelegates {
  /** In the order in which they were added. */
  readonly all: () => readonly Kept[];
  readonly working: () => readonly Kept[];
  /** Throws a {@link DelegateProblem} that says which one may be meant. */
  readonly find: (id: string) => Kept;
  /** It has no work yet. */
  readonly add: (facts: Pick<Kept, "id" | "agent" | "worker" | "objective">) => Kept;
  /** Closes the oldest ones that have ended, if there are too many. */
  readonly dropOldest: () => void;
  readonly forget: (id: string) => void;
  /** Closes each once its work has ended. Never rejects. */
  readonly close: () => Promise<void>;
}

/** `called` is what one is called. */
export function createKeptDelegates(called: string): KeptDelegates {
  const all = new Map<string, Kept>();
  const dropped = new Set<string>();
  const closing: Promise<unknown>[] = [];
  return {
    all: () => [...all.values()],
    working: () => [...all.values()].filter(({ state }) => state === "working"),
    find(id) {
      const found = all.get(id);
      if (found) return found;
      if (dropped.has(id))
        throw new DelegateProblem(
          `${id} has ended and was closed, because at most ${MAX_KEPT} are kept: start another ${called}`,
        );
      const hint = hintFor(id, [...all.keys()]);
      throw new DelegateProblem(`background ${called} not found: "${id.slice(0, 40)}"; ${hint}`);
    },
    add(facts) {
      const one: Kept = {
        ...{ ...facts, state: "working", report: "", since: 0, waiting: 0 },
        ...{ controller: new AbortController(), done: Promise.resolve() },
      };
      all.set(one.id, one);
      dropped.delete(one.id);
      return one;
    },
    dropOldest() {
      for (const [id, { state, worker }] of all) {
        if (all.size <= MAX_KEPT) return;
        if (state === "working") continue;
        all.delete(id);
        dropped.add(id);
        closing.push(worker.close().catch(() => undefined));
      }
    },
    forget: (id) => void all.delete(id),
    async close() {
      await Promise.allSettled([
        ...closing,
        ...[...all.values()].map(({ done, worker }) => done.then(worker.close)),
      ]);
    },
  };
}

function hintFor(id: string, ids: readonly string[]): string {
  if (ids.length === 0) return "there are none";
  const meant = nearest(id, ids);
  return meant === undefined ? `expected one of ${ids.join(", ")}` : `did you mean ${meant}?`;
}

/** Its current state. */
export function viewOf({ id, agent, worker, objective, state, report, since }: Kept): BackgroundDelegate {
  const { lastWords, ...facts } = worker.facts();
  const { sessionId } = worker;
  const ageMs = monotonicMs() - since;
  return {
    id,
    agent,
    sessionId,
    objective,
    state,
    ...facts,
    ageMs,
    said: report === "" ? lastWords : report,
  };
}
