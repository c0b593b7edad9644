// The sessions of one feature: those of this run, in the background, and those of earlier runs, which it can restore.

import { clamp, type OutputBudget } from "indusagi/core";
import type { EntryBody } from "../../conductor/contract.ts";
import { type DelegateRole, onlyReads } from "../../deck/builtins/delegate-roles.ts";
import type { FeatureSessions, SessionRight, SpawnedSession } from "../../feature/sessions-service.ts";
import { type Background, type BackgroundDeps, createBackground } from "./background-delegates.ts";
import { type BackgroundDelegate, DelegateProblem } from "./delegate-desk.ts";

export interface FeatureSessionsDeps extends Pick<BackgroundDeps, "employ" | "note"> {
  readonly roles: readonly DelegateRole[];
  /** Delegates and sessions of earlier runs, according to the log. */
  readonly before: () => readonly LoggedDelegate[];
  /** Nothing runs in the background of a recording. */
  readonly oneByOne: boolean;
  /** How many work besides these. */
  readonly elsewhere: (own: Background) => number;
  /** Why the session refuses to let a feature delegate to this agent, or undefined. */
  readonly permits: (feature: string, agent: string, signal: AbortSignal) => Promise<string | undefined>;
  /** Tells the person that work begins, because it may cost something. */
  readonly alert: (feature: string, text: string) => void;
}

export type LoggedDelegate = Extract<EntryBody, { readonly type: "delegate" }>;

export interface OwnSessions {
  readonly background: Background;
  readonly sessions: FeatureSessions;
  /** The feature leaves: ends those that do not outlive it. */
  readonly leave: () => Promise<void>;
}

const SAID_BUDGET: OutputBudget = { kind: "middle", maxBytes: 64 * 1024 };
const NEVER = new AbortController().signal;

/** The session or its person does not permit this to the feature. */
class NotPermitted extends Error {
  override readonly name = "NotPermitted";
  readonly kind = "denied";
}

/** The sessions of one feature. */
export function createFeatureSessions(feature: string, deps: FeatureSessionsDeps): OwnSessions {
  /** Sessions of earlier runs, by id. */
  const past = new Map(
    deps.before().flatMap((entry) => (entry.by === feature ? [[entry.id, entry] as const] : [])),
  );
  /** The right used for the entry that is written next. */
  let deed: SessionRight | undefined;
  const background: Background = createBackground({
    called: "session",
    elsewhere: () => deps.elsewhere(background),
    before: Math.max(0, ...[...past.keys()].map(numberOf)),
    employ: (work) => deps.employ(work, true, { feature }),
    note: (entry) => deps.note({ ...entry, by: feature, deed }),
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
    if (reason !== undefined) throw new NotPermitted(`it may not delegate to ${agent}, because ${reason}`);
  };
  const sessions: FeatureSessions = {
    async spawn({ outlives = false, ...work }, signal, life) {
      const { agent } = work;
      checkAgent(agent, deps);
      await permitted(agent, signal);
      const [one] = await noting("spawn", () => background.start([work]));
      if (!one) throw new DelegateProblem("no session was started");
      if (outlives) outliving.add(one.id);
      tell(one, work.objective, "started");
      endWith(one.id, life);
      return one.id;
    },
    list: async () => [...[...past.values()].map(pastView), ...background.list().map(viewOf)],
    async wait(id, signal = NEVER) {
      const ended = past.get(id);
      return ended ? pastView(ended) : viewOf(await background.wait(id, signal));
    },
    async stop(id) {
      if (!past.has(id)) await background.stop(id);
    },
    async message(id, text) {
      const { agent, sessionId: session, state } = at(id);
      if (state !== "working") throw new DelegateProblem(`${id} has ended: ${state}; restore it`);
      background.send(id, text);
      deps.note({ id, agent, session, status: "working", by: feature, deed: "message" });
    },
    async restore(id, text, life) {
      const { agent } = idle(id);
      await permitted(agent);
      const one = idle(id);
      noting("restore", () => goOn(one, text));
      tell(one, text, "resumed");
      endWith(id, life);
    },
  };
  return {
    background,
    sessions,
    async leave() {
      const left = background.list().filter(({ id }) => !outliving.has(id));
      await Promise.all(left.map(({ id }) => background.dismiss(id)));
    },
  };

  /** The addon's next process can restore it. */
  function endWith(id: string, life?: AbortSignal): void {
    const end = (): void => {
      const one = background.list().find((each) => each.id === id);
      if (one?.state !== "working" || outliving.has(id)) return;
      deps.alert(feature, `${id} (${one.agent}) was stopped: the addon's process has ended`);
      void background.stop(id);
    };
    if (life?.aborted) end();
    else life?.addEventListener("abort", end, { once: true });
  }

  function at(id: string): Here {
    const ended = past.get(id);
    if (!ended) return background.get(id);
    return { id, agent: ended.agent, sessionId: ended.session, state: pastView(ended).state };
  }

  function goOn({ id, agent, sessionId }: Here, text: string): void {
    if (!past.has(id)) return void background.send(id, text);
    background.requireRoom();
    const worker = deps.employ({ agent, objective: text }, true, { feature, sessionId });
    past.delete(id);
    background.goOn(id, agent, worker, text);
  }

  function idle(id: string): Here {
    const one = at(id);
    if (one.state === "working") throw new DelegateProblem(`${id} is working; send it a message`);
    return one;
  }

  function tell({ id, agent }: Here, words: string, what: string): void {
    deps.alert(feature, `${what} ${id} (${agent}): ${words.replace(/\s+/gu, " ").slice(0, 200)}`);
  }
}

function checkAgent(agent: string, { oneByOne, roles }: FeatureSessionsDeps): void {
  if (oneByOne) throw new DelegateProblem("a recording runs nothing in the background");
  const readers = roles.filter(onlyReads).map(({ name }) => name);
  if (readers.includes(agent)) return;
  const known = roles.some(({ name }) => name === agent);
  throw new DelegateProblem(
    `expected agent to be one of ${readers.join(", ")}, found ${agent.slice(0, 100)}` +
      (known ? ", which may change files while the session uses them" : ""),
  );
}

type Here = Pick<BackgroundDelegate, "id" | "agent" | "sessionId" | "state">;

function numberOf(id: string): number {
  return Number(id.replace(/^\D+/, "")) || 0;
}

/** One still working when its run ended was stopped by that. */
function pastView({ id, agent, status, cost = 0 }: LoggedDelegate): SpawnedSession {
  const state = status === "working" ? "stopped" : status;
  return { id, agent, state, turns: 0, tokens: 0, cost, said: "" };
}

function viewOf({ id, agent, state, turns, tokens, cost, said }: BackgroundDelegate): SpawnedSession {
  return { id, agent, state, turns, tokens, cost, said: clamp(said, SAID_BUDGET) };
}
