// A pasted text, between the marks that a terminal puts around it, in the form that is kept: no control characters or escape sequences,
// line breaks as LF.

import { printable } from "indusagi/core";

const PASTE_ENDS = "\x1b[201~";
/** Pasted text beyond this is left out, and the text says so. */
const MAX_PASTE = 16 * 1024 * 1024;

/** Collects what follows the begin mark, wherever its chunks are split. */
export class PasteReader {
  readonly #pieces: string[] = [];
  #length = 0;

  /** Takes its part of the input. Returns the rest, which must be given again, and the text once it has ended. */
  take(input: string): { readonly rest: string; readonly text: string | undefined } {
    const end = input.indexOf(PASTE_ENDS);
    // The end mark can be split across chunks.
    const until = end < 0 ? input.length - cutMark(input) : end;
    if (this.#length < MAX_PASTE) this.#pieces.push(input.slice(0, until));
    this.#length += until;
    if (end < 0) return { rest: input.slice(until), text: undefined };
    const text = clipText(this.#pieces.join(""), MAX_PASTE, this.#length);
    return { rest: input.slice(end + PASTE_ENDS.length), text };
  }
}

/** How many characters at the end may be the beginning of the paste's end mark. */
function cutMark(text: string): number {
  for (let length = Math.min(PASTE_ENDS.length - 1, text.length); length > 0; length--)
    if (PASTE_ENDS.startsWith(text.slice(text.length - length))) return length;
  return 0;
}

/** Terminals send pasted line breaks as CR, LF or CRLF. `length` is the original length. */
function clipText(pasted: string, maxLength: number, length: number): string {
  const text = printable(pasted.slice(0, maxLength).replace(/\r\n?/g, "\n"));
  return length > maxLength ? `${text}\n[cut: more than ${maxLength} characters were pasted]` : text;
}
