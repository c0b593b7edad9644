// A delegate working on one line after another, each within its limits.

import { Aborted, formatDollars, monotonicMs } from "indusagi/core";
import type {
  Conductor,
  ConductorEvent,
  ConductorFault,
  DelegateEvent,
  Entry,
  SubmitEnd,
} from "../../conductor/contract.ts";
import { totalDollars } from "../../conductor/cost.ts";
import { reasonOf } from "../../console/transcript-lines.ts";
import { type DelegateLimits, type DelegateReport, type DelegateWork, wordsOf } from "./delegate-desk.ts";

/** What a worker needs of a delegate's session. */
export interface DelegateSession {
  readonly conductor: Conductor;
  readonly start: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** What it has used so far. */
export interface WorkerFacts {
  readonly turns: number;
  readonly tokens: number;
  readonly cost: number;
  readonly lastWords: string;
  /** The call that it makes now, or the last one begun of several. */
  readonly doing?: string | undefined;
}

export interface DelegateWorker {
  readonly sessionId: string;
  readonly facts: () => WorkerFacts;
  /** Works on a line to its end; `cost` is for this line. Rejects with `Aborted`, after the work has ended, if the signal fires. */
  readonly submit: (text: string, signal: AbortSignal) => Promise<DelegateReport>;
  /** Adds to the line it is working on. */
  readonly steer: (text: string) => void;
  readonly close: () => Promise<void>;
}

/** The worker for one piece of work. Throws a `DelegateProblem` when there is no delegate of that name. */
export type Employ = (work: DelegateWork, isUnattended: boolean, author?: Author) => DelegateWorker;

/** The feature a delegate works for; it is responsible for the delegate's calls. */
export interface Author {
  readonly feature: string;
  /** The session of an earlier run to continue. */
  readonly sessionId?: string;
}

/** The limits are per line. `announce` receives what it does. */
export function workerOf(
  agent: string,
  session: DelegateSession,
  limits: DelegateLimits,
  announce?: Conductor["announce"],
): DelegateWorker {
  const { conductor } = session;
  const { sessionId } = conductor.status();
  let [turns, tokens, lastWords] = [0, 0, ""];
  const running = new Map<string, string>();
  /** Why calls failed whose end was not told yet. */
  const reasons = new Map<string, string | undefined>();
  /** To this line. */
  let answers = 0;
  /** The totals when the line began. */
  let before = { turns, tokens, cost: 0 };
  /** Why it was stopped, if it exhausted a limit. */
  let usedUp: string | undefined;
  const cost = (): number => totalDollars(conductor.status().costs);
  const tell = (event: DelegateEvent): void => announce?.({ kind: "delegate", agent, sessionId, event });
  const stop = (why: string): void => {
    if (usedUp === undefined) tell({ kind: "alert", text: `Stopped: ${why}.` });
    usedUp ??= why;
    conductor.abort();
  };

  const count = (entry: Entry): void => {
    if (entry.type === "request") turns++;
    if (entry.type === "assistant") answers++;
    if (entry.type !== "assistant" && entry.type !== "summary") return;
    const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = entry.usage;
    tokens += inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens;
    if (entry.type === "assistant" && !entry.message.content.some(({ kind }) => kind === "tool_call")) return;
    const used = tokens - before.tokens;
    if (limits.tokens !== undefined && used >= limits.tokens)
      stop(`it has used ${used} tokens; its limit is ${limits.tokens}`);
    if (limits.dollars === undefined) return;
    const dollars = cost() - before.cost;
    if (entry.cost === undefined)
      stop("its model's price is unknown, so a limit in dollars cannot be enforced");
    else if (dollars >= limits.dollars)
      stop(`it has spent ${formatDollars(dollars)}; its limit is ${formatDollars(limits.dollars)}`);
  };
  conductor.subscribe(
    (event) => {
      if (event.kind === "entry") count(event.entry);
      if (event.kind === "entry" && event.entry.type === "tool") {
        const { callId, name, state, text } = event.entry;
        reasons.set(callId, reasonOf({ name, state, output: text }));
      }
      if (!isTold(event)) return;
      if (event.kind === "entry") lastWords = textOf(event.entry) || lastWords;
      if (event.kind === "tool_start") running.set(event.callId, `${event.name} ${event.title}`.trim());
      if (event.kind === "fault") tell({ ...event, fault: forWhoWaits(event.fault) });
      else if (event.kind === "tool_end") {
        running.delete(event.callId);
        tell({ ...event, reason: reasons.get(event.callId) });
        reasons.delete(event.callId);
      } else tell(event);
    },
    { pieces: false },
  );

  let started: Promise<void> | undefined;
  return {
    sessionId,
    facts: () => {
      const doing = [...running.values()].at(-1);
      return { turns, tokens, cost: cost(), lastWords, doing };
    },
    steer: (text) => conductor.steer([{ kind: "text", text }]),
    close: session.close,
    async submit(text, signal) {
      before = { turns, tokens, cost: cost() };
      usedUp = undefined;
      answers = 0;
      const abort = (): void => conductor.abort();
      signal.addEventListener("abort", abort, { once: true });
      const { seconds } = limits;
      const timer =
        seconds === undefined
          ? undefined
          : setTimeout(() => stop(`it has reached its time limit of ${seconds} s`), seconds * 1_000);
      try {
        started ??= session.start();
        await started;
        if (signal.aborted) throw new Aborted();
        // Its time may be over before it began: then there was nothing yet that could be aborted.
        const end: SubmitEnd =
          usedUp === undefined
            ? await conductor.submit({ content: [{ kind: "text", text }] })
            : { kind: "aborted" };
        if (end.kind === "aborted" && (usedUp === undefined || signal.aborted)) throw new Aborted();
        const calls = turns - before.turns;
        const trail = `(${agent}, ${calls} model ${calls === 1 ? "call" : "calls"}, session ${sessionId})`;
        const { ok, lines } = reportOf(end, lastWords, usedUp);
        return {
          ...{ ok, report: [...lines, trail].join("\n\n"), turns: calls, cost: cost() - before.cost },
          ...lackOf(end, answers > 0),
        };
      } finally {
        clearTimeout(timer);
        signal.removeEventListener("abort", abort);
      }
    },
  };
}

/** Works on one objective, tells when that begins and ends, and closes. */
export async function toEnd(
  worker: DelegateWorker,
  work: DelegateWork,
  { signal, announce }: { readonly signal: AbortSignal; readonly announce: Conductor["announce"] },
): Promise<DelegateReport> {
  const { agent, objective } = work;
  const { sessionId } = worker;
  const tell = (event: DelegateEvent): void => announce({ kind: "delegate", agent, sessionId, event });
  const since = monotonicMs();
  let state: "ok" | "failed" | "cancelled" = "failed";
  tell({ kind: "delegate_start", objective });
  try {
    const report = await worker.submit(wordsOf(work), signal);
    if (report.ok) state = "ok";
    return report;
  } catch (error) {
    if (error instanceof Aborted) state = "cancelled";
    throw error;
  } finally {
    work.took?.(worker.facts());
    await worker.close();
    tell({ kind: "delegate_end", state, durationMs: monotonicMs() - since });
  }
}

const TOLD: ReadonlySet<string> = new Set([
  "tool_start",
  "tool_progress",
  "tool_done",
  "tool_end",
  "alert",
  "fault",
]);

/** Other entries and deltas stay with the delegate: nobody needs its every word. */
function isTold(event: ConductorEvent): event is Extract<DelegateEvent, ConductorEvent> {
  if (event.kind === "entry") return event.entry.type === "assistant";
  return event.kind === "delta" ? event.delta.kind === "retry" : TOLD.has(event.kind);
}

function textOf({ message }: Extract<DelegateEvent, { kind: "entry" }>["entry"]): string {
  return message.content
    .map((block) => (block.kind === "text" ? block.text : ""))
    .join("")
    .trim();
}

function reportOf(
  end: SubmitEnd,
  lastWords: string,
  usedUp = "it was stopped",
): { readonly ok: boolean; readonly lines: readonly string[] } {
  if (end.kind !== "complete") {
    const reason = end.kind === "aborted" ? usedUp : faultReason(end.fault);
    const said = lastWords === "" ? [] : [`Its last words:\n${lastWords}`];
    return { ok: false, lines: [`The delegate did not finish: ${reason}`, ...said] };
  }
  const answer = end.text.trim();
  if (end.stop === "refusal")
    return {
      ok: false,
      lines: ["The delegate's model refused to answer.", ...(answer === "" ? [] : [answer])],
    };
  if (answer === "") return { ok: false, lines: ["The delegate ended without an answer."] };
  const cut = end.stop === "max_output" ? ["[truncated: the model reached its output limit]"] : [];
  return { ok: true, lines: [answer, ...cut] };
}

/** A server that already answered this line may be failing on the content instead. */
function lackOf(end: SubmitEnd, wasAnswered: boolean): Pick<DelegateReport, "lacksModel"> {
  if (end.kind !== "faulted" || end.lacksModel === undefined) return {};
  return wasAnswered && end.lacksModel === "likely" ? {} : { lacksModel: end.fault.message };
}

const USED_UP = "it has used up its model calls";

function faultReason({ kind, message }: ConductorFault): string {
  return kind === "turn_budget" ? USED_UP : message;
}

/** A session's advice on its own limit is none for a delegate's. */
function forWhoWaits(fault: ConductorFault): ConductorFault {
  return fault.kind === "turn_budget" ? { ...fault, message: `Stopped: ${USED_UP}.` } : fault;
}
