// The console's conversation with a person: one input, one output, and the rule for who gets the next line: an
// open question, a running task, or whoever waits for one. It is created before the session, because the
// session's permission check asks through it.

import { deferred, monotonicMs } from "indusagi/core";
import type { PermissionAsker } from "../feature/permission.ts";
import { AnswerReader } from "./answer-reader.ts";
import { askLine, askPermission, askYesOrNo, type LineQuestion } from "./ask-by-line.ts";
import { type Over, OwnLines, type TaskListeners } from "./own-lines.ts";
import { createPromptLine, type PromptLineOptions } from "./prompt-line.ts";
import { createStyle } from "./style.ts";
import type { LineLook } from "./transcript-lines.ts";

interface DialogueOptions {
  readonly input: PromptLineOptions["input"];
  readonly output: PromptLineOptions["output"];
  /** Both ends are a terminal: lines are edited at a prompt, and typing during a task is possible. */
  readonly isTerminal: boolean;
  readonly colour: boolean;
  /** The end of the input leaves a running task at once. */
  readonly leavesAtEnd?: boolean | undefined;
  /** A monotonic clock. */
  readonly now?: () => number;
}

export interface Dialogue {
  readonly isTerminal: boolean;
  readonly look: () => LineLook;
  /** Prints printable text without starting or ending a line. */
  readonly write: (text: string) => void;
  /** Prints printable text on lines of its own. */
  readonly line: (text: string) => void;
  readonly freshLine: () => void;
  /** Asks the person a permission question. Rejects with `Aborted` when the signal fires, otherwise never. */
  readonly ask: PermissionAsker;
  /**
   * Asks the person a yes-or-no question, its lines already printable. Only what is typed after it could be read counts, never
   * an earlier line. Undefined when nobody answers: no terminal, Ctrl+C, the end of the input.
   */
  readonly confirm: (lines: readonly string[]) => Promise<"yes" | "no" | undefined>;
  /**
   * Asks a question on behalf of somebody else, its lines already printable, and reads lines until one is an answer. It is shown
   * once the keyboard has been quiet: what was typed before is never an answer. Undefined when the person leaves it (Ctrl+C) or
   * nobody is there; rejects with `Aborted` when the signal fires.
   */
  readonly askLine: <Answer>(question: LineQuestion<Answer>) => Promise<Answer | undefined>;
  /**
   * The next line for the console; undefined when there will be none. If `instead` resolves first, the prompt is taken back and the
   * answer is {@link INSTEAD}.
   */
  readonly nextLine: (
    onInterrupt: () => void,
    instead?: Promise<unknown>,
  ) => Promise<string | typeof INSTEAD | undefined>;
  /** Runs `task`; `leave` ends the wait with undefined, but not the task. */
  readonly during: <Result>(task: Promise<Result>, listeners: TaskListeners) => Promise<Result | undefined>;
  /** Ends the console the next time it waits. */
  readonly leave: () => void;
  /** Restores the terminal. */
  readonly close: () => void;
}

/** Something else came before the next line. */
export const INSTEAD: unique symbol = Symbol("instead");

/** A dialogue over `input` and `output`; takes the terminal until `close`. */
export function createDialogue(options: DialogueOptions): Dialogue {
  const { input, output, isTerminal, colour, now = monotonicMs } = options;
  const style = createStyle(colour);
  const over: Over = { ended: false, left: false };
  const leaving = deferred<undefined>();
  let questions: Promise<unknown> = Promise.resolve();

  const line = createPromptLine({
    input,
    output,
    isTerminal,
    onLine: (typed, kind, afterMs) => {
      if (kind === "answer") reader.take(typed, afterMs);
      else if (reader.isShown)
        own.keep(typed); // it came at once with the line before it
      else own.take(typed, kind);
    },
    onInterrupt: () => {
      if (!reader.interrupt()) own.interrupt();
    },
    onEnd: () => {
      own.finish();
      over.ended = true;
      if (options.leavesAtEnd) leave();
      else stop();
    },
    onGone: leave,
    composePrompt: () => own.prompt(),
    now,
  });
  const own = new OwnLines({ line, isTerminal, over, onInterrupt: leave });
  const reader = new AnswerReader({ line, own, isTerminal, over, now });
  const look = (): LineLook => ({ style, columns: line.columns(), rows: line.rows() });

  function leave(): void {
    if (over.left) return;
    over.left = true;
    line.hide();
    leaving.resolve(undefined);
    stop();
  }

  function stop(): void {
    own.stop();
    reader.stop();
  }

  // One question at a time; a rejection goes to its asker and does not affect the next one.
  function inTurn<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    const answer = questions.then(ask);
    questions = answer.catch(() => undefined);
    return answer;
  }

  return {
    isTerminal,
    look,
    write: line.write,
    line: line.line,
    freshLine: line.freshLine,
    ask: (question, signal) => inTurn(() => askPermission(reader, question, { look: look(), signal })),
    confirm: (lines) => inTurn(() => askYesOrNo(reader, lines)),
    askLine: (question) => inTurn(() => askLine(reader, question)),
    async nextLine(onInterrupt, instead) {
      const line = own.next(onInterrupt, reader.isShown);
      if (instead === undefined) return line;
      const other: Promise<typeof INSTEAD> = instead.then(() => INSTEAD);
      const first = await Promise.race([line, other]);
      if (first === INSTEAD) own.withdraw();
      return first;
    },
    during: (task, listeners) => own.during(Promise.race([task, leaving.promise]), listeners),
    leave,
    close: line.close,
  };
}
