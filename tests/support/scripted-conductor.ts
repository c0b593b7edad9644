// A conductor that plays a script: it fulfils the contract without a model, a log or a tool.

import { Listeners } from "indusagi/core";
import type {
  Conductor,
  ConductorEvent,
  SubmitEnd,
  ToolState,
  UserContent,
} from "../../packages/induscode/src/conductor/contract.ts";

/** One step of a submit: an event, a wait until `resume` is called, or work under the abort signal. */
export type Step = ConductorEvent | "pause" | ((signal: AbortSignal) => Promise<void> | void);

/** One submit: its steps, then its end. An abort ends it at its current step. */
export interface Script {
  readonly steps: readonly Step[];
  readonly end: SubmitEnd;
}

export interface ScriptedConductor extends Conductor {
  /** What reached the conductor, in order, as `submit: …`, `steer: …` and `abort`. */
  readonly calls: readonly string[];
  /** Ends the `"pause"` step that the script is waiting in. */
  readonly resume: () => void;
  /** Emits an event outside of any submit. */
  readonly emit: (event: ConductorEvent) => void;
}

/** Plays one script per submit; a submit beyond the last is answered with a fault. */
export function createScriptedConductor(scripts: readonly Script[]): ScriptedConductor {
  const calls: string[] = [];
  const listeners = new Listeners<ConductorEvent>((error) => {
    throw error;
  });
  const remaining = [...scripts];
  let running: AbortController | undefined;
  let resume: () => void = () => undefined;

  async function play({ steps, end }: Script, signal: AbortSignal): Promise<SubmitEnd> {
    for (const step of steps) {
      await new Promise(setImmediate); // what a person types in the meantime arrives between steps
      if (signal.aborted) return { kind: "aborted" };
      if (step === "pause") {
        await new Promise<void>((resolve) => {
          resume = resolve;
          signal.addEventListener("abort", () => resolve(), { once: true });
        });
      } else if (typeof step === "function") await step(signal);
      else listeners.emit(step);
    }
    return signal.aborted ? { kind: "aborted" } : end;
  }

  return {
    calls,
    resume: () => resume(),
    emit: (event) => listeners.emit(event),
    status: () => ({
      sessionId: "s_1",
      logPath: "s_1.jsonl",
      model: "scripted/model",
      busy: running !== undefined,
      params: {},
      usage: NO_USAGE,
      costs: [],
      limits: [],
      contextTokens: 0,
    }),
    countTokens: async () => undefined,
    submit: async ({ content }) => {
      calls.push(`submit: ${textOf(content)}`);
      if (running) return faulted("busy", "a task is running");
      const script = remaining.shift();
      if (!script) return faulted("model", "the script is at its end");
      running = new AbortController();
      try {
        return await play(script, running.signal);
      } finally {
        running = undefined;
      }
    },
    steer: (content) => void calls.push(`steer: ${textOf(content)}`),
    waiting: () => [],
    takeBack: () => undefined,
    abort: () => {
      calls.push("abort");
      running?.abort();
    },
    subscribe: (listener) => listeners.add(listener),
    secure: async () => undefined,
    start: () => Promise.resolve(),
    exec: () => Promise.reject(new Error("the script runs no commands")),
    tools: () => [],
    call: () => Promise.reject(new Error("the script runs no calls")),
    setModel: () => Promise.resolve(undefined),
    recompose: () => undefined,
    setThinking: () => undefined,
    announce: (event) => listeners.emit(event),
    notify: () => true,
    noteApproval: () => undefined,
    noteDelegate: () => undefined,
    noteDecision: () => undefined,
    noteMode: () => undefined,
    noteRewind: () => undefined,
    noteSample: () => undefined,
    noteTitle: () => undefined,
    compact: () => Promise.resolve(undefined),
    clear: () => undefined,
    renew: () => undefined,
    goOn: () => ({ entries: [], told: [] }),
    jump: async () => undefined,
    fork: () => ({ left: "" }),
    close: () => Promise.resolve(),
    breakOff: () => undefined,
  };
}

const NO_USAGE = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 } as const;

function textOf(content: UserContent): string {
  return content.map((block) => (block.kind === "text" ? block.text : "[image]")).join("");
}

/** The end of a successful submit. */
export function complete(text: string): SubmitEnd {
  return { kind: "complete", text, stop: "complete" };
}

export function faulted(kind: "model" | "busy" | "log", message: string): SubmitEnd {
  return { kind: "faulted", fault: { kind, message } };
}

/** A piece of the answer. */
export function text(piece: string): ConductorEvent {
  return { kind: "delta", delta: { kind: "text", text: piece } };
}

/** The model's reply as logged: 1,000 tokens in, 200 out. */
export function reply(answer: string): ConductorEvent {
  return {
    kind: "entry",
    entry: {
      n: 3,
      at: 1_700_000_000_000,
      type: "assistant",
      message: { role: "assistant", content: [{ kind: "text", text: answer }] },
      stop: "complete",
      usage: { ...NO_USAGE, inputTokens: 1000, outputTokens: 200 },
    },
  };
}

/** A broken connection; the next attempt is in 2 s. */
export function retry(): ConductorEvent {
  const fault = { kind: "transport", message: "the connection broke" } as const;
  return { kind: "delta", delta: { kind: "retry", attempt: 1, waitMs: 2000, fault } };
}

export function toolEnd(
  name: string,
  title: string,
  state: ToolState,
  durationMs: number,
  status?: string,
): Extract<ConductorEvent, { kind: "tool_end" }> {
  const event = { kind: "tool_end", callId: "c_1", name, title, state, durationMs } as const;
  return status === undefined ? event : { ...event, status };
}
