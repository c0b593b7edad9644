import type { Span } from "./snippet-match.ts";

/** What an edit inserts, given the exact text it replaces and where. */
export type Replacement = (replaced: string, span: Span) => string;

/**
 * `text` with each span replaced. Everything outside the spans is the same text to the unit, and is checked to be
 * before it is returned: an editor that rewrites a file's other lines loses work that no diff shows.
 */
export function replaceSpans(text: string, spans: readonly Span[], replacement: Replacement): string {
  const pieces: string[] = [];
  let end = 0;
  for (const span of spans) {
    pieces.push(text.slice(end, span.start), replacement(text.slice(span.start, span.end), span));
    end = span.end;
  }
  pieces.push(text.slice(end));
  const result = pieces.join("");
  assertOutsideUnchanged({ text, spans, pieces, result });
  return result;
}

interface Rewrite {
  readonly text: string;
  readonly spans: readonly Span[];
  /** Unchanged, inserted, unchanged, inserted, …, unchanged. */
  readonly pieces: readonly string[];
  readonly result: string;
}

function assertOutsideUnchanged({ text, spans, pieces, result }: Rewrite): void {
  let inText = 0;
  let inResult = 0;
  for (const [index, span] of [...spans, { start: text.length, end: text.length }].entries()) {
    const length = span.start - inText;
    if (length < 0 || text.slice(inText, span.start) !== result.slice(inResult, inResult + length)) {
      throw new Error("The edit would have changed text outside its match, so nothing was written.");
    }
    inText = span.end;
    inResult += length + (pieces[index * 2 + 1] ?? "").length;
  }
}

/**
 * `inserted` with the line ends used around a span, so that one edit never mixes them. The spans must be asked for in
 * their order: what was found for one is kept for the next.
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
