// What the parts of the rich console exchange. Shapes only.

/** The text cursor: cells from the left, rows from the part's first; both from 0. */
export interface Cursor {
  readonly row: number;
  readonly column: number;
}

/** What a part shows: each row at most as wide as requested, without control characters except our own colours. */
export interface Rows {
  readonly rows: readonly string[];
  readonly cursor?: Cursor;
}

/** A part of the screen. It keeps its state; what it shows depends only on that state and the width. */
export interface Component {
  readonly render: (columns: number) => Rows;
}

/** One key, however the terminal sends it. */
export interface Key {
  /** `a`, `enter`, `escape`, `up`, `f1`, …; `paste` for a pasted text, `text` for typed characters. */
  readonly name: string;
  readonly ctrl: boolean;
  readonly alt: boolean;
  readonly shift: boolean;
  /** The text that it inserts, if any. Untrusted. */
  readonly text?: string;
}

/** What a person sends from the editor. */
export interface Submission {
  /** Pasted texts in full. */
  readonly text: string;
  /** Pasted texts as their markers: `[pasted 120 lines]`. */
  readonly shown: string;
  /** Absolute paths of dropped images and the desk's names of those from the clipboard, in order; each appears as `[image name.png]` in the text. */
  readonly images: readonly string[];
}

/**
 * What a key requests from the screen rather than the editor. `interrupt` (Esc) comes only when the editor itself had nothing to
 * close; `cancel` (Ctrl+C) always; `leave` (Ctrl+D) only when nothing is written.
 */
export type ScreenAction =
  | "interrupt"
  | "cancel"
  | "leave"
  | "suspend"
  | "redraw"
  | "fold"
  | "pager"
  | "commands"
  | "queue"
  | "mode"
  | "thinking"
  | "externalEditor";

/** The results of a key. */
export type EditorEvent =
  | { readonly kind: "submit"; readonly submission: Submission }
  | { readonly kind: "action"; readonly action: ScreenAction };

/** Where a person writes. */
export interface Editor extends Component {
  readonly press: (key: Key) => readonly EditorEvent[];
  readonly isEmpty: () => boolean;
  /** The written text, with pasted texts in full. */
  readonly text: () => string;
  /** Replaces the written text; one step of undo. */
  readonly put: (text: string) => void;
  /** What can complete the text has changed: the list below it is made again. */
  readonly lookAgain: () => void;
  /** Cancels whatever is pending; nothing is written afterwards. */
  readonly close: () => void;
}

/** What a terminal sends. */
export type Input =
  | { readonly kind: "key"; readonly key: Key }
  | { readonly kind: "focus"; readonly isFocused: boolean }
  /** The terminal's answer to a query: the whole sequence. */
  | { readonly kind: "reply"; readonly sequence: string };

/**
 * Turns a terminal's input into keys, wherever its chunks are split. While `isWaiting`, a sequence is unfinished, or Esc was
 * pressed alone: the reader calls `flush` when nothing has come for {@link ESCAPE_MS}.
 */
export interface KeyDecoder {
  readonly write: (chunk: Uint8Array | string) => readonly Input[];
  readonly isWaiting: () => boolean;
  readonly flush: () => readonly Input[];
}

/** How long the rest of a sequence can take, in milliseconds. */
export const ESCAPE_MS = 40;
