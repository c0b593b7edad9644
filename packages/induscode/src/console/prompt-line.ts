// One input and one output, and the prompt between them: while it is shown, all printed output waits.

import type { Disposer } from "indusagi/core";
import { createPipeInput, createTerminalInput, type LineInput, type LineInputOptions } from "./line-input.ts";
import { createScreen, type Screen } from "./screen.ts";
import { showSecretPrompt } from "./secret-prompt.ts";

/** `idle`: the console waits for a line; `compose`: someone types during a task; `answer`: a question is open. */
export type PromptKind = "idle" | "compose" | "answer";

/** A prompt on the screen, and the text typed after it. */
export interface OpenPrompt {
  readonly kind: PromptKind;
  readonly text: string;
  readonly typed: string;
}

export interface PromptLine extends Omit<Screen, "hold" | "lineEnded"> {
  /** Puts a prompt on the screen; does nothing without a terminal. */
  readonly show: (kind: PromptKind, text: string, typed?: string) => void;
  /** Removes the prompt from the screen and returns what it was. */
  readonly hide: () => OpenPrompt | undefined;
  readonly current: () => OpenPrompt | undefined;
  /** Holds back printed text, with or without a prompt, until disposed. */
  readonly holdOutput: () => Disposer;
  /**
   * A prompt whose answer is not shown; its first key came so long after it. Returns a function that removes it; `onEnd` is then
   * not called.
   */
  readonly readSecret: (
    text: string,
    onEnd: (line: string | undefined, afterMs: number) => void,
  ) => () => void;
  /** When the last key came, by the monotonic clock. */
  readonly lastKeyMs: () => number;
  readonly forget: LineInput["forget"];
  readonly flow: LineInput["flow"];
  /** Restores the terminal. */
  readonly close: () => void;
}

export interface PromptLineOptions extends Pick<LineInputOptions, "input" | "onInterrupt"> {
  readonly output: NodeJS.WritableStream & { readonly columns?: number; readonly rows?: number };
  readonly isTerminal: boolean;
  /**
   * A line was entered at a prompt of this kind, its first key so long after the prompt was shown; text printed past the hold
   * now appears right below it.
   */
  readonly onLine: (line: string, kind: PromptKind | undefined, afterMs: number) => void;
  /** No further line will come, or nobody reads the output. */
  readonly onEnd: () => void;
  readonly onGone: () => void;
  /** The prompt for keys that come while none is shown. */
  readonly composePrompt: () => string;
  /** A monotonic clock. */
  readonly now: () => number;
}

// Ctrl+C, Ctrl+D and Ctrl+Z are for the console, not for a line.
const PASSED_KEYS = /^[\x03\x04\x1a]/;
// Enter, Backspace, a lone Escape and the like: there is no line to apply them to.
const DROPPED_KEYS = /^(?:[\x00-\x1a\x1c-\x1f\x7f]|\x1b$)/;

export function createPromptLine(options: PromptLineOptions): PromptLine {
  const { input, output, isTerminal, onLine, onInterrupt, onEnd, onGone, composePrompt, now } = options;
  const screen = createScreen({ output, onGone, onFull: () => above(() => undefined) });
  let prompt:
    | {
        readonly kind: PromptKind;
        readonly text: string;
        readonly shownMs: number;
        readonly release: Disposer;
      }
    | undefined;
  let releaseHold: Disposer | undefined;
  let ended = false;
  let lastKeyMs = Number.NEGATIVE_INFINITY;
  let firstKeyMs = Number.NEGATIVE_INFINITY;

  const lineInput = (isTerminal ? createTerminalInput : createPipeInput)({
    input,
    output,
    onInterrupt,
    onLine: (line) => {
      const entered = prompt;
      prompt = undefined;
      screen.lineEnded();
      onLine(line, entered?.kind, firstKeyMs - (entered?.shownMs ?? 0));
      entered?.release();
    },
    onEnd: () => {
      if (prompt) screen.direct("\n");
      prompt?.release();
      prompt = undefined;
      ended = true;
      onEnd();
    },
    accepts: (keys) => {
      lastKeyMs = now();
      if (lineInput.typed() === "") firstKeyMs = lastKeyMs;
      if (prompt || PASSED_KEYS.test(keys)) return true;
      if (DROPPED_KEYS.test(keys)) return false;
      show("compose", composePrompt());
      return true;
    },
    onKey: () => {
      if (prompt?.kind === "compose" && lineInput.typed() === "") hide();
    },
  });

  function show(kind: PromptKind, text: string, typed = "", shownMs = now()): void {
    if (!isTerminal || ended) return;
    screen.freshLine();
    prompt = { kind, text, shownMs, release: screen.hold() };
    lineInput.show(text);
    lineInput.put(typed);
  }

  function hide(): OpenPrompt | undefined {
    if (!prompt) return undefined;
    const { kind, text, release } = prompt;
    const typed = lineInput.take();
    prompt = undefined;
    screen.lineEnded();
    release();
    return { kind, text, typed };
  }

  // Prints despite every hold, above the prompt, which is then shown again with its typed text.
  function above(print: () => void): void {
    const shownMs = prompt?.shownMs;
    const open = hide();
    const wasHeld = releaseHold !== undefined;
    releaseHold?.();
    print();
    if (wasHeld) releaseHold = screen.hold();
    if (open) show(open.kind, open.text, open.typed, shownMs);
  }

  return {
    columns: screen.columns,
    rows: screen.rows,
    write: screen.write,
    freshLine: screen.freshLine,
    direct: screen.direct,
    line: (text) => {
      if (prompt?.kind === "idle" && lineInput.typed() === "") above(() => screen.line(text));
      else screen.line(text);
    },
    show,
    hide,
    current: () => prompt && { kind: prompt.kind, text: prompt.text, typed: lineInput.typed() },
    holdOutput: () => {
      releaseHold = screen.hold();
      return () => {
        releaseHold?.();
        releaseHold = undefined;
      };
    },
    readSecret: (text, onEnd) => {
      const onKey = (ms: number): void => {
        lastKeyMs = ms;
      };
      return showSecretPrompt(screen, lineInput, { text, now, onKey, onEnd });
    },
    lastKeyMs: () => lastKeyMs,
    forget: lineInput.forget,
    flow: lineInput.flow,
    close: () => {
      hide();
      lineInput.close();
    },
  };
}
