// Sessions of features: each feature has its own and sees no other's. They are delegates in the background that answer to the
// feature and not to the model, may do what the session may and the feature itself, and end with the feature.

import { clamp, type Disposer, type OutputBudget } from "indusagi/core";
import { type BackgroundDelegate, DelegateProblem } from "../deck/builtins/delegate-desk.ts";
import { type DelegateRole, onlyReads } from "../deck/builtins/delegates.ts";
import type { FeatureSessions, SessionRight, SpawnedSession } from "../feature/contract.ts";
import { type Background, type BackgroundDeps, createBackground } from "./background-delegates.ts";

export interface AddonSessionsDeps extends Pick<BackgroundDeps, "employ" | "announce" | "note"> {
  readonly roles: readonly DelegateRole[];
  /** Nothing works in the background of a recording. */
  readonly oneByOne: boolean;
  /** How many delegates of the session work. */
  readonly elsewhere: () => number;
  /** Why the session refuses that a feature hands work to this one, or undefined. */
  readonly permits: (feature: string, agent: string, signal: AbortSignal) => Promise<string | undefined>;
  /** The person reads that work begins, which may cost something. */
  readonly alert: (feature: string, text: string) => void;
  /** Hears of each feature that leaves. */
  readonly onRemoved: (listener: (feature: string) => Promise<void>) => Disposer;
}

export interface AddonSessions {
  readonly of: (feature: string) => FeatureSessions;
  readonly countWorking: () => number;
  /** Ends all. Answers how many still worked. */
  readonly close: () => Promise<number>;
}

interface Owned {
  readonly background: Background;
  readonly outliving: Set<string>;
  readonly sessions: FeatureSessions;
}

const SAID_BUDGET: OutputBudget = { kind: "middle", maxBytes: 64 * 1024 };
const NEVER = new AbortController().signal;

/** The session, or the person at it, does not let the feature do so. */
class NotPermitted extends Error {
  override readonly name = "NotPermitted";
  readonly kind = "denied";
}

export function createAddonSessions(deps: AddonSessionsDeps): AddonSessions {
  const owners = new Map<string, Owned>();
  const countWorking = (besides?: Background): number =>
    [...owners.values()].reduce(
      (sum, { background }) => sum + (background === besides ? 0 : background.countWorking()),
      0,
    );
  const unfollow = deps.onRemoved(async (feature) => {
    const owned = owners.get(feature);
    if (!owned) return;
    const { background, outliving } = owned;
    const left = background.list().filter(({ id }) => !outliving.has(id));
    await Promise.all(left.map(({ id }) => background.dismiss(id)));
  });
  return {
    countWorking,
    of(feature) {
      const owned = owners.get(feature) ?? own(feature);
      owners.set(feature, owned);
      return owned.sessions;
    },
    async close() {
      unfollow();
      const still = await Promise.all([...owners.values()].map(({ background }) => background.close()));
      return still.reduce((sum, each) => sum + each, 0);
    },
  };

  function own(feature: string): Owned {
    /** What the entry that is written next is about. */
    let deed: SessionRight | undefined;
    const background: Background = createBackground({
      called: "session",
      elsewhere: () => deps.elsewhere() + countWorking(background),
      employ: (work) => deps.employ(work, true, feature),
      announce: deps.announce,
      note: (entry) => deps.note({ ...entry, by: feature, ...(deed === undefined ? {} : { deed }) }),
    });
    const noting = <Result>(what: SessionRight, work: () => Result): Result => {
      deed = what;
      try {
        return work();
      } finally {
        deed = undefined;
      }
    };
    const outliving = new Set<string>();
    const permitted = async (agent: string, signal = NEVER): Promise<void> => {
      const reason = await deps.permits(feature, agent, signal);
      if (reason !== undefined) throw new NotPermitted(`it may not hand work to ${agent}, because ${reason}`);
    };
    const sessions: FeatureSessions = {
      async spawn({ outlives = false, ...work }, signal) {
        const { agent } = work;
        checkAgent(agent);
        await permitted(agent, signal);
        const [one] = await noting("spawn", () => background.start([work]));
        if (!one) throw new DelegateProblem("nothing was begun");
        if (outlives) outliving.add(one.id);
        tell(one, work.objective, "started");
        return one.id;
      },
      list: async () => background.list().map(viewOf),
      wait: async (id, signal = NEVER) => viewOf(await background.wait(id, signal)),
      stop: async (id) => void (await background.stop(id)),
      async message(id, text) {
        const { agent, sessionId: session, state } = background.get(id);
        if (state !== "working") throw new DelegateProblem(`${id} has ended: ${state}; restore it`);
        background.send(id, text);
        deps.note({ id, agent, session, status: "working", by: feature, deed: "message" });
      },
      async restore(id, text) {
        const { agent } = idle(id);
        await permitted(agent);
        const one = idle(id);
        noting("restore", () => background.send(id, text));
        tell(one, text, "goes on with");
      },
    };
    return { background, outliving, sessions };

    function idle(id: string): BackgroundDelegate {
      const one = background.get(id);
      if (one.state === "working") throw new DelegateProblem(`${id} is at work; send it a message`);
      return one;
    }

    function tell({ id, agent }: BackgroundDelegate, words: string, what: string): void {
      deps.alert(feature, `${what} ${id} (${agent}): ${words.replace(/\s+/gu, " ").slice(0, 200)}`);
    }
  }

  function checkAgent(agent: string): void {
    if (deps.oneByOne) throw new DelegateProblem("nothing works in the background of a recording");
    const readers = deps.roles.filter(onlyReads).map(({ name }) => name);
    if (readers.includes(agent)) return;
    const known = deps.roles.some(({ name }) => name === agent);
    throw new DelegateProblem(
      `expected agent to be one of ${readers.join(", ")}, found ${agent.slice(0, 100)}` +
        (known ? ", which may change files under the session's hands" : ""),
    );
  }
}

function viewOf({ id, agent, state, turns, tokens, cost, said }: BackgroundDelegate): SpawnedSession {
  return { id, agent, state, turns, tokens, cost, said: clamp(said, SAID_BUDGET) };
}
