// Owns one session: what it is made of, and what the rest of the product may do with it.

import { isoNow, nowMs } from "indusagi/core";
import type { Message } from "indusagi/llmgateway";
import { createOtherCalls } from "./beside/other-calls.ts";
import { createCommands } from "./beside/running-commands.ts";
import type { ConductorDeps, TurnDeps } from "./conductor-deps.ts";
import type { Conductor, Entry, SessionStatus } from "./contract.ts";
import { createJournal, type Journal } from "./journal.ts";
import { createLazyUnwritten } from "./lazy-unwritten.ts";
import { LogError } from "./log.ts";
import { NO_MASK } from "./masked.ts";
import { createModelInUse } from "./model-in-use.ts";
import { createMoves } from "./moves.ts";
import { createOneAtATime } from "./one-at-a-time.ts";
import { endedWithProcess, pendingLines } from "./recall.ts";
import { tellLifecycle } from "./session-hooks.ts";
import { compactAsked } from "./turns/asked-summary.ts";
import type { NoticeQueue } from "./turns/notice-queue.ts";
import { createPromptText } from "./turns/prompt.ts";
import { createQueuedLines } from "./turns/queued-lines.ts";
import { createTurns } from "./turns/run-turn.ts";

/** The conductor of one session. It starts idle; nothing is written before the first submit. */
export function createConductor(deps: ConductorDeps): Conductor {
  return conductOver(createJournal(deps), deps);
}

/** The same over a journal that others of the session have too; it is made of the same log and entries. */
export function conductOver(journal: Journal, deps: ConductorDeps): Conductor {
  const { entries, hooks, deck, mask = NO_MASK } = deps;
  const { record, notices, notes, ...said } = journal;
  const models = createModelInUse(deps.resolveModel, deps.modelName, deps.params, deps.fallbackModels);
  const lines = createQueuedLines(record, pendingLines(entries));
  const prompt = createPromptText(record, deps.compose, deck, mask);
  const commands = createCommands(deck);
  const turnDeps: TurnDeps = {
    record,
    mask,
    hooks,
    deck,
    models,
    notices,
    lines,
    prompt,
    budget: deps.budget,
  };
  const others = createOtherCalls({ ...turnDeps, notes, turn: deps.turn });
  const turns = createTurns({ ...turnDeps, notes, turn: deps.turn, maxTurns: deps.maxTurns });
  const { whereToWrite } = deps;
  const unwritten = createLazyUnwritten({ record, whereToWrite, onWritten: turns.endLate });
  const work = createOneAtATime(mask, unwritten.write);
  const moves = createMoves({ ...deps, turn: turnDeps, notes, lines, prompt, unwritten });
  noteResumption(notices, entries);

  return {
    ...said,
    status: () => ({ ...statusOf(turnDeps), busy: work.isBusy() }),
    countTokens: (signal) => countTokens(turnDeps, signal),
    async start() {
      await tellLifecycle(hooks, "session:start", record.log().id);
    },
    async submit(input) {
      const end = await work.run((signal) => turns.submit(input, signal), unwritten.ask);
      if (end.kind === "faulted") record.emit({ kind: "fault", fault: end.fault });
      return end;
    },
    steer: (content) => lines.add(content, notes.hasBegun() || work.isBusy()),
    waiting: lines.all,
    takeBack: lines.takeBack,
    exec: commands.exec,
    tools: others.tools,
    call: others.call,
    abort,
    recompose: prompt.restart,
    setModel: models.use,
    setThinking: models.setThinking,
    compact: (focus) => work.runAside((signal) => compactAsked(turnDeps, focus, signal)),
    jump: (to, { summarise = false } = {}) => work.runAside((signal) => moves.jump(to, summarise, signal)),
    clear: () => work.whenIdle(clear)?.fault,
    renew: () => work.whenIdle(moves.renew)?.fault,
    fork: (back) => work.whenIdle(() => moves.fork(back)),
    goOn: (id) => work.whenIdle(() => moves.goOn(id)),
    close,
    breakOff: (why) => closing(() => turns.breakOff(why)),
  };

  function abort(): void {
    work.abort();
    commands.abort();
    others.abort();
  }

  function clear(): undefined {
    unwritten.write();
    if (record.fold().messages.length > 0) record.append({ type: "clear" });
  }

  async function close(): Promise<void> {
    abort();
    await work.settled();
    await others.settled();
    await tellLifecycle(hooks, "session:end", record.log().id);
    await hooks.settled(); // observers get their time to finish, and their faults are reported
    try {
      unwritten.write();
    } catch (error) {
      if (!(error instanceof LogError)) throw error; // the person left it as it is, and knows that it ends here
    }
    closing(() => undefined);
  }

  /** The log is closed, whatever else fails. */
  function closing(last: () => void): void {
    try {
      last();
      record.log().sync();
    } finally {
      record.log().close();
    }
  }
}

// The prompt keeps its clock so that the provider's cache stays valid; a model
// that is not told how late it is now would take an old day for today.
const LONG_PAUSE_MS = 3_600_000;

/** What the model must know about the time since the last entry. */
function noteResumption(notices: NoticeQueue, entries: readonly Entry[]): void {
  const last = entries.at(-1);
  const now = nowMs();
  if (last !== undefined && now - last.at >= LONG_PAUSE_MS) {
    const text = `This session continues after a pause: it is now ${isoNow(now)}.`;
    notices.add({ origin: "host", text });
  }
  const ended = endedWithProcess(entries);
  if (ended !== undefined) notices.add({ origin: "host", text: ended });
}

function statusOf({ record, models }: TurnDeps): Omit<SessionStatus, "busy"> {
  const { usage, costs, limits, contextTokens } = record.fold();
  const { id, path } = record.log();
  const model = { model: models.name(), params: models.params() };
  return { sessionId: id, logPath: path, ...model, usage, costs, limits, contextTokens };
}

/** Takes the place of the person's next line: a request does not end with an answer. */
const NEXT_LINE: Message = { role: "user", content: [{ kind: "text", text: "." }] };

async function countTokens({ record, models }: TurnDeps, signal: AbortSignal): Promise<number | undefined> {
  const found = await models.resolved();
  const { prompt, openCalls } = record.fold();
  if (!found.ok || !prompt || openCalls.length > 0) return undefined;
  const { provider, model } = found.model;
  const request = record.fold().request(model);
  const isAnswered = request.messages.at(-1)?.role === "assistant";
  const messages = isAnswered ? [...request.messages, NEXT_LINE] : request.messages;
  return provider.countTokens?.({ ...request, messages }, signal);
}
