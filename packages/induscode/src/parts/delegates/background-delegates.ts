// Background delegates: they work while the session they work for goes on, keep their sessions after they have ended, so
// that they can continue, and end with that session.

import { Aborted, deferred, describeError, monotonicMs } from "indusagi/core";
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
import { createKeptDelegates, type Kept, type KeptDelegates, viewOf } from "./kept-delegates.ts";

/** How many may work at once. */
export const MAX_WORKING = 8;
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
  const kept = createKeptDelegates(called);
  let count = before;
  let isClosed = false;

  const refuseMore = (more: number): void => {
    if (isClosed) throw new DelegateProblem("this session has ended and cannot delegate");
    if (kept.working().length + elsewhere() + more > MAX_WORKING)
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
    countWorking: () => kept.working().length,
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
    list: () => kept.all().map(viewOf),
    get: (id) => viewOf(kept.find(id)),
    send(id, message) {
      const one = kept.find(id);
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
      const one = kept.find(id);
      const was = viewOf(one);
      one.controller.abort();
      await one.done;
      return was;
    },
    async wait(id, signal) {
      const one = kept.find(id);
      one.waiting++;
      try {
        await orAborted(one.done, signal);
        return viewOf(one);
      } finally {
        one.waiting--;
      }
    },
    async dismiss(id) {
      const one = kept.find(id);
      one.controller.abort();
      await one.done;
      kept.forget(id);
      await one.worker.close();
    },
    async close() {
      isClosed = true;
      const still = kept.working();
      for (const { controller } of still) controller.abort();
      await kept.close();
      return still.length;
    },
  };

  function put(facts: Parameters<KeptDelegates["add"]>[0], text: string): BackgroundDelegate {
    const one = kept.add(facts);
    begin(one, text);
    kept.dropOldest();
    return viewOf(one);
  }
}

/** Rejects with `Aborted` if the signal fires first. */
async function orAborted(done: Promise<void>, signal: AbortSignal): Promise<void> {
  if (signal.aborted) throw new Aborted();
  const aborted = deferred<never>();
  const stop = (): void => aborted.reject(new Aborted());
  signal.addEventListener("abort", stop, { once: true });
  try {
    await Promise.race([done, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
