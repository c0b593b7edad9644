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
