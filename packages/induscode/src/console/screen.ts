// The output side of the console: running text, whole lines, and a hold while someone is typing.

import { createDisposer, type Disposer } from "indusagi/core";

/** All texts are printed as they are: callers make untrusted ones printable. */
export interface Screen {
  /** Columns of the terminal; 100 where there is none. */
  readonly columns: () => number;
  readonly rows: () => number;
  /** Prints text without starting or ending a line. */
  readonly write: (text: string) => void;
  /** Prints one or more whole lines. */
  readonly line: (text: string) => void;
  /** Begins a new line unless already at the start of one. */
  readonly freshLine: () => void;
  /** Holds back all printed text until disposed. */
  readonly hold: () => Disposer;
  /** Prints despite a hold. */
  readonly direct: (text: string) => void;
  /** Call after somebody else printed a line break. */
  readonly lineEnded: () => void;
}

interface ScreenOptions {
  readonly output: NodeJS.WritableStream & { readonly columns?: number; readonly rows?: number };
  /** Called once when nobody reads the output any more. */
  readonly onGone: () => void;
  /** Called when too much text is held back to keep in memory. */
  readonly onFull: () => void;
}

const COLUMNS_WITHOUT_TERMINAL = 100;
const ROWS_WITHOUT_TERMINAL = 60;
const MAX_HELD_CHARACTERS = 256 * 1024;

/** A screen on `output`. A closed output (EPIPE) is an end, not an error. */
export function createScreen({ output, onGone, onFull }: ScreenOptions): Screen {
  let atLineStart = true;
  let gone = false;
  let holds = 0;
  let held: (() => void)[] = [];
  let heldCharacters = 0;

  output.on("error", () => {
    if (!gone) onGone();
    gone = true;
  });

  function direct(text: string): void {
    if (text === "" || gone) return;
    output.write(text);
    atLineStart = text.endsWith("\n");
  }

  function freshLine(): void {
    if (!atLineStart) direct("\n");
  }

  function print(length: number, action: () => void): void {
    if (holds === 0) {
      action();
      return;
    }
    held.push(action);
    heldCharacters += length;
    if (heldCharacters > MAX_HELD_CHARACTERS) onFull();
  }

  function release(): void {
    holds -= 1;
    if (holds > 0) return;
    const actions = held;
    held = [];
    heldCharacters = 0;
    for (const action of actions) action();
  }

  return {
    columns: () => output.columns ?? COLUMNS_WITHOUT_TERMINAL,
    rows: () => output.rows ?? ROWS_WITHOUT_TERMINAL,
    write: (text) => print(text.length, () => direct(text)),
    line: (text) =>
      print(text.length, () => {
        freshLine();
        direct(`${text}\n`);
      }),
    freshLine: () => print(0, freshLine),
    hold: () => {
      holds += 1;
      return createDisposer(release);
    },
    direct,
    lineEnded: () => {
      atLineStart = true;
    },
  };
}
