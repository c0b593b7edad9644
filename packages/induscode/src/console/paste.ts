// Bracketed paste: a terminal that supports it marks pasted text, so that pasted line breaks do not submit and pasted
// control keys have no effect.

import { createPrintable } from "indusagi/core";

export const PASTE_ON = "\x1b[?2004h";
export const PASTE_OFF = "\x1b[?2004l";

/** Represents a pasted line break while a line is edited. */
const LINE_BREAK = "␊";

const BEGIN = "\x1b[200~";
const END = "\x1b[201~";

/** Turns a terminal's input into keys, wherever its chunks are split: a paste becomes one line without control keys. */
export function createPasteFilter(): (chunk: string) => string {
  let pasting = false;
  let held = "";
  let clean = createPrintable();
  let afterCr = false;

  // Terminals send pasted line breaks as CR, LF or CRLF.
  function pasted(text: string): string {
    if (text === "") return "";
    const lines = (afterCr && text.startsWith("\n") ? text.slice(1) : text).replace(/\r\n?/g, "\n");
    afterCr = text.endsWith("\r");
    return onOneLine(clean.write(lines));
  }

  return (chunk) => {
    let rest = held + chunk;
    held = "";
    let keys = "";
    for (;;) {
      const mark = pasting ? END : BEGIN;
      const at = rest.indexOf(mark);
      if (at < 0) break;
      keys += pasting ? pasted(rest.slice(0, at)) + onOneLine(clean.end()) : rest.slice(0, at);
      pasting = !pasting;
      clean = createPrintable();
      afterCr = false;
      rest = rest.slice(at + mark.length);
    }
    // The Escape key comes alone; anything else that begins like a mark may be a split one.
    const cut = !pasting && rest === "\x1b" ? 0 : cutMark(rest, pasting ? END : BEGIN);
    held = rest.slice(rest.length - cut);
    rest = rest.slice(0, rest.length - cut);
    return keys + (pasting ? pasted(rest) : rest);
  };
}

function onOneLine(text: string): string {
  return markLineBreaks(text).replaceAll("\t", "  ");
}

/** A text on one line, as it is edited. */
export function markLineBreaks(text: string): string {
  return text.replaceAll("\n", LINE_BREAK);
}

/** The typed or pasted text, with its line breaks restored. */
export function unmarkLineBreaks(line: string): string {
  return line.replaceAll(LINE_BREAK, "\n");
}

// How many characters at the end of `text` could be the beginning of `mark`.
function cutMark(text: string, mark: string): number {
  for (let length = Math.min(mark.length - 1, text.length); length > 0; length--) {
    if (mark.startsWith(text.slice(text.length - length))) return length;
  }
  return 0;
}
