// The console's conversation with a person: one input, one output, and the rule for who gets the next line: an
// open question, a running task, or whoever waits for one. It is created before the session, because the
// session's permission check asks through it.

import { Aborted, delay, monotonicMs } from "indusagi/core";
import type { PermissionAnswer, PermissionAsker, PermissionQuestion } from "../feature/permission.ts";
import { createContinuation } from "./parse-line.ts";
import { markLineBreaks } from "./paste.ts";
import { createPromptLine, type PromptKind, type PromptLineOptions } from "./prompt-line.ts";
import { keepPrompt, parseAnswer, parseYesOrNo, questionLines } from "./question-lines.ts";
import { createStyle } from "./style.ts";
import type { LineLook } from "./transcript-lines.ts";
import { plainChange } from "./what-it-changes.ts";

interface DialogueOptions {
  readonly input: PromptLineOptions["input"];
  readonly output: PromptLineOptions["output"];
  /** Both ends are a terminal: lines are edited at a prompt, and typing during a task is possible. */
  readonly isTerminal: boolean;
  readonly colour: boolean;
  /** A monotonic clock. */
  readonly now?: () => number;
}

/** Receives lines and Ctrl+C while a task runs. */
interface TaskListeners {
  /**
   * Called with a line typed during the task; returns a remark to print right after it. Without this, such lines wait for
   * {@link Dialogue.nextLine}.
   */
  readonly onLine?: (line: string) => string | undefined;
  readonly onInterrupt: () => void;
}

export interface Dialogue {
  readonly isTerminal: boolean;
  readonly look: () => LineLook;
  /** Prints printable text without starting or ending a line. */
  readonly write: (text: string) => void;
  /** Prints printable text on lines of its own. */
  readonly line: (text: string) => void;
  readonly freshLine: () => void;
  /** Asks the person a permission question. Rejects with {@link Aborted} when the signal fires, otherwise never. */
  readonly ask: PermissionAsker;
  /**
   * Asks the person a yes-or-no question, its lines already printable. Only what is typed after it could be read counts, never
   * an earlier line. Undefined when nobody answers: no terminal, Ctrl+C, the end of the input.
   */
  readonly confirm: (lines: readonly string[]) => Promise<"yes" | "no" | undefined>;
  /**
   * Asks a question on behalf of somebody else, its lines already printable, and reads lines until one is an answer. It is shown
   * once the keyboard has been quiet: what was typed before is never an answer. Undefined when the person leaves it (Ctrl+C) or
   * nobody is there; rejects with {@link Aborted} when the signal fires.
   */
  readonly askLine: <Answer>(question: LineQuestion<Answer>) => Promise<Answer | undefined>;
  /** The next line for the console; undefined when there will be none. */
  readonly nextLine: (onInterrupt: () => void) => Promise<string | undefined>;
  /** Runs `task`; `leave` ends the wait with undefined, but not the task. */
  readonly during: <Result>(task: Promise<Result>, listeners: TaskListeners) => Promise<Result | undefined>;
  /** Ends the console the next time it waits. */
  readonly leave: () => void;
  /** Restores the terminal. */
  readonly close: () => void;
}

interface LineQuestion<Answer> {
  readonly lines: readonly string[];
  readonly prompt: string;
  /** Printed after a line that is not an answer. */
  readonly again: string;
  /** The typed text is not shown. */
  readonly isSecret?: boolean;
  readonly parse: (typed: string) => Answer | undefined;
  readonly signal: AbortSignal;
}

/** Somebody who is typing is not reading yet, and nobody has read what has just appeared. */
const QUIET_MS = 500;

const PROMPT = "› ";
const CONTINUED_PROMPT = "… ";
const CONFIRM_PROMPT = "  y/n › ";
const REASON_PROMPT = "  reason (Enter for none): ";

// A pipe with more lines than this is paused until some are processed.
const MAX_QUEUED_LINES = 1000;

const TOO_EARLY = "  (typed before this could be read: kept at your prompt)\n";
const SECRET_TOO_EARLY = "  (typed before this could be read: discarded)\n";

const NEVER: AbortSignal = new AbortController().signal;

// Keys typed while the program started stay in the terminal until the event loop reads them, which may not have
// happened yet: they were typed before the question and must be read before it.
async function readAhead(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
}

/** A dialogue over `input` and `output`; takes the terminal until `close`. */
export function createDialogue(options: DialogueOptions): Dialogue {
  const { input, output, isTerminal, colour, now = monotonicMs } = options;
  const style = createStyle(colour);
  const continuation = createContinuation();
  const queue: string[] = [];
  const leaving = Promise.withResolvers<undefined>();
  let waiting: ((line: string | undefined) => void) | undefined;
  let answering: ((line: string | undefined) => void) | undefined;
  let isAsking = false;
  /** The open question has just appeared: a line begun right after that is no answer. */
  let isNew = false;
  /** What was typed too early, as it is edited; it joins the person's line. */
  let early = "";
  let askAgain: () => void = () => undefined;
  let task: TaskListeners | undefined;
  let onIdleInterrupt: () => void = leave;
  let questions: Promise<unknown> = Promise.resolve();
  let ended = false;
  let left = false;
  let leaveQuestion: (() => void) | undefined;

  const mainPrompt = (): string => (continuation.pending() ? CONTINUED_PROMPT : PROMPT);
  const line = createPromptLine({
    input,
    output,
    isTerminal,
    onLine,
    onInterrupt,
    onEnd,
    onGone: leave,
    composePrompt: mainPrompt,
    now,
  });
  const look = (): LineLook => ({ style, columns: line.columns(), rows: line.rows() });

  // Who gets the next line

  function onLine(typed: string, kind: PromptKind | undefined, afterMs: number): void {
    if (kind === "answer") {
      line.forget();
      if (isNew && afterMs < QUIET_MS) tooEarly(typed);
      else {
        isNew = false; // what follows is about the person's own line
        answering?.(typed);
      }
      return;
    }
    if (isAsking) {
      keepForLater(typed); // it came at once with the line before it
      return;
    }
    const whole = continuation.push(typed);
    if (whole !== undefined) deliver(whole);
    else if (kind) line.show(kind, CONTINUED_PROMPT);
  }

  function tooEarly(typed: string): void {
    if (typed.trim() !== "") {
      line.direct(TOO_EARLY);
      keepForLater(typed);
    }
    queueMicrotask(() => {
      if (answering) askAgain();
    });
  }

  function keepForLater(typed: string): void {
    early = markLineBreaks(early === "" ? typed : `${early}\n${typed}`);
  }

  function deliver(whole: string): void {
    if (isTerminal && task?.onLine) {
      const remark = task.onLine(whole);
      if (remark !== undefined) line.direct(`${remark}\n`);
    } else if (waiting) waiting(whole);
    else {
      queue.push(whole);
      if (queue.length >= MAX_QUEUED_LINES) line.flow(false);
    }
  }

  function onEnd(): void {
    const rest = continuation.end();
    if (rest !== undefined) deliver(rest);
    ended = true;
    waiting?.(undefined);
    answering?.(undefined);
  }

  function onInterrupt(): void {
    if (leaveQuestion) leaveQuestion();
    else if (task) {
      if (line.current()?.kind === "compose") line.hide();
      continuation.end();
      task.onInterrupt();
    } else if (answering) {
      line.hide();
      answering(undefined);
    } else if (line.current()?.typed || continuation.pending()) {
      line.hide();
      continuation.end();
      line.show("idle", PROMPT);
    } else onIdleInterrupt();
  }

  function leave(): void {
    if (left) return;
    left = true;
    line.hide();
    leaving.resolve(undefined);
    waiting?.(undefined);
    answering?.(undefined);
  }

  // Questions

  // One at a time; a rejection goes to its asker and does not affect the next question.
  function inTurn<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    const answer = questions.then(ask);
    questions = answer.catch(() => undefined);
    return answer;
  }

  async function askNow(question: PermissionQuestion, signal: AbortSignal): Promise<PermissionAnswer> {
    if (signal.aborted) throw new Aborted();
    // Piped text can come from anyone (an issue, a page): a line "y" in it must not grant anything.
    if (!isTerminal) return { kind: "no", reason: "nobody is at a terminal to answer" };
    const lines = questionLines(question, look());
    const change = plainChange(question.call, look());
    const shown = [...lines.slice(0, -1), ...change, ...lines.slice(-1)];
    return whileShown(shown, () => readPermission(question, signal));
  }

  async function confirmNow(lines: readonly string[]): Promise<"yes" | "no" | undefined> {
    if (!isTerminal) return undefined;
    await readAhead();
    return ended || left ? undefined : whileShown(lines, readYesOrNo);
  }

  async function askLineNow<Answer>(question: LineQuestion<Answer>): Promise<Answer | undefined> {
    const { signal } = question;
    if (!isTerminal) return undefined;
    await untilQuiet(signal);
    if (signal.aborted) throw new Aborted();
    if (ended || left) return undefined;
    return whileShown(question.lines, async () => {
      for (;;) {
        const typed = await (question.isSecret === true
          ? readSecret(question.prompt, signal)
          : readLine(question.prompt, signal));
        const answer = typed === undefined ? undefined : question.parse(typed);
        if (typed === undefined || answer !== undefined) return answer;
        line.direct(`  ${question.again}\n`);
      }
    });
  }

  async function untilQuiet(signal: AbortSignal): Promise<void> {
    await readAhead();
    for (;;) {
      const leftMs = line.lastKeyMs() + QUIET_MS - now();
      if (leftMs <= 0 || signal.aborted || left) return;
      await delay(leftMs, signal);
    }
  }

  async function readLine(prompt: string, signal: AbortSignal): Promise<string | undefined> {
    leaveQuestion = () => {
      line.hide();
      answering?.(undefined);
    };
    try {
      return await readAnswer(prompt, signal);
    } finally {
      leaveQuestion = undefined;
    }
  }

  function readSecret(prompt: string, signal: AbortSignal): Promise<string | undefined> {
    return new Promise((resolve, reject) => {
      let stop = (): void => undefined;
      const onAbort = (): void => {
        answering = undefined;
        stop();
        reject(new Aborted());
      };
      const done = (typed: string | undefined): void => {
        answering = undefined;
        signal.removeEventListener("abort", onAbort);
        stop();
        resolve(typed);
      };
      answering = done; // also called when the input ends or the person leaves
      signal.addEventListener("abort", onAbort, { once: true });
      const read = (): void => {
        stop = line.readSecret(prompt, (typed, afterMs) => {
          if (typed === undefined || afterMs >= QUIET_MS) return done(typed);
          line.direct(SECRET_TOO_EARLY);
          read();
        });
      };
      read();
    });
  }

  async function whileShown<Answer>(lines: readonly string[], read: () => Promise<Answer>): Promise<Answer> {
    const interrupted = line.hide(); // a half-typed line must not become an answer
    line.line(lines.join("\n"));
    isAsking = true;
    isNew = true;
    const release = line.holdOutput();
    try {
      return await read();
    } finally {
      isAsking = false;
      release();
      if (!left) showAgain(interrupted);
    }
  }

  /** The person's own line after a question: what it contained before, and what was typed too early for an answer. */
  function showAgain(interrupted: ReturnType<typeof line.hide>): void {
    const typed = `${interrupted?.typed ?? ""}${early}`;
    if (waiting) line.show("idle", mainPrompt(), typed);
    else if (interrupted) line.show(interrupted.kind, interrupted.text, typed);
    else if (task && typed !== "") line.show("compose", mainPrompt(), typed);
    else return; // nobody takes lines now: nextLine shows it
    early = "";
  }

  async function readYesOrNo(): Promise<"yes" | "no" | undefined> {
    for (;;) {
      const typed = await readAnswer(CONFIRM_PROMPT, NEVER);
      const answer = typed === undefined ? undefined : parseYesOrNo(typed);
      if (typed === undefined || answer) return answer;
      line.direct("  answer y or n\n");
    }
  }

  async function readPermission(
    { keep, mode }: PermissionQuestion,
    signal: AbortSignal,
  ): Promise<PermissionAnswer> {
    for (;;) {
      const keys = ["y", "s", ...(keep ? ["a", "e"] : []), ...(mode ? ["m"] : [])];
      const typed = await readAnswer(`  ${keys.join("/")}/n › `, signal);
      if (typed === undefined)
        return { kind: "no", reason: ended ? "the input ended" : "the question was left open" };
      const answer = parseAnswer(typed, keep !== undefined, mode !== undefined);
      if (answer === "once" || answer === "session" || answer === "mode") return { kind: answer };
      if (answer === "no") {
        const reason = (await readAnswer(REASON_PROMPT, signal))?.trim();
        return reason ? { kind: "no", reason } : { kind: "no" };
      }
      if (answer === "here" || answer === "everywhere") {
        const pattern =
          keep?.prefix === undefined ? "" : (await readAnswer(`  ${keepPrompt(keep)}`, signal))?.trim();
        if (pattern === undefined) return { kind: "no", reason: "the question was left open" };
        return { kind: "always", where: answer, pattern: pattern === "" ? undefined : pattern };
      }
      line.direct(`  answer ${keys.join(", ")} or n\n`);
    }
  }

  // The next typed line; undefined when there will be none.
  function readAnswer(promptText: string, signal: AbortSignal): Promise<string | undefined> {
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        answering = undefined;
        line.hide();
        reject(new Aborted());
      };
      answering = (typed) => {
        answering = undefined;
        signal.removeEventListener("abort", onAbort);
        resolve(typed);
      };
      signal.addEventListener("abort", onAbort, { once: true });
      askAgain = () => line.show("answer", promptText);
      if (ended || left) answering(undefined);
      else askAgain();
    });
  }

  return {
    isTerminal,
    look,
    write: line.write,
    line: line.line,
    freshLine: line.freshLine,
    ask: (question, signal) => inTurn(() => askNow(question, signal)),
    confirm: (lines) => inTurn(() => confirmNow(lines)),
    askLine: (question) => inTurn(() => askLineNow(question)),
    nextLine: (onInterruptWhileIdle) => {
      const queued = left ? undefined : queue.shift();
      if (queued !== undefined || ended || left) return Promise.resolve(queued);
      onIdleInterrupt = onInterruptWhileIdle;
      line.flow(true);
      if (!isAsking) {
        const typed = `${line.hide()?.typed ?? ""}${early}`;
        early = "";
        line.show("idle", mainPrompt(), typed);
      }
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
    close: line.close,
  };
}
