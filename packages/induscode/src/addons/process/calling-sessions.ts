// Which session an addon's request is for. One process serves several, and what it requests for one of them reaches no other.

import { Aborted, type Disposer, type SessionScope } from "indusagi/core";

/** A call of a session to the addon. */
export interface SessionCall {
  readonly session: SessionScope | undefined;
  /** It runs a task, for as long as the task lasts. */
  readonly isTask?: boolean;
}

export interface CallingSessions {
  /** A session's call begins, with this request id, and ends when the returned function is called. */
  readonly begin: (requestId: number, call: SessionCall) => Disposer;
  /**
   * The session of the call that a request names with `during`, even after the call has ended. A request that names none is
   * for the session with calls under way (ignoring tasks, which last); `several` if more than one session has some.
   */
  readonly of: (during: number | string | undefined) => Caller | "several";
  /** The call during which a question is asked: the named one, otherwise a call of the only calling session, tasks included. */
  readonly asking: (during: number | string | undefined) => AskingCall | "several" | undefined;
}

interface AskingCall {
  readonly session: SessionScope | undefined;
  /** Fires when the call ends. */
  readonly ended: AbortSignal;
}

interface Caller {
  /** Undefined if no call identifies it. */
  readonly session: SessionScope | undefined;
  /** Its call is under way, so the session exists. */
  readonly isWaiting: boolean;
}

interface OpenCall extends SessionCall {
  /** Created when somebody waits for the end. */
  ended?: AbortController;
}

/** How many times the caller may change before the oldest ended calls are forgotten. */
const MAX_RUNS = 256;

export function createCallingSessions(): CallingSessions {
  const underWay = new Map<number | string, OpenCall>();
  /** Request ids are consecutive: a run begins with the id of its first request, and all ids up to the next run belong to one session. */
  let runs: { readonly from: number; readonly session: WeakRef<SessionScope> | undefined }[] = [];
  let lastId = 0;

  function note(id: number, session: SessionScope | undefined): void {
    if (id <= lastId) runs = []; // a new process, with a new count
    lastId = id;
    const last = runs.at(-1);
    if (last && last.session?.deref() === session) return;
    runs.push({ from: id, session: session && new WeakRef(session) });
    if (runs.length > MAX_RUNS) runs.shift();
  }

  return {
    begin(id, given) {
      const call: OpenCall = { ...given };
      underWay.set(id, call);
      note(id, call.session);
      return () => {
        if (underWay.get(id) === call) underWay.delete(id);
        call.ended?.abort(new Aborted());
      };
    },
    of(during) {
      if (during !== undefined) {
        const named = underWay.get(during);
        if (named) return { session: named.session, isWaiting: true };
        if (typeof during === "number" && during <= lastId) {
          const run = runs.findLast(({ from }) => from <= during);
          return { session: run?.session?.deref(), isWaiting: false };
        }
      }
      const short = [...underWay.values()].filter(({ isTask }) => isTask !== true);
      const [session, ...others] = new Set(short.map((call) => call.session));
      return others.length > 0 ? "several" : { session, isWaiting: true };
    },
    asking(during) {
      const meant = during === undefined ? [...underWay.values()] : [underWay.get(during)];
      const [call] = meant;
      if (meant.some((each) => each?.session !== call?.session)) return "several";
      if (!call) return undefined;
      call.ended ??= new AbortController();
      return { session: call.session, ended: call.ended.signal };
    },
  };
}
