// Which session an addon's request is for. One process answers several, and what it asks for one of them reaches no other.

import { Aborted, type Disposer, type SessionScope } from "indusagi/core";

/** A call of a session to the addon. */
export interface SessionCall {
  readonly session: SessionScope | undefined;
  /** It runs a task, for as long as that lasts. */
  readonly isTask?: boolean;
}

interface CallingSessions {
  /** A session calls, as this request, until the answer is called. */
  readonly begin: (requestId: number, call: SessionCall) => Disposer;
  /**
   * The session of the call that a request names with `during`, also after the call has ended. A request that names none is for
   * the session whose calls are under way, tasks aside, which last; `several` where these are of more than one.
   */
  readonly of: (during: number | string | undefined) => Caller | "several";
  /** The call under way during which a question is asked: the one that is named, else the only session's, its tasks too. */
  readonly asking: (during: number | string | undefined) => AskingCall | "several" | undefined;
}

interface AskingCall {
  readonly session: SessionScope | undefined;
  /** Fires when the call ends. */
  readonly ended: AbortSignal;
}

interface Caller {
  /** Undefined where no call says which. */
  readonly session: SessionScope | undefined;
  /** Its call is under way: the session is there. */
  readonly isWaiting: boolean;
}

interface OpenCall extends SessionCall {
  /** Made when somebody waits for the end. */
  ended?: AbortController;
}

/** So many times the caller may change before the oldest ended calls are forgotten. */
const MAX_RUNS = 256;

export function createCallingSessions(): CallingSessions {
  const underWay = new Map<number | string, OpenCall>();
  /** The host counts its requests: each run begins with the id of its first, and all up to the next are of one session. */
  let runs: { readonly from: number; readonly session: WeakRef<SessionScope> | undefined }[] = [];
  let lastId = 0;

  function note(id: number, session: SessionScope | undefined): void {
    if (id <= lastId) runs = []; // another process, which is counted anew
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
