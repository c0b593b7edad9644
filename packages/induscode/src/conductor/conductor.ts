// Owns one session: runs one thing at a time, from a person's line to its end, on the session's record.

import { nowMs } from "indusagi/core";
import type { AssistantMessage, Message, ModelFault, ModelParams } from "indusagi/llmgateway";
import { type LoopEnd, runLoop } from "indusagi/runtime";
import type { Deck } from "../deck/contract.ts";
import type { HookDispatch } from "../feature/handler.ts";
import { foldEntries } from "./branch.ts";
import type { BranchSummary } from "./branch-summary.ts";
import type { CompactionFacts } from "./compaction.ts";
import type {
  Conductor,
  ConductorFault,
  Entry,
  EntryBody,
  SubmitEnd,
  SubmitInput,
  UserContent,
} from "./contract.ts";
import { budgetProblem, type CostBudget, totalDollars } from "./cost.ts";
import type { ContextFold } from "./fold.ts";
import { LogError, type OpenedLog, type SessionLog } from "./log.ts";
import { maskedContent, maskedEnd, NO_MASK } from "./masked.ts";
import { createModelInUse, type ModelResolver } from "./model-in-use.ts";
import { createNoticeQueue } from "./notices.ts";
import { endedWithProcess, pendingLines } from "./recall.ts";
import { createRecord } from "./record.ts";
import { submitInput } from "./session-hooks.ts";
import {
  compactSession,
  createMaskedTools,
  createTurnPort,
  ensurePrompt,
  joinSteering,
  type QueuedLine,
  type SystemPrompt,
  type TurnDeps,
} from "./turn.ts";
import type { Unwritten, WhereToWrite } from "./unwritten.ts";

export interface ConductorDeps {
  readonly log: SessionLog;
  /** What the log already holds when a session is resumed. */
  readonly entries: readonly Entry[];
  /** The view folded from those entries. */
  readonly fold?: ContextFold | undefined;
  /** Makes the log of the next session, for {@link Conductor.renew}. */
  readonly nextLog: () => SessionLog;
  /** Makes a fork of the session, for {@link Conductor.fork}; absent if forking is not offered. Throws a `LogError`. */
  readonly forkLog?: ((back: number) => OpenedLog & { readonly left: string }) | undefined;
  /** Opens a session, for {@link Conductor.goOn}; absent if that is not offered. Throws a `LogError`. */
  readonly openLog?: ((id: string, told: string[]) => OpenedLog) | undefined;
  /** Asked when a task ends because its log cannot be written; absent if nobody can answer. */
  readonly whereToWrite?: WhereToWrite | undefined;
  /** Called with all logged entries when the conversation continues from elsewhere, and with none when a new one begins. */
  readonly entered?: ((entries: readonly Entry[]) => void) | undefined;
  readonly resolveModel: ModelResolver;
  /** `provider/model`. */
  readonly modelName: string;
  /** Used in this order when its provider cannot answer. */
  readonly fallbackModels?: readonly string[];
  readonly deck: Deck;
  readonly hooks: HookDispatch;
  /**
   * The system prompt as of a given moment; asked once for each session this process runs, so that the prefix stays the same. A
   * resumed session keeps the moment of its logged prompt.
   */
  readonly compose: (clock: number) => string;
  readonly params: ModelParams;
  readonly maxTurns?: number | undefined;
  /** Shared by a session and its delegates. */
  readonly budget?: CostBudget | undefined;
  /** Hides the known secrets in everything that is logged, sent and shown. */
  readonly mask?: typeof NO_MASK | undefined;
  /** Called when a turn begins, and at its end for what is to be logged about it. */
  readonly turn?: TurnHooks | undefined;
}

export interface TurnHooks {
  readonly begin: () => void;
  /** Never rejects. */
  readonly end: () => Promise<readonly EntryBody[]>;
}

const INTERRUPTED =
  "The program ended before this call finished. Whether it had an effect is unknown: look before you repeat it.";

const WOULD_BE_LOST =
  "Leaving this session would lose what could not be written: send a line, then choose where to write it.";

// The same limit as the bash tool's.
const MAX_COMMAND_MS = 600_000;

const NEVER: AbortSignal = new AbortController().signal;

/** The conductor of one session. It starts idle; nothing is written before the first submit. */
export function createConductor(deps: ConductorDeps): Conductor {
  const { hooks, deck, mask = NO_MASK } = deps;
  const record = createRecord(deps.log, deps.fold ?? foldEntries(deps.entries), mask);
  const models = createModelInUse(deps.resolveModel, deps.modelName, deps.params, deps.fallbackModels);
  const notices = createNoticeQueue();
  const steering: QueuedLine[] = [...pendingLines(deps.entries)];
  const commands = new Set<AbortController>();
  const early: EntryBody[] = [];
  let isBegun = deps.entries.length > 0;
  /** A line is logged but its end is not yet. */
  let isTurnOpen = false;
  let system: SystemPrompt | undefined;
  /** Loaded with the first failure. */
  let unwritten: Unwritten | undefined;
  let running: { readonly controller: AbortController; readonly done: Promise<unknown> } | undefined;
  const turnDeps: TurnDeps = {
    record,
    mask,
    hooks,
    deck,
    models,
    notices,
    steering,
    budget: deps.budget,
    system: () => {
      if (system === undefined) {
        const clock = record.fold().clock ?? nowMs();
        system = { text: mask.text(deps.compose(clock)), clock };
      }
      return system;
    },
    tools: createMaskedTools(deck, mask),
  };
  const pause = pauseBefore(deps.entries);
  if (pause !== undefined) notices.add({ origin: "host", text: pause });
  const ended = endedWithProcess(deps.entries);
  if (ended !== undefined) notices.add({ origin: "host", text: ended });

  return {
    status: () => ({
      sessionId: record.log().id,
      logPath: record.log().path,
      model: models.name(),
      busy: running !== undefined,
      params: models.params(),
      usage: record.fold().usage,
      costs: record.fold().costs,
      limits: record.fold().limits,
      contextTokens: record.fold().contextTokens,
    }),
    async countTokens(signal) {
      const found = await models.resolved();
      const { prompt, openCalls } = record.fold();
      if (!found.ok || !prompt || openCalls.length > 0) return undefined;
      const { provider, model } = found.model;
      const request = record.fold().request(model);
      const isAnswered = request.messages.at(-1)?.role === "assistant";
      const messages = isAnswered ? [...request.messages, NEXT_LINE] : request.messages;
      return provider.countTokens?.({ ...request, messages }, signal);
    },
    start: () => lifecycle("session:start"),
    async submit(input) {
      const end = await exclusive((signal) => submit(input, signal), askWhereToWrite);
      if (end.kind === "faulted") record.emit({ kind: "fault", fault: end.fault });
      return end;
    },
    steer,
    waiting: () => steering.map(({ content }) => content),
    takeBack,
    async exec(command, signal, by, progress) {
      const controller = new AbortController();
      commands.add(controller);
      try {
        return await deck.exec(
          command,
          AbortSignal.any([
            controller.signal,
            AbortSignal.timeout(MAX_COMMAND_MS),
            ...(signal ? [signal] : []),
          ]),
          by,
          progress,
        );
      } finally {
        commands.delete(controller);
      }
    },
    abort,
    subscribe: record.subscribe,
    setModel: models.use,
    setThinking: models.setThinking,
    announce: record.emit,

    notify(origin, text, { maxBytes, ...more } = {}) {
      const dropped = notices.add({ origin, text, ...more }, maxBytes);
      if (dropped !== undefined)
        record.emit({ kind: "fault", fault: { kind: "feature", message: dropped, owner: origin } });
      return dropped === undefined;
    },

    noteApproval: (approval) => note({ type: "approval", approval }),
    noteDecision: (decision) => note({ type: "decision", decision }),
    notePlanning: (isPlanning) => note({ type: "plan", isPlanning }),
    noteDelegate: (delegate) => note({ type: "delegate", ...delegate }),

    noteRewind: note,
    noteTitle: (title) => note({ type: "title", ...title }),

    secure: () => record.log().flush(),

    compact: (focus) => alone((signal) => compact(focus, signal)),
    jump: (to, { summarise = false } = {}) => alone((signal) => jump(to, summarise, signal)),

    clear: () =>
      whenIdle(() => {
        unwritten?.write();
        if (record.fold().messages.length > 0) record.append({ type: "clear" });
      }),

    renew: () =>
      whenIdle(() => {
        writeLeft();
        void lifecycle("session:end");
        record.restart(deps.nextLog());
        deps.entered?.([]);
        unwritten = undefined;
        system = undefined;
        isBegun = false;
        early.length = 0;
        steering.length = 0;
        void lifecycle("session:start");
      }),

    fork(back) {
      let left = "";
      const fault = whenIdle(() => {
        if (!isBegun || !deps.forkLog) throw new LogError("There is nothing to fork yet");
        writeLeft();
        record.log().sync();
        const forked = deps.forkLog(back);
        enter(forked);
        ({ left } = forked);
      });
      return fault ? { fault } : { left };
    },

    goOn(id) {
      const told: string[] = [];
      let entries: readonly Entry[] = [];
      const fault = whenIdle(() => {
        if (!deps.openLog) throw new LogError("Sessions cannot be switched here");
        writeLeft();
        record.log().sync();
        const opened = deps.openLog(id, told);
        ({ entries } = opened);
        enter(opened);
      });
      return fault ? { fault } : { entries, told };
    },

    async close() {
      abort();
      await running?.done;
      await lifecycle("session:end");
      await hooks.settled(); // observers get their time to finish, and their faults are reported
      try {
        unwritten?.write();
      } catch (error) {
        if (!(error instanceof LogError)) throw error; // the person left it as it is, and knows that it ends here
      }
      try {
        record.log().sync();
      } finally {
        record.log().close();
      }
    },

    breakOff(why) {
      try {
        if (isTurnOpen) {
          closeOpenCalls();
          record.append(endEntry({ kind: "faulted", fault: { kind: "broken", message: why } }));
        }
        record.log().sync();
      } finally {
        record.log().close();
      }
    },
  };

  /** Switches to another, already begun session. */
  function enter({ log, entries, fold }: OpenedLog): void {
    void lifecycle("session:end");
    record.restart(log, fold);
    deps.entered?.(entries);
    unwritten = undefined;
    system = undefined;
    isBegun = true;
    early.length = 0;
    steering.splice(0, Number.POSITIVE_INFINITY, ...pendingLines(entries));
    void lifecycle("session:start");
  }

  // The person is told that the line will join, so it is kept even if the
  // process dies. A session that has not begun has no log yet.
  function steer(content: UserContent): void {
    const kept = isBegun || running ? appendOrFault({ type: "queued", content }) : undefined;
    steering.push({ content, n: kept?.n });
  }

  /** For entries whose consequences may happen even if logging fails. */
  function appendOrFault(body: EntryBody): Entry | undefined {
    try {
      return record.append(body);
    } catch (error) {
      if (!(error instanceof LogError)) throw error;
      record.emit({ kind: "fault", fault: logFault(error) });
      return undefined;
    }
  }

  function takeBack(lines: readonly UserContent[]): void {
    for (const line of steering.filter(({ content }) => lines.includes(content))) {
      steering.splice(steering.indexOf(line), 1);
      if (line.n === undefined) continue;
      const by = { feature: "person" };
      appendOrFault({ type: "veto", event: "input:submit", by, reason: "taken back", queued: line.n });
    }
  }

  /** A session without a line from the person leaves no log, so the entry waits for the first line. */
  function note(body: EntryBody): void {
    // A feature's session may begin, and cost something, before anything was said.
    if (isBegun || (body.type === "delegate" && body.by !== undefined)) record.append(body);
    else if (early.length < MAX_EARLY) early.push(body);
  }

  function abort(): void {
    running?.controller.abort();
    for (const controller of commands) controller.abort();
  }

  async function lifecycle(
    event: "session:start" | "session:end" | "turn:start" | "turn:end",
  ): Promise<void> {
    await hooks.dispatch(event, { sessionId: record.log().id }, { signal: NEVER });
  }

  /** Runs one thing at a time. A failing log ends it as a fault, since nothing unlogged may proceed. */
  async function exclusive(
    work: (signal: AbortSignal) => Promise<SubmitEnd>,
    onLogError?: (error: LogError, signal: AbortSignal) => Promise<string>,
  ): Promise<SubmitEnd> {
    if (running) return { kind: "faulted", fault: busyFault() };
    const controller = new AbortController();
    const { signal } = controller;
    const done = afterUnwritten(() => work(signal)).catch(async (error: unknown): Promise<SubmitEnd> => {
      if (!(error instanceof LogError)) throw error;
      const fault = logFault(error);
      return {
        kind: "faulted",
        fault: onLogError ? { ...fault, message: await onLogError(error, signal) } : fault,
      };
    });
    running = { controller, done };
    try {
      return maskedEnd(mask, await done);
    } finally {
      running = undefined;
    }
  }

  async function afterUnwritten(work: () => Promise<SubmitEnd>): Promise<SubmitEnd> {
    unwritten?.write();
    return work();
  }

  /** Asks the person where to write what the log could not take. */
  async function askWhereToWrite(error: LogError, signal: AbortSignal): Promise<string> {
    const { whereToWrite } = deps;
    if (!whereToWrite) return error.message;
    const { createUnwritten } = await import("./unwritten.ts");
    unwritten ??= createUnwritten({ record, whereToWrite, onWritten });
    return unwritten.keep(error, signal);
  }

  /** Before another session takes this one's place. */
  function writeLeft(): void {
    try {
      unwritten?.write();
    } catch (error) {
      if (!(error instanceof LogError)) throw error;
      throw new LogError(`${error.message}. ${WOULD_BE_LOST}`);
    }
  }

  /** The task that stopped at an entry ends after it. */
  function onWritten(body: EntryBody | undefined, error: LogError): void {
    const isLine = body?.type === "user";
    isBegun ||= isLine;
    if ((isTurnOpen || isLine) && body?.type !== "end") endTurn({ kind: "faulted", fault: logFault(error) });
    isTurnOpen = false;
  }

  function endTurn(end: SubmitEnd): void {
    const cost = totalDollars(record.fold().costs);
    record.append({ ...endEntry(end), cost: cost > 0 ? cost : undefined, turns: record.fold().turns });
    isTurnOpen = false;
    record.log().sync();
  }

  /** Runs something that takes time but is not a submit. */
  async function alone(
    work: (signal: AbortSignal) => Promise<ConductorFault | undefined>,
  ): Promise<ConductorFault | undefined> {
    const end = await exclusive(async (signal) => {
      const fault = await work(signal);
      return fault ? { kind: "faulted", fault } : { kind: "complete", text: "", stop: "complete" };
    });
    return end.kind === "faulted" ? end.fault : undefined;
  }

  function whenIdle(work: () => void): ConductorFault | undefined {
    if (running) return busyFault();
    try {
      work();
      return undefined;
    } catch (error) {
      if (!(error instanceof LogError)) throw error;
      return logFault(error);
    }
  }

  async function submit({ content }: SubmitInput, signal: AbortSignal): Promise<SubmitEnd> {
    models.endFallback();
    const found = await models.resolved();
    if (!found.ok) return { kind: "faulted", fault: found.fault, lacksModel: "certain" };
    closeOpenCalls();
    const input = await submitInput(hooks, maskedContent(mask, content), signal);
    if ("veto" in input) {
      record.append({ type: "veto", event: "input:submit", ...input.veto });
      const message = `The line was stopped: ${input.veto.reason} (${input.veto.by.feature})`;
      return { kind: "faulted", fault: { kind: "vetoed", message } };
    }
    await joinSteering(turnDeps, signal); // queued lines were typed before this one
    record.append({ type: "user", via: "submit", ...input });
    isBegun = true;
    isTurnOpen = true;
    for (let body = early.shift(); body; body = early.shift()) record.append(body);
    record.log().sync();
    deck.beginTurn();
    deps.turn?.begin();
    await lifecycle("turn:start");
    const port = createTurnPort(turnDeps, signal);
    const end = settle(
      await runLoop({
        tools: { descriptors: () => deck.descriptors, runner: { run: deck.run, waits: deck.waits } },
        port,
        signal,
        maxTurns: deps.maxTurns,
      }),
    );
    port.commitInterrupted();
    for (const body of (await deps.turn?.end()) ?? []) record.append(body);
    endTurn(end);
    await lifecycle("turn:end");
    return end;
  }

  async function compact(focus: string, signal: AbortSignal): Promise<ConductorFault | undefined> {
    const asked = await readyToAsk(signal);
    if (!asked.ok) return asked.fault;
    const fault = await compactSession({ ...asked.facts, focus });
    return typeof fault === "object" ? fault : undefined;
  }

  /** What asking for a summary requires: a session whose prompt is logged and whose calls are closed. */
  async function readyToAsk(
    signal: AbortSignal,
  ): Promise<
    | { readonly ok: true; readonly facts: Omit<CompactionFacts, "focus"> }
    | { readonly ok: false; readonly fault: ConductorFault }
  > {
    const found = await models.resolved();
    if (!found.ok) return found;
    const { budget } = deps;
    const { model } = found;
    const problem = budgetProblem(model, budget);
    if (problem !== undefined) return { ok: false, fault: { kind: "model", message: problem } };
    closeOpenCalls();
    if (record.fold().messages.length > 0) await ensurePrompt(turnDeps, signal);
    return { ok: true, facts: { record, hooks, model, budget, reason: "asked", signal } };
  }

  async function jump(
    to: number,
    summarise: boolean,
    signal: AbortSignal,
  ): Promise<ConductorFault | undefined> {
    if (!isBegun) return { kind: "config", message: "Nothing has been said yet." };
    let summary: BranchSummary | undefined;
    if (summarise) {
      const asked = await readyToAsk(signal);
      if (!asked.ok) return asked.fault;
      const { summariseBranch } = await import("./branch-summary.ts");
      const written = await summariseBranch(asked.facts, to);
      if ("fault" in written) return written.fault;
      summary = written;
    } else closeOpenCalls();
    record.needFormat(2);
    record.append({ type: "jump", to, ...summary });
    record.log().sync();
    deps.entered?.(record.entries());
    return undefined;
  }

  function closeOpenCalls(): void {
    for (const { id, name } of record.fold().openCalls) {
      record.append({ type: "tool", callId: id, name, state: "cancelled", text: INTERRUPTED, durationMs: 0 });
    }
  }
}

/** Takes the place of the person's next line: a request does not end with an answer. */
const NEXT_LINE: Message = { role: "user", content: [{ kind: "text", text: "." }] };

// Most entries that wait for the person's first line: features may add them again and again.
const MAX_EARLY = 1_000;

// The prompt keeps its clock so that the provider's cache stays valid; a model
// that is not told how late it is now would take an old day for today.
const LONG_PAUSE_MS = 3_600_000;

function pauseBefore(entries: readonly Entry[]): string | undefined {
  const last = entries.at(-1);
  const now = nowMs();
  if (last === undefined || now - last.at < LONG_PAUSE_MS) return undefined;
  return `This session continues after a pause: it is now ${new Date(now).toISOString()}.`;
}

/** Faults not caused by what was asked. Transient ones were already retried. */
const LACKS_MODEL: Readonly<Partial<Record<ModelFault["kind"], "certain" | "likely">>> = {
  auth: "certain",
  spent: "certain",
  not_found: "certain",
  unreachable: "certain",
  rate_limit: "certain",
  overloaded: "certain",
  transport: "certain",
  server: "likely",
  timeout: "likely",
};

function settle(end: LoopEnd): SubmitEnd {
  switch (end.kind) {
    case "aborted":
      return end;
    case "complete":
      return { kind: "complete", text: answerText(end.message), stop: end.stop };
    case "turn_budget": {
      const message =
        `Stopped after ${end.maxTurns} model calls, the limit for one task. ` +
        "Send another line to continue, or raise maxTurns in the settings.";
      return { kind: "faulted", fault: { kind: "turn_budget", message } };
    }
    case "repeated_failure": {
      const message =
        `Stopped: the model's call of ${end.tool} failed ${end.times} times with the same result. ` +
        "Send another line to continue, and say what it should do instead.";
      return { kind: "faulted", fault: { kind: "repeated_failure", message } };
    }
    case "faulted": {
      const { kind, message } = end.fault;
      const lacksModel = LACKS_MODEL[kind];
      return { kind: "faulted", fault: { kind: "model", message }, lacksModel };
    }
  }
}

function answerText(message: AssistantMessage): string {
  return message.content.map((block) => (block.kind === "text" ? block.text : "")).join("");
}

const HOW_COMPLETE = {
  complete: "complete",
  tool_calls: "complete",
  max_output: "truncated",
  refusal: "refused",
} as const;

function endEntry(end: SubmitEnd): EntryBody {
  if (end.kind === "complete") return { type: "end", how: HOW_COMPLETE[end.stop] };
  if (end.kind === "aborted") return { type: "end", how: "aborted" };
  const { kind, message } = end.fault;
  return { type: "end", how: kind === "turn_budget" ? "turn_budget" : "faulted", fault: { kind, message } };
}

function busyFault(): ConductorFault {
  return { kind: "busy", message: "The session is busy. Wait for the answer, or stop it first." };
}

function logFault(error: LogError): ConductorFault {
  return { kind: "log", message: error.message, cause: error };
}
