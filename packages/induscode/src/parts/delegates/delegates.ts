// The delegates of a session: each gets its own session for one objective, reports through the session it works for, and
// ends with it. Its actions are in its own log, its answer is in the other's. The code that runs them is loaded with the
// first one.

import { Aborted } from "indusagi/core";
import type { SubagentProfile } from "../../briefing/contract.ts";
import type { Conductor } from "../../conductor/contract.ts";
import type { FeatureSessions } from "../../feature/sessions-service.ts";
import type { OpenDelegate } from "../../session/open-facts.ts";
import type { AddonSessions, AddonSessionsDeps } from "./addon-sessions.ts";
import type { Background, BackgroundDeps } from "./background-delegates.ts";
import {
  type BackgroundDesk,
  type DelegateDesk,
  DelegateProblem,
  type DelegateReport,
  type DelegateWork,
} from "./delegate-desk.ts";
import type { DelegateSession, Employ } from "./delegate-worker.ts";

export interface DelegatesDeps
  extends Pick<BackgroundDeps, "note" | "notify">,
    Pick<AddonSessionsDeps, "permits" | "alert" | "onRemoved" | "oneByOne" | "before"> {
  readonly profiles: readonly SubagentProfile[];
  /** Announces in the delegating session what its delegates do. */
  readonly announce: Conductor["announce"];
  /** Why no delegate may use the model a call names; undefined when one may. */
  readonly modelProblem: (name: string) => Promise<string | undefined>;
  /** Creates a delegate's session, idle. */
  readonly open: (profile: SubagentProfile, how: OpenDelegate) => DelegateSession;
}

export interface Delegates extends DelegateDesk {
  readonly all: BackgroundDesk;
  /** A feature's own sessions. */
  readonly sessionsOf: (feature: string) => Promise<FeatureSessions>;
  /** Ends those in the background and waits until every delegate has ended. Returns how many were still working. Never rejects. */
  readonly close: () => Promise<number>;
}

export function createDelegates({
  profiles,
  open,
  modelProblem,
  permits,
  alert,
  onRemoved,
  oneByOne,
  before,
  announce,
  ...deps
}: DelegatesDeps): Delegates {
  const working = new Set<Promise<unknown>>();
  let background: Background | undefined;
  let sessions: AddonSessions | undefined;
  let isClosed = false;
  const begun = (): Background => {
    if (background) return background;
    throw new DelegateProblem("no delegate was started in the background");
  };
  const ofAddon = (id: string): BackgroundDesk | undefined => (id.includes("/") ? sessions : undefined);
  const lackOf = async ({ model }: DelegateWork): Promise<string | undefined> =>
    model === undefined ? undefined : modelProblem(model);
  const noUse = ({ agent, model }: DelegateWork, why: string): string =>
    `${agent} cannot use ${model}: ${why}`;
  return {
    async check(all) {
      for (const work of all) {
        const why = await lackOf(work);
        if (why !== undefined) throw new DelegateProblem(noUse(work, why));
      }
    },
    run(work, signal) {
      const done = workToEnd(work, signal);
      working.add(done);
      const forget = (): void => void working.delete(done);
      done.then(forget, forget);
      return done;
    },
    async start(work) {
      const employ = await loadEmploy();
      const { createBackground } = await import("./background-delegates.ts");
      if (isClosed) throw new DelegateProblem("this session has ended and cannot delegate");
      background ??= createBackground({ employ, ...deps, elsewhere: () => sessions?.countWorking() ?? 0 });
      return background.start(work);
    },
    list: () => background?.list() ?? [],
    get: (id) => begun().get(id),
    send: (id, message) => begun().send(id, message),
    stop: async (id) => begun().stop(id),
    wait: async (id, signal) => begun().wait(id, signal),
    all: {
      list: () => [...(background?.list() ?? []), ...(sessions?.list() ?? [])],
      send: (id, message) => (ofAddon(id) ?? begun()).send(id, message),
      stop: async (id) => (ofAddon(id) ?? begun()).stop(id),
    },
    async sessionsOf(feature) {
      const employ = await loadEmploy();
      const { createAddonSessions } = await import("./addon-sessions.ts");
      if (isClosed) throw new DelegateProblem("this session has ended and cannot delegate");
      sessions ??= createAddonSessions({
        ...{ employ, permits, alert, onRemoved, oneByOne, before, roles: profiles },
        note: deps.note,
        elsewhere: () => background?.countWorking() ?? 0,
      });
      return sessions.of(feature);
    },
    async close() {
      isClosed = true;
      const still = await Promise.all([background?.close() ?? 0, sessions?.close() ?? 0]);
      await Promise.allSettled(working);
      return still[0] + still[1];
    },
  };

  async function loadEmploy(): Promise<Employ> {
    const { workerOf } = await import("./delegate-worker.ts");
    return ({ agent, model, limits = {} }, isUnattended, author) => {
      const profile = profiles.find(({ name }) => name === agent);
      if (!profile) throw new DelegateProblem(`delegate not found: "${agent}"`);
      const session = open(profile, {
        ...{ isUnattended, model, maxTurns: limits.turns },
        ...{ author: author?.feature, continues: author?.sessionId },
      });
      return workerOf(agent, session, limits, isUnattended ? undefined : announce);
    };
  }

  async function workToEnd(work: DelegateWork, signal: AbortSignal): Promise<DelegateReport> {
    const lacksModel = await lackOf(work);
    if (lacksModel !== undefined)
      return { ok: false, report: noUse(work, lacksModel), turns: 0, cost: 0, lacksModel };
    const employ = await loadEmploy();
    if (signal.aborted) throw new Aborted();
    const { toEnd } = await import("./delegate-worker.ts");
    return toEnd(employ(work, false), work, { signal, announce });
  }
}
