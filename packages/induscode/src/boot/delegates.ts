// Delegates at work: each gets a session of its own for one objective, is heard through the session that it works for, and
// ends with it. What it did stands in its own log, what it answered in the other's.

import { Aborted, abortable } from "indusagi/core";
import type { SubagentProfile } from "../briefing/index.ts";
import type { Conductor, ConductorEvent, DelegateEvent, SubmitEnd } from "../conductor/contract.ts";
import type { DelegateReport, DelegateRequest, DelegateRunner } from "../deck/builtins/delegates.ts";

export interface DelegatesDeps {
  readonly profiles: readonly SubagentProfile[];
  /** Makes the session of a delegate, idle. */
  readonly open: (profile: SubagentProfile) => Conductor;
  /** The session that hands on work: it announces what its delegates do. */
  readonly conductor: () => Conductor;
}

export interface Delegates {
  /** Answers the tool `task`. Its signal ends the wait at once; the delegate ends as fast as it can. */
  readonly run: DelegateRunner;
  /** Waits until every delegate has ended; the signals of their calls end them. Never rejects. */
  readonly ended: () => Promise<void>;
}

export function createDelegates({ profiles, open, conductor }: DelegatesDeps): Delegates {
  const working = new Set<Promise<unknown>>();
  return {
    async run(request, signal) {
      const profile = profiles.find(({ name }) => name === request.agent);
      if (profile === undefined) return { ok: false, report: `There is no delegate "${request.agent}".` };
      const work = workToEnd(open(profile), { profile, request, signal, conductor });
      working.add(work);
      const forget = (): void => void working.delete(work);
      work.then(forget, forget);
      return abortable(work, signal);
    },
    ended: async () => void (await Promise.allSettled(working)),
  };
}

interface Work {
  readonly profile: SubagentProfile;
  readonly request: DelegateRequest;
  readonly signal: AbortSignal;
  readonly conductor: DelegatesDeps["conductor"];
}

/** Rejects with `Aborted` where the signal fired. */
async function workToEnd(
  delegate: Conductor,
  { profile, request, signal, conductor }: Work,
): Promise<DelegateReport> {
  const { sessionId } = delegate.status();
  const heard = { agent: profile.name, sessionId, calls: 0, lastWords: "" };
  delegate.subscribe((event) => {
    if (event.kind === "entry" && event.entry.type === "request") heard.calls++;
    if (event.kind === "entry" && event.entry.type === "assistant")
      heard.lastWords = textOf(event.entry) || heard.lastWords;
    if (isTold(event)) conductor().announce({ kind: "delegate", agent: profile.name, sessionId, event });
  });
  const stop = (): void => delegate.abort();
  signal.addEventListener("abort", stop, { once: true });
  try {
    await delegate.start();
    if (signal.aborted) throw new Aborted();
    const end = await delegate.submit({ content: [{ kind: "text", text: wordsOf(request) }] });
    return reportOf(end, heard);
  } finally {
    signal.removeEventListener("abort", stop);
    await delegate.close();
  }
}

const TOLD: ReadonlySet<string> = new Set(["tool_start", "tool_end", "alert", "fault"]);

/** The other entries and deltas are the delegate's own: nobody waits for its every word. */
function isTold(event: ConductorEvent): event is DelegateEvent {
  if (event.kind === "entry") return event.entry.type === "assistant";
  return event.kind === "delta" ? event.delta.kind === "retry" : TOLD.has(event.kind);
}

function textOf({ message }: Extract<DelegateEvent, { kind: "entry" }>["entry"]): string {
  return message.content.map((block) => (block.kind === "text" ? block.text : "")).join("");
}

function wordsOf({ objective, context }: DelegateRequest): string {
  return context === undefined ? objective : `${objective}\n\nWhat you need to know:\n${context}`;
}

interface Heard {
  readonly agent: string;
  readonly sessionId: string;
  readonly calls: number;
  readonly lastWords: string;
}

/** Throws `Aborted` for a session that was. */
function reportOf(end: SubmitEnd, { agent, sessionId, calls, lastWords }: Heard): DelegateReport {
  if (end.kind === "aborted") throw new Aborted();
  const words = lastWords.trim();
  const told = (ok: boolean, ...lines: readonly string[]): DelegateReport => ({
    ok,
    report: [
      ...lines.filter((line) => line !== ""),
      `(${agent}, ${calls} model ${calls === 1 ? "call" : "calls"}, session ${sessionId})`,
    ].join("\n\n"),
  });
  if (end.kind === "faulted") {
    const reason = end.fault.kind === "turn_budget" ? "it has used up its model calls" : end.fault.message;
    return told(false, `The delegate did not finish: ${reason}`, words && `It said last:\n${words}`);
  }
  if (end.stop === "refusal") return told(false, "The delegate's model refused to answer.", words);
  if (words === "") return told(false, "The delegate ended without an answer.");
  return told(true, words, end.stop === "max_output" ? "[cut: the model reached its output limit]" : "");
}
