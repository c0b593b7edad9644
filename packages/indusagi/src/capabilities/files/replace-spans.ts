import type { Span } from "./text-scan.ts";

/** A place in a text, and what comes there. */
export interface Replacement {
  readonly span: Span;
  readonly inserted: string;
}

export interface Replaced {
  readonly text: string;
  readonly removed: readonly Span[];
  /** The position of each replacement in it. */
  readonly inserted: readonly Span[];
}

/**
 * `text` with each place replaced; they are in order. Everything outside of them stays identical, and this is checked before
 * returning: an editor that rewrites other lines of a file loses work that no diff shows.
 */
export function replaceSpans(text: string, replacements: readonly Replacement[]): Replaced {
  const pieces: string[] = [];
  const inserted: Span[] = [];
  let end = 0;
  let length = 0;
  for (const { span, inserted: piece } of replacements) {
    pieces.push(text.slice(end, span.start), piece);
    const start = length + span.start - end;
    length = start + piece.length;
    inserted.push({ start, end: length });
    end = span.end;
  }
  pieces.push(text.slice(end));
  const replaced = { text: pieces.join(""), removed: replacements.map(({ span }) => span), inserted };
  assertOutsideUnchanged(text, replaced);
  return replaced;
}

function assertOutsideUnchanged(text: string, { text: result, removed, inserted }: Replaced): void {
  let inText = 0;
  let inResult = 0;
  for (let index = 0; index <= removed.length; index++) {
    const start = removed[index]?.start ?? text.length;
    const resultStart = inserted[index]?.start ?? result.length;
    if (start < inText || text.slice(inText, start) !== result.slice(inResult, resultStart)) {
      throw new Error("The edit would have changed text outside its match, so nothing was written.");
    }
    inText = removed[index]?.end ?? start;
    inResult = inserted[index]?.end ?? resultStart;
  }
}
