// The blocks that are kept to be shown again: in another width, or with one of them unfolded.

import { type Line, span } from "../screen/spans.ts";
import { apart, type Block, type BlockLook, blockLines, canFold, kindOf, sizeOf } from "./block-lines.ts";

/** How much is kept: in blocks, and in their characters. */
const MAX_BLOCKS = 3_000;
const MAX_KEPT = 8_000_000;

export class KeptBlocks {
  readonly #look: BlockLook;
  readonly #blocks: Block[] = [];
  #size = 0;
  /** The first block whose rows have not all been taken. */
  #untaken = 0;
  /** The blocks that the person has unfolded, and the one chosen for folding. */
  readonly #open = new WeakSet<Block>();
  #chosen: Block | undefined;
  /** How many rows the screen must grow so that nothing visible before an unfolding is lost. */
  #grownBy = 0;

  constructor(look: BlockLook) {
    this.#look = look;
  }

  keep(block: Block): void {
    const blocks = this.#blocks;
    blocks.push(block);
    this.#size += sizeOf(block);
    let left = 0;
    while (blocks.length - left > MAX_BLOCKS || (this.#size > MAX_KEPT && left < blocks.length - 1))
      this.#size -= sizeOf(blocks[left++] as Block);
    blocks.splice(0, left);
    this.#untaken = Math.max(0, this.#untaken - left);
  }

  /** What the last block is. */
  get lastKind(): string | undefined {
    return this.#kindBefore(this.#blocks.length);
  }

  /** The rows of every block so far have been taken. */
  take(): void {
    this.#untaken = this.#blocks.length;
  }

  /**
   * The last `count` rows, of which `below` are the lowest. All rows that were never taken are among them: the last `untaken` of
   * those below, and those of the blocks.
   */
  lastRows(
    count: number,
    columns: number,
    below: { readonly rows: Line[]; readonly untaken: number },
  ): Line[] {
    let { rows, untaken: must } = below;
    const wanted = count + this.#grownBy;
    for (let i = this.#blocks.length - 1; i >= 0 && (rows.length < wanted || i >= this.#untaken); i--) {
      rows = [...this.#rowsAt(i, columns), ...rows];
      if (i >= this.#untaken) must = rows.length;
    }
    this.#grownBy = 0;
    this.take();
    return rows.slice(Math.max(0, rows.length - Math.max(wanted, must)));
  }

  /** Everything, with nothing folded. */
  unfolded(columns: number): Line[] {
    return this.#blocks.flatMap((block, i) =>
      apart(block, blockLines(block, this.#look, { columns, unfolded: true }), this.#kindBefore(i)),
    );
  }

  /** Unfolds or refolds a block that begins in the last `count` rows: the chosen one, or else the last. False if there is none. */
  toggle(count: number, columns: number): boolean {
    const can = this.#foldable(count, columns);
    const block = this.#chosen && can.includes(this.#chosen) ? this.#chosen : can.at(-1);
    if (block === undefined) return false;
    this.#chosen = block;
    if (this.#open.delete(block)) return true;
    this.#open.add(block);
    this.#grownBy = this.#height(block, columns, true) - this.#height(block, columns, false);
    return true;
  }

  /** Moves the choice `by` one block. False if there is no other. */
  choose(count: number, columns: number, by: 1 | -1): boolean {
    const can = this.#foldable(count, columns);
    const next = this.#chosen && can[can.indexOf(this.#chosen) + by];
    if (next) this.#chosen = next;
    return next !== undefined;
  }

  chooseNone(): void {
    this.#chosen = undefined;
  }

  #rowsAt(i: number, columns: number): Line[] {
    const block = this.#blocks[i] as Block;
    const lines = blockLines(block, this.#look, { columns, unfolded: this.#open.has(block) });
    return apart(block, block === this.#chosen ? marked(lines) : lines, this.#kindBefore(i));
  }

  #kindBefore(i: number): string | undefined {
    const before = this.#blocks[i - 1];
    return before && kindOf(before);
  }

  /** Blocks with a shorter and a longer form that begin in the last `count` rows; the last one wherever it begins. */
  #foldable(count: number, columns: number): readonly Block[] {
    const found: Block[] = [];
    let rows = 0;
    for (let i = this.#blocks.length - 1; i >= 0 && rows < count; i--) {
      const block = this.#blocks[i] as Block;
      const folded = this.#height(block, columns, false);
      const unfolded = canFold(block) ? this.#height(block, columns, true) : folded;
      rows += this.#open.has(block) ? unfolded : folded;
      if (folded !== unfolded && (rows <= count || found.length === 0)) found.unshift(block);
    }
    return found;
  }

  #height(block: Block, columns: number, unfolded: boolean): number {
    return blockLines(block, this.#look, { columns, unfolded }).length;
  }
}

/** The chosen block begins with another sign, visible without colours too. */
function marked([head = [], ...lines]: Line[]): Line[] {
  const [first, ...rest] = head;
  if (first === undefined) return lines;
  return [[span("▸", "accent"), { ...first, text: first.text.slice(1) }, ...rest], ...lines];
}
