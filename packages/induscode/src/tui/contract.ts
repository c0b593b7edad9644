// What the parts of the rich console hand to each other. Shapes only.

/** Where typing goes: cells from the left, rows from the first of the part's own; both from 0. */
export interface Cursor {
  readonly row: number;
  readonly column: number;
}

/** What a part shows: each row at most as wide as it was asked for, with no control character but our own colours. */
export interface Rows {
  readonly rows: readonly string[];
  readonly cursor?: Cursor;
}

/** A part of the screen. It keeps its state; what it shows follows from that state and the width alone. */
export interface Component {
  readonly render: (columns: number) => Rows;
}

/** One key, whatever the terminal's way of sending it. */
export interface Key {
  /** `a`, `enter`, `escape`, `up`, `f1`, …; `paste` for a text that was pasted, `text` for characters that were typed. */
  readonly name: string;
  readonly ctrl: boolean;
  readonly alt: boolean;
  readonly shift: boolean;
  /** What it inserts, when it inserts something. Untrusted. */
  readonly text?: string;
}

/** What a person sends off from the editor. */
export interface Submission {
  /** Pasted texts in full. */
  readonly text: string;
  /** Pasted texts as their markers: `[pasted 120 lines]`. */
  readonly shown: string;
  /** Absolute paths of images that were dropped or pasted, in order; each stands as `[image name.png]` in the text. */
  readonly images: readonly string[];
}

/**
 * What a key asks of the screen and not of the editor. `interrupt` (Esc) comes only when the editor itself had nothing to
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
  | "queue"
  | "thinking"
  | "externalEditor";

/** What came of a key. */
export type EditorEvent =
  | { readonly kind: "submit"; readonly submission: Submission }
  | { readonly kind: "action"; readonly action: ScreenAction };

/** Where a person writes. */
export interface Editor extends Component {
  readonly press: (key: Key) => readonly EditorEvent[];
  readonly isEmpty: () => boolean;
  /** What is written, pasted texts in full. */
  readonly text: () => string;
  /** Replaces what is written; one step of undo. */
  readonly put: (text: string) => void;
  /** Ends what waits for something; nothing is written any more. */
  readonly close: () => void;
}

/** What a terminal sends. */
export type Input =
  | { readonly kind: "key"; readonly key: Key }
  | { readonly kind: "focus"; readonly isFocused: boolean }
  /** An answer to what the terminal was asked: the whole sequence. */
  | { readonly kind: "reply"; readonly sequence: string };

/**
 * Turns what a terminal sends into keys, however it is cut. While `isWaiting`, a sequence is unfinished, or Esc was pressed
 * alone: whoever reads calls `flush` when nothing has come for {@link ESCAPE_MS}.
 */
export interface KeyDecoder {
  readonly write: (chunk: Uint8Array | string) => readonly Input[];
  readonly isWaiting: () => boolean;
  readonly flush: () => readonly Input[];
}

/** How long the rest of a sequence may take, in milliseconds. */
export const ESCAPE_MS = 40;
