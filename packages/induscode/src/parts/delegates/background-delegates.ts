// Background delegates: they work while the session they work for goes on, keep their sessions after they have ended, so
// that they can continue, and end with that session.

import { Aborted, deferred, describeError, monotonicMs, nearest } from "indusagi/core";
import type { Conductor } from "../../conductor/contract.ts";
import {
  type BackgroundDelegate,
  type DelegateDesk,
  DelegateProblem,
  type DelegateReport,
  type DelegateState,
  wordsOf,
} from "./delegate-desk.ts";
import type { DelegateWorker, Employ } from "./delegate-worker.ts";

/** How many may work at once. */
export const MAX_WORKING = 8;
/** How many sessions are kept; beyond that, the oldest one that has ended is closed. */
export const MAX_KEPT = 16;

interface Kept {
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

export interface BackgroundDeps {
  /** What one is called, and the prefix of its id; default: `delegate`. */
  readonly called?: string;
  /** How many there were in earlier runs; their ids are not reused. */
  readonly before?: number;
  /** How many are working for others; the limit covers all together. */
  readonly elsewhere?: () => number;
  readonly employ: Employ;
  /** Logs that one begins, and how it ended. */
  readonly note: Conductor["noteDelegate"];
  /** Tells the model how one ended; absent when the model is not concerned. */
  readonly notify?: (text: string) => void;
}

export interface Background extends Omit<DelegateDesk, "run" | "check"> {
  readonly countWorking: () => number;
  /** Continues one of an earlier run with a line, under its old id. */
  readonly goOn: (id: string, agent: string, worker: DelegateWorker, text: string) => BackgroundDelegate;
  /** Throws a {@link DelegateProblem} when nothing more may begin. */
  readonly requireRoom: () => void;
  /** Ends one and forgets it. */
  readonly dismiss: (id: string) => Promise<void>;
  readonly close: () => Promise<number>;
}

export function createBackground({
  called = "delegate",
  before = 0,
  elsewhere = () => 0,
  employ,
  note,
  notify,
}: BackgroundDeps): Background {
  const all = new Map<string, Kept>();
  const dropped = new Set<string>();
  let count = before;
  let isClosed = false;
  const closing: Promise<unknown>[] = [];
  const working = (): readonly Kept[] => [...all.values()].filter(({ state }) => state === "working");

  const find = (id: string): Kept => {
    const found = all.get(id);
    if (found) return found;
    if (dropped.has(id))
      throw new DelegateProblem(
        `${id} has ended and was closed, because at most ${MAX_KEPT} are kept: start another ${called}`,
      );
    const ids = [...all.keys()];
    const meant = nearest(id, ids);
    const hint =
      ids.length === 0
        ? "there are none"
        : meant === undefined
          ? `expected one of ${ids.join(", ")}`
          : `did you mean ${meant}?`;
    throw new DelegateProblem(`background ${called} not found: "${id.slice(0, 40)}"; ${hint}`);
  };
  const refuseMore = (more: number): void => {
    if (isClosed) throw new DelegateProblem("this session has ended and cannot delegate");
    if (working().length + elsewhere() + more > MAX_WORKING)
      throw new DelegateProblem(
        `at most ${MAX_WORKING} delegates and sessions work in the background at a time: wait for one, or stop one`,
      );
  };

  /** Starts it on a line and handles its end. */
  function begin(one: Kept, text: string): void {
    one.state = "working";
    one.report = "";
    one.since = monotonicMs();
    one.controller = new AbortController();
    note({ id: one.id, agent: one.agent, session: one.worker.sessionId, status: "working" });
    const before = one.worker.facts().cost;
    one.done = one.worker.submit(text, one.controller.signal).then(
      (report) => ended(one, report.ok ? "done" : "failed", report),
      (error: unknown) => {
        const cost = one.worker.facts().cost - before;
        if (error instanceof Aborted) ended(one, "stopped", { report: "It was stopped.", cost });
        else ended(one, "failed", { report: describeError(error), cost });
      },
    );
  }

  function ended(
    one: Kept,
    state: DelegateState,
    { report, cost }: Pick<DelegateReport, "report" | "cost">,
  ): void {
    const { id, agent, worker } = one;
    one.state = state;
    one.report = report;
    note({ id, agent, session: worker.sessionId, status: state, cost: cost > 0 ? cost : undefined });
    if (!notify || isClosed || state === "stopped" || one.waiting > 0) return;
    notify(`${id} (${agent}) has ended: ${state}.\n\n${report}`);
  }

  return {
    countWorking: () => working().length,
    async start(work) {
      refuseMore(work.length);
      return work.map((each) => {
        const worker = employ(each, true);
        return put(
          { id: `${called}-${++count}`, agent: each.agent, worker, objective: each.objective },
          wordsOf(each),
        );
      });
    },
    goOn: (id, agent, worker, text) => put({ id, agent, worker, objective: text }, text),
    requireRoom: () => refuseMore(1),
    list: () => [...all.values()].map(viewOf),
    get: (id) => viewOf(find(id)),
    send(id, message) {
      const one = find(id);
      const was = viewOf(one);
      if (was.state === "working") one.worker.steer(message);
      else {
        refuseMore(1);
        one.objective = message;
        begin(one, message);
      }
      return was;
    },
    async stop(id) {
      const one = find(id);
      const was = viewOf(one);
      one.controller.abort();
      await one.done;
      return was;
    },
    async wait(id, signal) {
      const one = find(id);
      one.waiting++;
      const aborted = deferred<never>();
      const stop = (): void => aborted.reject(new Aborted());
      try {
        if (signal.aborted) throw new Aborted();
        signal.addEventListener("abort", stop, { once: true });
        await Promise.race([one.done, aborted.promise]);
        return viewOf(one);
      } finally {
        one.waiting--;
        signal.removeEventListener("abort", stop);
      }
    },
    async dismiss(id) {
      const one = find(id);
      one.controller.abort();
      await one.done;
      all.delete(id);
      await one.worker.close();
    },
    async close() {
      isClosed = true;
      const still = working();
      for (const { controller } of still) controller.abort();
      await Promise.allSettled([
        ...closing,
        ...[...all.values()].map(({ done, worker }) => done.then(worker.close)),
      ]);
      return still.length;
    },
  };

  function put(facts: Pick<Kept, "id" | "agent" | "worker" | "objective">, text: string): BackgroundDelegate {
    const now = {
      controller: new AbortController(),
      done: Promise.resolve(),
      report: "",
      since: 0,
      waiting: 0,
    };
    const one: Kept = { ...facts, ...now, state: "working" };
    all.set(one.id, one);
    dropped.delete(one.id);
    begin(one, text);
    dropOldest();
    return viewOf(one);
  }

  function dropOldest(): void {
    for (const [id, { state, worker }] of all) {
      if (all.size <= MAX_KEPT) return;
      if (state === "working") continue;
      all.delete(id);
      dropped.add(id);
      closing.push(worker.close().catch(() => undefined));
    }
  }
}

function viewOf({ id, agent, worker, objective, state, report, since }: Kept): BackgroundDelegate {
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
