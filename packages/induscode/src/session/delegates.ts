// Delegates at work: each gets a session of its own for one objective, is heard through the session that it works for, and
// ends with it. What it did stands in its own log, what it answered in the other's.

import { Aborted } from "indusagi/core";
import type { SubagentProfile } from "../briefing/contract.ts";
import type { Conductor, ConductorEvent, DelegateEvent, SubmitEnd } from "../conductor/contract.ts";
import { totalDollars } from "../conductor/cost.ts";
import type { DelegateReport, DelegateRunner, DelegateWork } from "../deck/builtins/delegates.ts";

export interface DelegatesDeps {
  readonly profiles: readonly SubagentProfile[];
  /** Makes the session of a delegate, idle. */
  readonly open: (profile: SubagentProfile) => DelegateSession;
  /** Of the session that hands on work: what its delegates do. */
  readonly announce: Conductor["announce"];
}

/** What is needed of a delegate's session. */
export interface DelegateSession {
  readonly conductor: Conductor;
  readonly start: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface Delegates {
  /** Answers the tool `task`. */
  readonly run: DelegateRunner;
  /** Waits until every delegate has ended; the signals of their calls end them. Never rejects. */
  readonly ended: () => Promise<void>;
}

export function createDelegates({ profiles, open, announce }: DelegatesDeps): Delegates {
  const working = new Set<Promise<unknown>>();
  return {
    run(agent, work, signal) {
      const profile = profiles.find(({ name }) => name === agent);
      if (!profile) return Promise.reject(new Error(`there is no delegate "${agent}"`));
      const done = workToEnd(profile, work, signal);
      working.add(done);
      const forget = (): void => void working.delete(done);
      done.then(forget, forget);
      return done;
    },
    ended: async () => void (await Promise.allSettled(working)),
  };

  async function workToEnd(
    profile: SubagentProfile,
    work: DelegateWork,
    signal: AbortSignal,
  ): Promise<DelegateReport> {
    const session = open(profile);
    const { conductor: delegate } = session;
    const { sessionId } = delegate.status();
    let calls = 0;
    let lastWords = "";
    const onEvent = (event: ConductorEvent): void => {
      if (event.kind === "entry" && event.entry.type === "request") calls++;
      if (!isTold(event)) return;
      if (event.kind === "entry") lastWords = textOf(event.entry) || lastWords;
      announce({ kind: "delegate", agent: profile.name, sessionId, event });
    };
    delegate.subscribe(onEvent, { pieces: false });
    const stop = (): void => delegate.abort();
    signal.addEventListener("abort", stop, { once: true });
    try {
      await session.start();
      if (signal.aborted) throw new Aborted();
      const end = await delegate.submit({ content: [{ kind: "text", text: wordsOf(work) }] });
      if (end.kind === "aborted") throw new Aborted();
      const trail = `(${profile.name}, ${calls} model ${calls === 1 ? "call" : "calls"}, session ${sessionId})`;
      const { ok, lines } = reportOf(end, lastWords);
      const cost = totalDollars(delegate.status().costs);
      return { ok, report: [...lines, trail].join("\n\n"), cost };
    } finally {
      signal.removeEventListener("abort", stop);
      await session.close();
    }
  }
}

const TOLD: ReadonlySet<string> = new Set(["tool_start", "tool_end", "alert", "fault"]);

/** The other entries and deltas are the delegate's own: nobody waits for its every word. */
function isTold(event: ConductorEvent): event is DelegateEvent {
  if (event.kind === "entry") return event.entry.type === "assistant";
  return event.kind === "delta" ? event.delta.kind === "retry" : TOLD.has(event.kind);
}

function textOf({ message }: Extract<DelegateEvent, { kind: "entry" }>["entry"]): string {
  return message.content
    .map((block) => (block.kind === "text" ? block.text : ""))
    .join("")
    .trim();
}

function wordsOf({ objective, context }: DelegateWork): string {
  return context === undefined ? objective : `${objective}\n\nWhat you need to know:\n${context}`;
}

function reportOf(
  end: Exclude<SubmitEnd, { kind: "aborted" }>,
  lastWords: string,
): { readonly ok: boolean; readonly lines: readonly string[] } {
  if (end.kind === "faulted") {
    const reason = end.fault.kind === "turn_budget" ? "it has used up its model calls" : end.fault.message;
    const said = lastWords === "" ? [] : [`It said last:\n${lastWords}`];
    return { ok: false, lines: [`The delegate did not finish: ${reason}`, ...said] };
  }
  const answer = end.text.trim();
  if (end.stop === "refusal")
    return {
      ok: false,
      lines: ["The delegate's model refused to answer.", ...(answer === "" ? [] : [answer])],
    };
  if (answer === "") return { ok: false, lines: ["The delegate ended without an answer."] };
  const cut = end.stop === "max_output" ? ["[cut: the model reached its output limit]"] : [];
  return { ok: true, lines: [answer, ...cut] };
}
