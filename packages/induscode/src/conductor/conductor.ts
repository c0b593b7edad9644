// Owns one session: every line that goes into its log, the loop that runs a submit, and the queue of steering lines.

import { describeError, Listeners } from "indusagi/core";
import type {
  AssistantMessage,
  ModelCard,
  ModelFault,
  ModelParams,
  ModelProvider,
} from "indusagi/llmgateway";
import {
  type LoopEnd,
  type LoopPort,
  type PreparedCall,
  runLoop,
  type ToolCall,
  type ToolOutcome,
} from "indusagi/runtime";
import type { Deck } from "../deck/contract.ts";
import { COMPACT_AT_SHARE, summarise } from "./compaction.ts";
import type {
  Conductor,
  ConductorEvent,
  ConductorFault,
  Entry,
  EntryBody,
  SubmitEnd,
  SubmitInput,
  UserContent,
} from "./contract.ts";
import { ContextFold } from "./fold.ts";
import { LogError, type SessionLog } from "./log.ts";
import { toolDetail, toolTitle } from "./tool-title.ts";

/** A model name that was found: who serves it and what is known of it. */
export interface ResolvedModel {
  readonly provider: ModelProvider;
  /** The second half of `provider/model`. */
  readonly model: string;
  readonly card: ModelCard;
}

export type ModelResolver = (
  name: string,
) => Promise<({ readonly ok: true } & ResolvedModel) | { readonly ok: false; readonly fault: ModelFault }>;

export interface ConductorDeps {
  readonly log: SessionLog;
  /** What the log already holds, when a session goes on. */
  readonly entries: readonly Entry[];
  /** Makes the log of the next session, for {@link Conductor.renew}. */
  readonly nextLog: () => SessionLog;
  readonly resolveModel: ModelResolver;
  /** `provider/model`. */
  readonly modelName: string;
  readonly deck: Deck;
  /** The system prompt; asked once for each session this process runs, so that the prefix stays the same. */
  readonly compose: () => string;
  readonly params: ModelParams;
  readonly maxTurns?: number;
}

const INTERRUPTED =
  "The program ended before this call finished. Whether it had an effect is unknown: look before you repeat it.";

/** The conductor of one session. It starts idle; nothing is written before the first submit. */
export function createConductor(deps: ConductorDeps): Conductor {
  let reporting = false; // a listener that fails on the report of its own failure is not reported again
  const listeners = new Listeners<ConductorEvent>((error) => {
    if (reporting) return;
    reporting = true;
    const message = `A listener of the session failed: ${describeError(error)}`;
    emit({ kind: "fault", fault: { kind: "listener", message } });
    reporting = false;
  });
  let log = deps.log;
  let fold = new ContextFold();
  for (const entry of deps.entries) fold.add(entry);
  let modelName = deps.modelName;
  let resolved: ResolvedModel | undefined;
  let system: string | undefined;
  let running: { readonly controller: AbortController; readonly done: Promise<unknown> } | undefined;
  const steering: UserContent[] = [];

  return {
    status: () => ({
      sessionId: log.id,
      logPath: log.path,
      model: modelName,
      busy: running !== undefined,
      usage: fold.usage,
      contextTokens: fold.contextTokens,
    }),
    submit: (input) => exclusive((signal) => submit(input, signal)),
    steer: (content) => void steering.push(content),
    abort: () => running?.controller.abort(),
    subscribe: (listener) => listeners.add(listener),

    async setModel(name) {
      const found = await deps.resolveModel(name);
      if (!found.ok) return { kind: "config", message: found.fault.message };
      resolved = found;
      modelName = name;
      return undefined;
    },

    async compact(focus) {
      const end = await exclusive(async (signal) => {
        const fault = await compactNow(focus, signal);
        return fault ? { kind: "faulted", fault } : { kind: "complete", text: "", stop: "complete" };
      });
      return end.kind === "faulted" ? end.fault : undefined;
    },

    clear: () =>
      whenIdle(() => {
        if (fold.messages.length > 0) append({ type: "clear" });
      }),

    renew: () =>
      whenIdle(() => {
        log.close();
        log = deps.nextLog();
        fold = new ContextFold();
        system = undefined;
        steering.length = 0;
      }),

    async close() {
      running?.controller.abort();
      await running?.done;
      log.sync();
      log.close();
    },
  };

  function emit(event: ConductorEvent): void {
    listeners.emit(event);
  }

  function append(body: EntryBody): Entry {
    const entry = log.append(body);
    fold.add(entry);
    emit({ kind: "entry", entry });
    return entry;
  }

  /** Runs one thing at a time; a failed log ends it as a fault, since nothing unlogged may go on. */
  async function exclusive(work: (signal: AbortSignal) => Promise<SubmitEnd>): Promise<SubmitEnd> {
    if (running) return { kind: "faulted", fault: busyFault() };
    const controller = new AbortController();
    const done = work(controller.signal).catch((error: unknown): SubmitEnd => {
      if (!(error instanceof LogError)) throw error;
      return { kind: "faulted", fault: { kind: "log", message: error.message, cause: error } };
    });
    running = { controller, done };
    try {
      const end = await done;
      if (end.kind === "faulted") emit({ kind: "fault", fault: end.fault });
      return end;
    } finally {
      running = undefined;
    }
  }

  function whenIdle(work: () => void): ConductorFault | undefined {
    if (running) return busyFault();
    try {
      work();
      return undefined;
    } catch (error) {
      if (!(error instanceof LogError)) throw error;
      return { kind: "log", message: error.message, cause: error };
    }
  }

  async function submit({ content }: SubmitInput, signal: AbortSignal): Promise<SubmitEnd> {
    const model = await currentModel();
    if (!("provider" in model)) return { kind: "faulted", fault: model };
    closeOpenCalls();
    append({ type: "user", content, via: "submit" });
    log.sync();
    const end = await runLoop({
      tools: {
        descriptors: () => deps.deck.descriptors,
        runner: { run: deps.deck.run, waits: deps.deck.waits },
      },
      port: createPort(),
      signal,
      ...(deps.maxTurns === undefined ? {} : { maxTurns: deps.maxTurns }),
    });
    const settled = settle(end);
    append(endEntry(settled));
    log.sync();
    return settled;
  }

  async function currentModel(): Promise<ResolvedModel | ConductorFault> {
    if (resolved) return resolved;
    const found = await deps.resolveModel(modelName);
    if (!found.ok) return { kind: "config", message: found.fault.message };
    resolved = found;
    return found;
  }

  function closeOpenCalls(): void {
    for (const call of fold.openCalls) {
      append({
        type: "tool",
        callId: call.id,
        name: call.name,
        state: "cancelled",
        text: INTERRUPTED,
        durationMs: 0,
      });
    }
  }

  /** Logs the prompt when it differs from the one in force, before anything is sent under it. */
  function ensurePrompt(): void {
    system ??= deps.compose();
    const { prompt } = fold;
    const tools = deps.deck.descriptors;
    if (
      prompt?.model === modelName &&
      prompt.system === system &&
      prompt.params === deps.params &&
      prompt.tools === tools
    )
      return;
    append({ type: "prompt", model: modelName, system, tools, params: deps.params });
  }

  async function prepareCall(signal: AbortSignal): Promise<PreparedCall> {
    const model = await currentModel();
    if (!("provider" in model)) return { ok: false, fault: { kind: "not_found", message: model.message } };
    if (fold.contextTokens > model.card.contextWindow * COMPACT_AT_SHARE) {
      const fault = await compactNow("", signal);
      if (fault) return { ok: false, fault: { kind: "request", message: fault.message } };
    }
    ensurePrompt();
    append({ type: "request", digest: fold.digest() });
    setImmediate(() => void deps.deck.warmUp()); // the request is on its way by then
    return { ok: true, provider: model.provider, request: fold.request(model.model) };
  }

  function createPort(): LoopPort {
    return {
      prepareCall,
      onDelta: (delta) => emit({ kind: "delta", delta }),
      commitReply: ({ message, stop, usage }) => void append({ type: "assistant", message, stop, usage }),
      onToolStart: ({ id, name, input }) =>
        emit({ kind: "tool_start", callId: id, name, title: toolTitle(input) }),
      commitOutcome,
      commitSteering: () => {
        const lines = steering.splice(0);
        for (const content of lines) append({ type: "user", content, via: "steer" });
        return lines.length > 0;
      },
    };
  }

  function commitOutcome(call: ToolCall, outcome: ToolOutcome, durationMs: number): void {
    const { output } = outcome;
    const state = outcome.state ?? (outcome.isError ? "failed" : "ok");
    const text = outcome.text ?? (typeof output === "string" ? output : JSON.stringify(output));
    const rounded = Math.round(durationMs * 10) / 10;
    append({
      type: "tool",
      callId: call.id,
      name: call.name,
      state,
      text,
      ...(typeof output === "string" ? {} : { output }),
      durationMs: rounded,
    });
    const detail = toolDetail(text);
    emit({
      kind: "tool_end",
      callId: call.id,
      name: call.name,
      title: toolTitle(call.input),
      state,
      durationMs: rounded,
      ...(detail === undefined ? {} : { detail }),
    });
  }

  async function compactNow(focus: string, signal: AbortSignal): Promise<ConductorFault | undefined> {
    if (fold.messages.length === 0) return { kind: "config", message: "There is nothing to compact yet." };
    const model = await currentModel();
    if (!("provider" in model)) return model;
    closeOpenCalls();
    ensurePrompt();
    const request = fold.request(model.model);
    const summary = await summarise({ provider: model.provider, request, focus, signal });
    if (!summary.ok)
      return { kind: "model", message: `The session could not be compacted: ${summary.message}` };
    append({ type: "summary", origin: "host", text: summary.text, usage: summary.usage });
    emit({ kind: "alert", text: "The session was compacted: the model now works from a summary." });
    return undefined;
  }
}

function settle(end: LoopEnd): SubmitEnd {
  switch (end.kind) {
    case "aborted":
      return end;
    case "complete":
      return { kind: "complete", text: answerText(end.message), stop: end.stop };
    case "turn_budget":
      return {
        kind: "faulted",
        fault: {
          kind: "turn_budget",
          message: `Stopped after ${end.maxTurns} model calls, the limit for one task. Send another line to go on, or raise maxTurns in the settings.`,
        },
      };
    case "faulted":
      return { kind: "faulted", fault: { kind: "model", message: end.fault.message } };
  }
}

function answerText(message: AssistantMessage): string {
  return message.content.map((block) => (block.kind === "text" ? block.text : "")).join("");
}

function endEntry(end: SubmitEnd): EntryBody {
  if (end.kind !== "faulted") return { type: "end", how: end.kind };
  const { kind, message } = end.fault;
  return { type: "end", how: kind === "turn_budget" ? "turn_budget" : "faulted", fault: { kind, message } };
}

function busyFault(): ConductorFault {
  return { kind: "busy", message: "The session is busy. Wait for the answer, or stop it first." };
}
