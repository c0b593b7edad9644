// The last rows of a terminal, of any width, and what its controls do to them.

import { cellsOf, JOINS, set, TAB, tab } from "./row-cells.ts";

/** Rows that can still be changed: programs that redraw believe in a screen of 24. */
const ROWS = 50;
/** A longer row is finished but for its end. */
const MAX_ROW = 16_384;

const FULL_SCREEN = "[a full-screen program drew here: not shown]";

interface Place {
  row: number;
  /** Undefined: behind the row's last character. */
  column: number | undefined;
}

/** `emit` gets what cannot change any more. */
export class Screen {
  readonly #emit: (text: string) => void;
  #rows: string[] = [""];
  #at: Place = { row: 0, column: undefined };
  /** The current row, a character a cell and nothing in the second of a wide one, while it is being changed. */
  #cells: string[] | undefined;
  #saved: Place = { row: 0, column: 0 };
  #isAlternate = false;

  constructor(emit: (text: string) => void) {
    this.#emit = emit;
  }

  /** Whether text only adds to what is there. */
  get isAtEnd(): boolean {
    return this.#at.column === undefined && this.#at.row === this.#rows.length - 1 && !this.#isAlternate;
  }

  /** Adds lines at the end. */
  append(text: string): void {
    this.#leave();
    let start = text.length;
    for (let lines = ROWS; lines > 0 && start >= 0; lines--)
      start = start === 0 ? -1 : text.lastIndexOf("\n", start - 1);
    if (start >= 0) {
      this.#emit(`${this.#rows.join("\n")}${text.slice(0, start + 1)}`);
      this.#rows = text.slice(start + 1).split("\n");
    } else {
      const [first = "", ...others] = text.split("\n");
      this.#rows[this.#rows.length - 1] += first;
      this.#rows.push(...others);
    }
    this.#at = { row: this.#rows.length - 1, column: undefined };
    this.#finishRows();
  }

  /** Text without controls; it overwrites. */
  put(text: string): void {
    if (text === "" || this.#isAlternate) return;
    const { row, column } = this.#at;
    if (column === undefined && this.#cells === undefined) {
      this.#rows[row] += text;
      this.#finishRows();
      return;
    }
    const cells = this.#edit();
    let at = column ?? cells.length;
    while (cells.length < at) cells.push(" ");
    for (const character of text) {
      if (character === "\t") at = tab(cells, at);
      else if (JOINS.test(character)) cells[Math.max(0, at - 1)] += character;
      else at = set(cells, at, character);
    }
    this.#at.column = at;
    if (cells.length > MAX_ROW) this.#finishRows();
  }

  /** A control character, or a sequence without parameters. */
  simple(token: string): void {
    if (this.#isAlternate) return;
    if (token === "\n" || token === "\v" || token === "\f") this.#nextRow();
    else if (token === "\r") this.#moveTo(this.#at.row, 0);
    else if (token === "\b") this.#moveTo(this.#at.row, this.#column - 1);
    else if (token === "\x1b7") this.#save();
    else if (token === "\x1b8") this.#moveTo(this.#saved.row, this.#saved.column ?? 0);
    else if (token === "\x1bM") this.#moveTo(this.#at.row - 1, this.#column);
    else if (token === "\x1bc") this.#erase(2);
  }

  control(final: string, parameters: string): void {
    if (/^\?(?:\d+;)*(?:47|1047|1049)(?:;|$)/.test(parameters) && (final === "h" || final === "l"))
      this.#alternate(final === "h");
    else if (!this.#isAlternate && /^[\d;]*$/.test(parameters)) {
      const [first = 0, second = 0] = parameters.split(";").map(Number);
      this.#act(final, first, second);
    }
  }

  end(): void {
    this.#leave();
    while (this.#rows.length - 1 > this.#at.row && this.#rows.at(-1) === "") this.#rows.pop();
    this.#emit(this.#rows.join("\n"));
    this.#rows = [""];
    this.#at = { row: 0, column: undefined };
  }

  #act(final: string, first: number, second: number): void {
    const { row } = this.#at;
    const count = Math.min(Math.max(1, first), MAX_ROW);
    switch (final) {
      case "A":
        this.#moveTo(row - count, this.#column);
        return;
      case "B":
        this.#moveTo(row + count, this.#column);
        return;
      case "C":
        this.#moveTo(row, this.#column + count);
        return;
      case "D":
        this.#moveTo(row, this.#column - count);
        return;
      case "E":
        this.#moveTo(row + count, 0);
        return;
      case "F":
        this.#moveTo(row - count, 0);
        return;
      case "G":
        this.#moveTo(row, count - 1);
        return;
      case "H":
      case "f":
        while (this.#rows.length < Math.min(count, ROWS)) this.#rows.push("");
        this.#moveTo(count - 1, Math.max(1, second) - 1);
        return;
      case "J":
        this.#erase(first);
        return;
      case "K":
        this.#eraseInRow(first);
        return;
      case "P":
        this.#edit().splice(this.#column, count);
        return;
      case "@":
        this.#edit().splice(this.#column, 0, ...Array<string>(count).fill(" "));
        return;
      case "X":
        this.#edit().fill(" ", this.#column, this.#column + count);
        return;
      case "s":
        this.#save();
        return;
      case "u":
        this.#moveTo(this.#saved.row, this.#saved.column ?? 0);
        return;
    }
  }

  get #column(): number {
    return this.#at.column ?? this.#edit().length;
  }

  #edit(): string[] {
    this.#cells ??= cellsOf(this.#rows[this.#at.row] ?? "");
    return this.#cells;
  }

  /** Puts the current row back among the others. */
  #leave(): void {
    if (this.#cells !== undefined) this.#rows[this.#at.row] = this.#cells.join("");
    this.#cells = undefined;
  }

  #moveTo(row: number, column: number): void {
    const to = Math.min(Math.max(0, row), this.#rows.length - 1);
    if (to !== this.#at.row) this.#leave();
    this.#at = { row: to, column: Math.min(Math.max(0, column), MAX_ROW) };
  }

  #nextRow(): void {
    this.#leave();
    const row = this.#at.row + 1;
    if (row === this.#rows.length) this.#rows.push("");
    this.#at = { row, column: this.#rows[row] === "" ? undefined : 0 };
    this.#finishRows();
  }

  #save(): void {
    this.#saved = { row: this.#at.row, column: this.#column };
  }

  #erase(what: number): void {
    const { row } = this.#at;
    const column = this.#column;
    if (what === 0) {
      this.#eraseInRow(0);
      this.#rows.length = row + 1;
    } else {
      this.#leave();
      const last = what === 1 ? row : this.#rows.length;
      this.#rows.fill("", 0, last);
      if (what === 1) this.#eraseInRow(1);
    }
    this.#at = { row, column };
  }

  #eraseInRow(what: number): void {
    const column = this.#column;
    const cells = this.#edit();
    if (what === 0) cells.length = Math.min(cells.length, column);
    else if (what === 2) cells.length = 0;
    else cells.fill(" ", 0, column + 1);
    this.#at.column = column;
  }

  #alternate(isEntered: boolean): void {
    if (isEntered && !this.#isAlternate) {
      this.#moveTo(this.#rows.length - 1, 0);
      if (this.#rows[this.#at.row] !== "") this.#nextRow();
      this.put(FULL_SCREEN);
      this.#nextRow();
    }
    this.#isAlternate = isEntered;
  }

  /** Emits the rows above the last ones, and of a row that is very long all but its end. */
  #finishRows(): void {
    const over = this.#rows.length - ROWS;
    if (over > 0) {
      this.#emit(`${this.#rows.splice(0, over).join("\n")}\n`);
      this.#at.row = Math.max(0, this.#at.row - over);
      this.#saved.row = Math.max(0, this.#saved.row - over);
    }
    const length = this.#cells?.length ?? this.#rows[this.#at.row]?.length ?? 0;
    if (length <= MAX_ROW || this.#at.row !== this.#rows.length - 1) return;
    this.#leave();
    const row = this.#rows.pop() ?? "";
    const end = row.slice(-TAB).replace(/^[\udc00-\udfff]/, "");
    this.#emit([...this.#rows, row.slice(0, row.length - end.length)].join("\n"));
    this.#rows = [end];
    this.#at = { row: 0, column: undefined };
  }
}
