// The rows that have ended since somebody took them, among them those of the answer that is streaming.

import type { Line } from "../screen/spans.ts";
import { apart, type Block, type BlockLook, blockLines, kindOf } from "./block-lines.ts";
import type { KeptBlocks } from "./kept-blocks.ts";
import type { MarkdownStream } from "./markdown.ts";

export class Outflow {
  readonly #look: BlockLook;
  readonly #kept: KeptBlocks;
  #columns: number;
  #rows: Line[] = [];
  #lastKind: string | undefined;
  #answer: MarkdownStream | undefined;

  constructor(look: BlockLook, kept: KeptBlocks, columns: number) {
    this.#look = look;
    this.#kept = kept;
    this.#columns = columns;
  }

  get columns(): number {
    return this.#columns;
  }

  /** Whether an answer is streaming. */
  get isAnswering(): boolean {
    return this.#answer !== undefined;
  }

  /** Whether what comes next belongs to an answer. */
  get isInAnswer(): boolean {
    return this.isAnswering || this.#lastKind === "answer";
  }

  add(block: Block): void {
    const lines = blockLines(block, this.#look, { columns: this.#columns, unfolded: false });
    this.#rows.push(...apart(block, lines, this.#lastKind));
    this.#lastKind = kindOf(block);
    this.#kept.keep(block);
  }

  /** More text of the answer. */
  grow(text: string): void {
    if (!this.#answer) {
      this.#answer = this.#look.markdown(this.#columns);
      if (this.#lastKind !== undefined && this.#lastKind !== "answer") this.#rows.push([]);
      this.#lastKind = "answer";
    }
    this.#growOn(this.#answer.write(text));
  }

  /** Ends the answer, if one is streaming; `text` is all of it. */
  endAnswer(text: string): void {
    if (!this.#answer) return;
    this.#growOn(this.#answer.end());
    this.#answer = undefined;
    this.#kept.keep({ kind: "answer", text });
  }

  /** The last rows of the answer as they look for now. */
  tail(): Line[] {
    return this.#answer?.tail() ?? [];
  }

  take(): readonly Line[] {
    const rows = this.#rows;
    this.#rows = [];
    this.#kept.take();
    return rows;
  }

  /** Lays out again; `answer` is the text of the streaming one. Returns the last `count` rows, and all that were never taken. */
  resize(columns: number, count: number, answer: string | undefined): readonly Line[] {
    this.#columns = columns;
    const isTaken = this.#rows.length === 0;
    this.#rows = [];
    if (!this.#answer || answer === undefined)
      return this.#kept.lastRows(count, columns, { rows: [], untaken: 0 });
    this.#answer = this.#look.markdown(columns);
    const isApart = this.#kept.lastKind !== undefined && this.#kept.lastKind !== "answer";
    const rows = [...(isApart ? [[]] : []), ...this.#answer.write(answer)];
    // It is unknown which of the new rows correspond to rows already taken.
    return this.#kept.lastRows(count, columns, { rows, untaken: isTaken ? 0 : rows.length });
  }

  /** Everything, with nothing folded; `answer` is the text of the streaming one. */
  unfolded(columns: number, answer: string | undefined): Line[] {
    const rows = this.#kept.unfolded(columns);
    if (!this.#answer || answer === undefined) return rows;
    const stream = this.#look.markdown(columns);
    return [...rows, [], ...stream.write(answer), ...stream.end()];
  }

  /** An empty line separates what was printed in the meantime from the rest of the answer below it. */
  #growOn(rows: readonly Line[]): void {
    if (rows.length > 0 && this.#lastKind !== "answer") {
      if (rows[0]?.length !== 0) this.#rows.push([]);
      this.#lastKind = "answer";
    }
    this.#rows.push(...rows);
  }
}
