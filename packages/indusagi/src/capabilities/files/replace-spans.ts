import type { Span } from "./text-scan.ts";

/** The text an edit inserts, given the exact text it replaces and where. */
type Replacement = (replaced: string, span: Span) => string;

export interface Replaced {
  readonly text: string;
  /** The position of each replacement in it. */
  readonly inserted: readonly Span[];
}

/**
 * `text` with each span replaced. Everything outside the spans stays identical, and this is checked before returning: an editor
 * that rewrites other lines of a file loses work that no diff shows.
 */
export function replaceSpans(text: string, spans: readonly Span[], replacement: Replacement): Replaced {
  const pieces: string[] = [];
  const inserted: Span[] = [];
  let end = 0;
  let length = 0;
  for (const span of spans) {
    const piece = replacement(text.slice(span.start, span.end), span);
    pieces.push(text.slice(end, span.start), piece);
    const start = length + span.start - end;
    length = start + piece.length;
    inserted.push({ start, end: length });
    end = span.end;
  }
  pieces.push(text.slice(end));
  const replaced = { text: pieces.join(""), inserted };
  assertOutsideUnchanged(text, spans, replaced);
  return replaced;
}

function assertOutsideUnchanged(
  text: string,
  spans: readonly Span[],
  { text: result, inserted }: Replaced,
): void {
  let inText = 0;
  let inResult = 0;
  for (let index = 0; index <= spans.length; index++) {
    const start = spans[index]?.start ?? text.length;
    const resultStart = inserted[index]?.start ?? result.length;
    if (start < inText || text.slice(inText, start) !== result.slice(inResult, resultStart)) {
      throw new Error("The edit would have changed text outside its match, so nothing was written.");
    }
    inText = spans[index]?.end ?? start;
    inResult = inserted[index]?.end ?? resultStart;
  }
}

/**
 * `inserted` with the line ends used around a span, so that one edit never mixes them. Spans must be passed in order: what was
 * found for one is reused for the next.
 */
export function withLineEndsOf(text: string, inserted: string): Replacement {
  if (!inserted.includes("\n") || inserted.includes("\r\n")) return () => inserted;
  const windows = inserted.replaceAll("\n", "\r\n");
  const last = text.lastIndexOf("\n");
  let next = -1;
  return (_replaced, { start }) => {
    // The nearest line end decides: inside the span, else after it, else before it.
    if (next < start) next = start <= last ? text.indexOf("\n", start) : last;
    return next > 0 && text[next - 1] === "\r" ? windows : inserted;
  };
}
