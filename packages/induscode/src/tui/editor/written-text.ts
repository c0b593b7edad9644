// The text that is being written, with what is folded in it: typed, pasted, or a line of the history in its place.

import type { Submission } from "../contract.ts";
import {
  createFoldedTexts,
  type Folded,
  type FoldedTexts,
  foldedIn,
  foldImage,
  foldPaste,
  unfold,
} from "./folded.ts";
import { createLayouter, type Layout } from "./layout.ts";
import { cleanText, type EditState, EMPTY, insert, replaceAll } from "./state.ts";

const COLUMNS_AROUND = 3; // the prompt and a blank before the text, and room for the cursor after it

export class WrittenText {
  /** The width of the screen. */
  columns = 80;
  #state: EditState = EMPTY;
  #folded = createFoldedTexts();
  #layouter = this.#newLayouter();
  /** The history line that is shown, and the text written before browsing. */
  #browsing: { readonly at: number; readonly written: EditState } | undefined;

  get state(): EditState {
    return this.#state;
  }

  get folded(): FoldedTexts {
    return this.#folded;
  }

  layout(): Layout {
    return this.#layouter(this.#state.text, Math.max(1, this.columns - COLUMNS_AROUND));
  }

  /** The text with everything that is folded in it. */
  whole(): string {
    return unfold(this.#state.text, this.#folded, ({ text }) => text);
  }

  become(next: EditState): void {
    if (next.text !== this.#state.text) this.#browsing = undefined;
    this.#state = next;
  }

  /** Replaces the text by one that was elsewhere; images named in it are images again. */
  put(text: string): void {
    this.become(replaceAll(this.#state, this.#folded.refold(cleanText(text))));
  }

  /** Inserts a clean text, folded if it is long. */
  paste(text: string): void {
    const long = foldPaste(text);
    if (long) this.#insertFolded(long);
    else this.become(insert(this.#state, text));
  }

  insertImage(path: string): void {
    this.#insertFolded(foldImage(path));
  }

  /** Replaces the text by a line of the history. */
  recall(line: string): void {
    this.become(replaceAll(this.#state, this.#recalled(line)));
  }

  /** Shows the next or previous line of the history. False if there is none. */
  browse(by: 1 | -1, lines: readonly string[]): boolean {
    const at = (this.#browsing?.at ?? lines.length) + by;
    const written = this.#browsing?.written ?? this.#state;
    if (at < 0 || at > lines.length || (by > 0 && !this.#browsing)) return false;
    const isWritten = at === lines.length;
    this.#state = isWritten
      ? written
      : { ...replaceAll(written, this.#recalled(lines[at] ?? "")), goal: this.columns };
    this.#browsing = isWritten ? undefined : { at, written };
    return true;
  }

  /** Undefined if the text is blank. */
  submission(): Submission | undefined {
    const whole = this.whole();
    if (whole.trim() === "") return undefined;
    const { text } = this.#state;
    const shown = unfold(text, this.#folded, ({ label }) => label);
    const images = foldedIn(text, this.#folded).flatMap(({ image }) => image ?? []);
    return { text: whole, shown, images };
  }

  /** Begins anew; what was cut is kept. */
  clear(): void {
    const kills = this.#state.kills.map((cut) => unfold(cut, this.#folded, ({ text }) => text));
    this.become({ ...EMPTY, kills });
    this.#folded = createFoldedTexts();
    this.#layouter = this.#newLayouter();
  }

  #newLayouter(): ReturnType<typeof createLayouter> {
    return createLayouter((mark) => this.#folded.at(mark)?.label);
  }

  #insertFolded(what: Folded): void {
    this.become(insert(this.#state, this.#folded.fold(what) ?? what.text));
  }

  /** A long line is folded as if it were pasted: the line before it is one key away. */
  #recalled(line: string): string {
    const text = cleanText(line);
    const long = foldPaste(text);
    return (long && this.#folded.fold(long)) ?? text;
  }
}
