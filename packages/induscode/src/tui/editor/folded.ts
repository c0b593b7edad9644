// Long pastes and images are one character each in the text, shown as a marker: `[pasted 120 lines]`. The
// character is half of a surrogate pair, which no typed, pasted or stored text can contain.

import { basename } from "node:path";
import { printable } from "indusagi/core";

/** The content that one marker stands for. */
export interface Folded {
  readonly label: string;
  /** Sent in its place. */
  readonly text: string;
  /** The absolute path of an image, or the desk's name of it. */
  readonly image?: string;
}

/** The items folded in one text, by their character. */
export interface FoldedTexts {
  /** The character that stands for the item; undefined when there are too many. */
  readonly fold: (what: Folded) => string | undefined;
  readonly at: (character: string) => Folded | undefined;
  /** `text` with the label of each image as its character again, after it was elsewhere. */
  readonly refold: (text: string) => string;
}

const FIRST = 0xdc00;
const MOST = 0x400;

/** Whether a character stands for something folded. */
export function isFoldMark(code: number): boolean {
  return code >= FIRST && code < FIRST + MOST;
}

/** With nothing folded yet. */
export function createFoldedTexts(): FoldedTexts {
  const all: Folded[] = [];
  const mark = (at: number): string => String.fromCharCode(FIRST + at);
  return {
    fold: (what) => {
      const known = all.findIndex(({ text, image }) => text === what.text && image === what.image);
      if (known < 0 && all.length === MOST) return undefined;
      const at = known < 0 ? all.push(what) - 1 : known;
      return mark(at);
    },
    at: (character) => all[character.charCodeAt(0) - FIRST],
    refold: (text) =>
      all.reduce(
        (done, { label, image }, at) => (image === undefined ? done : done.replace(label, mark(at))),
        text,
      ),
  };
}

// Every character beyond the BMP ends with a surrogate of this range: only a lone one is a mark.
const MARK = /(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** `text` with each mark replaced by the result of `show`. */
export function unfold(text: string, folded: FoldedTexts, show: (what: Folded) => string): string {
  return text.replace(MARK, (mark) => {
    const what = folded.at(mark);
    return what ? show(what) : "";
  });
}

/** The folded items of a text, in order. */
export function foldedIn(text: string, folded: FoldedTexts): readonly Folded[] {
  return (text.match(MARK) ?? []).flatMap((mark) => folded.at(mark) ?? []);
}

// A pasted text longer than this would hide what is written around it.
const MOST_LINES = 5;
const MOST_CHARACTERS = 1_000;

/** The marker of a pasted text; undefined for one short enough to be inserted as it is. */
export function foldPaste(text: string): Folded | undefined {
  const lines = text.replace(/\n$/, "").split("\n").length; // a final line break does not begin another line
  if (lines > MOST_LINES) return { label: `[pasted ${lines} lines]`, text };
  if (text.length > MOST_CHARACTERS) return { label: `[pasted ${text.length} characters]`, text };
  return undefined;
}

/** The marker of an image. */
export function foldImage(path: string): Folded {
  const label = `[image ${printable(basename(path)).replace(/[\n\t]/g, " ")}]`;
  return { label, text: label, image: path };
}
