// The console's conversation with a person: one input, one output, and the rule for who gets the next line: an
// open question, a running task, or whoever waits for one. It exists before the session does, because the
// session's permission check asks through it.

import { Aborted, type Disposer } from "indusagi/core";
import type { PermissionAnswer, PermissionAsker, PermissionQuestion } from "../feature/contract.ts";
import { createPipeInput, createTerminalInput, type LineInput, type LineInputOptions } from "./line-input.ts";
import { createContinuation } from "./parse-line.ts";
import { parseAnswer, questionLines } from "./question-lines.ts";
import { createScreen } from "./screen.ts";
import { createStyle } from "./style.ts";
import type { LineLook } from "./transcript-lines.ts";

export interface DialogueOptions {
  readonly input: LineInputOptions["input"];
  readonly output: NodeJS.WritableStream & { readonly columns?: number };
  /** Both ends are a terminal: lines are edited behind a prompt, and typing during a task is possible. */
  readonly isTerminal: boolean;
  readonly colour: boolean;
}

/** Who hears of lines and of Ctrl+C while a task runs. */
export interface TaskListeners {
  /**
   * A line typed during the task, and what to remark right behind it. Without this, such lines wait for
   * {@link Dialogue.nextLine}.
   */
  readonly onLine?: (line: string) => string | undefined;
  readonly onInterrupt: () => void;
}

export interface Dialogue {
  readonly isTerminal: boolean;
  readonly look: () => LineLook;
  /** Prints printable text that runs on. */
  readonly write: (text: string) => void;
  /** Prints printable text on lines of its own. */
  readonly line: (text: string) => void;
  readonly freshLine: () => void;
  /** Puts a permission question to the person. Rejects with {@link Aborted} when the signal fires, else never. */
  readonly ask: PermissionAsker;
  /** The next line for the console; undefined when there will be none. */
  readonly nextLine: (onInterrupt: () => void) => Promise<string | undefined>;
  /** Runs `task`; a `leave` ends the wait with undefined, not the task. */
  readonly during: <Result>(task: Promise<Result>, listeners: TaskListeners) => Promise<Result | undefined>;
  /** Ends the console as soon as it next waits. */
  readonly leave: () => void;
  /** Gives the terminal back as it was. */
  readonly close: () => void;
}

const PROMPT = "› ";
const CONTINUED_PROMPT = "… ";
const ANSWER_PROMPT = "  y/s/n › ";
const REASON_PROMPT = "  reason (Enter for none): ";

// `idle`: the console waits for a line; `compose`: someone types during a task; `answer`: a question is open.
type PromptKind = "idle" | "compose" | "answer";

/** A dialogue over `input` and `output`; takes the terminal until `close`. */
export function createDialogue({ input, output, isTerminal, colour }: DialogueOptions): Dialogue {
  const style = createStyle(colour);
  const screen = createScreen({ output, onGone: leave, onFull: () => abovePrompt(() => undefined) });
  const continuation = createContinuation();
  const queue: string[] = [];
  let waiting: ((line: string | undefined) => void) | undefined;
  let answering: ((line: string | undefined) => void) | undefined;
  let task: TaskListeners | undefined;
  let onIdleInterrupt: () => void = leave;
  let questions: Promise<unknown> = Promise.resolve();
  let ended = false;
  let left = false;
  const leaving = Promise.withResolvers<undefined>();

  const lineInput: LineInput = (isTerminal ? createTerminalInput : createPipeInput)({
    input,
    output,
    onLine,
    onInterrupt,
    onEnd,
    accepts,
    onKey: () => {
      if (prompt?.kind === "compose" && lineInput.typed() === "") hidePrompt();
    },
  });

  // The prompt. While it stands, output waits behind it.

  let prompt: { readonly kind: PromptKind; readonly text: string; readonly release: Disposer } | undefined;

  function showPrompt(kind: PromptKind, text: string, typed = ""): void {
    if (!isTerminal || ended || left) return;
    screen.freshLine();
    prompt = { kind, text, release: screen.hold() };
    lineInput.show(text);
    lineInput.put(typed);
  }

  /** Takes the prompt off the screen; returns what was typed behind it. */
  function hidePrompt(): string {
    if (!prompt) return "";
    const typed = lineInput.take();
    promptGone();
    return typed;
  }

  function promptGone(): void {
    const release = prompt?.release;
    prompt = undefined;
    screen.lineEnded();
    release?.();
  }

  function abovePrompt(print: () => void): void {
    const open = prompt;
    const typed = hidePrompt();
    print();
    if (open) showPrompt(open.kind, open.text, typed);
  }

  const mainPrompt = (): string => (continuation.pending() ? CONTINUED_PROMPT : PROMPT);

  // Keys typed while no prompt stands begin a line of their own, unless they are control keys.
  function accepts(keys: string): boolean {
    if (prompt || PASSED_KEYS.test(keys)) return true;
    if (DROPPED_KEYS.test(keys)) return false;
    showPrompt("compose", mainPrompt());
    return true;
  }

  // Lines

  function onLine(line: string): void {
    const entered = prompt;
    prompt = undefined;
    screen.lineEnded();
    if (entered?.kind === "answer") {
      lineInput.forget();
      answering?.(line);
    } else {
      const whole = continuation.push(line);
      if (whole !== undefined) deliver(whole);
      else if (entered) showPrompt(entered.kind, CONTINUED_PROMPT);
    }
    entered?.release(); // last: what is said about the line stands right behind it
  }

  function deliver(line: string): void {
    if (answering) {
      queue.push(line);
      answering(answerInQueue());
    } else if (isTerminal && task?.onLine) {
      const remark = task.onLine(line);
      if (remark !== undefined) screen.direct(`${remark}\n`);
    } else if (waiting) waiting(line);
    else queue.push(line);
  }

  // A piped line that is no answer is the next task: the question gets "", which allows nothing.
  function answerInQueue(): string {
    const [next = ""] = queue;
    return parseAnswer(next) === undefined ? "" : (queue.shift() ?? "");
  }

  function onEnd(): void {
    if (prompt) {
      screen.direct("\n");
      promptGone();
    }
    const rest = continuation.end();
    if (rest !== undefined) deliver(rest);
    ended = true;
    waiting?.(undefined);
    answering?.(undefined);
  }

  function onInterrupt(): void {
    if (task) {
      if (prompt?.kind === "compose") hidePrompt();
      continuation.end();
      task.onInterrupt();
    } else if (answering) {
      hidePrompt();
      answering(undefined);
    } else if (lineInput.typed() !== "" || continuation.pending()) {
      hidePrompt();
      continuation.end();
      showPrompt("idle", PROMPT);
    } else onIdleInterrupt();
  }

  function leave(): void {
    if (left) return;
    hidePrompt();
    left = true;
    leaving.resolve(undefined);
    waiting?.(undefined);
    answering?.(undefined);
  }

  // Questions

  async function askNow(question: PermissionQuestion, signal: AbortSignal): Promise<PermissionAnswer> {
    if (signal.aborted) throw new Aborted();
    const interrupted = prompt;
    const typed = hidePrompt(); // a line half typed must not become an answer
    screen.line(questionLines(question, look()).join("\n"));
    const release = screen.hold();
    try {
      return await readPermission(signal);
    } finally {
      release();
      if (interrupted) showPrompt(interrupted.kind, interrupted.text, typed);
    }
  }

  async function readPermission(signal: AbortSignal): Promise<PermissionAnswer> {
    for (;;) {
      const typed = await readAnswer(ANSWER_PROMPT, signal);
      if (typed === undefined)
        return { kind: "no", reason: ended ? "the input ended" : "the question was left open" };
      const answer = parseAnswer(typed);
      if (answer === "once" || answer === "session") return { kind: answer };
      if (!isTerminal) return answer ? { kind: "no" } : { kind: "no", reason: "the input holds no answer" };
      if (answer === "no") {
        const reason = (await readAnswer(REASON_PROMPT, signal))?.trim();
        return reason ? { kind: "no", reason } : { kind: "no" };
      }
      screen.direct("  y, s or n, please\n");
    }
  }

  // The next typed line, or the piped one that answers; undefined when there will be none.
  function readAnswer(promptText: string, signal: AbortSignal): Promise<string | undefined> {
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        answering = undefined;
        hidePrompt();
        reject(new Aborted());
      };
      answering = (line) => {
        answering = undefined;
        signal.removeEventListener("abort", onAbort);
        resolve(line);
      };
      signal.addEventListener("abort", onAbort, { once: true });
      if (!isTerminal && queue.length > 0) answering(answerInQueue());
      else if (ended || left) answering(undefined);
      else showPrompt("answer", promptText);
    });
  }

  const look = (): LineLook => ({ style, columns: screen.columns() });

  return {
    isTerminal,
    look,
    write: screen.write,
    line: (text) => {
      if (prompt?.kind === "idle" && lineInput.typed() === "") abovePrompt(() => screen.line(text));
      else screen.line(text);
    },
    freshLine: screen.freshLine,
    ask: (question, signal) => {
      const answer = questions.then(() => askNow(question, signal));
      questions = answer.catch(() => undefined); // its rejection is the asker's, not the next question's
      return answer;
    },
    nextLine: (onInterruptWhileIdle) => {
      const line = left ? undefined : queue.shift();
      if (line !== undefined || ended || left) return Promise.resolve(line);
      onIdleInterrupt = onInterruptWhileIdle;
      const typed = hidePrompt();
      showPrompt("idle", mainPrompt(), typed);
      return new Promise((resolve) => {
        waiting = (next) => {
          waiting = undefined;
          resolve(next);
        };
      });
    },
    during: async (work, listeners) => {
      task = listeners;
      try {
        return await Promise.race([work, leaving.promise]);
      } finally {
        task = undefined;
      }
    },
    leave,
    close: () => {
      hidePrompt();
      lineInput.close();
    },
  };
}

// Ctrl+C, Ctrl+D and Ctrl+Z mean the console, not a line.
const PASSED_KEYS = /^[\x03\x04\x1a]/;
// Enter, Backspace, Escape alone and the like: there is no line to apply them to.
const DROPPED_KEYS = /^(?:[\x00-\x1a\x1c-\x1f\x7f]|\x1b$)/;
