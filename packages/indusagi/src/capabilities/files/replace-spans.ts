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

/** `inserted` with the line ends used around `span`, so that one edit never mixes them. */
export function withLineEndsOf(text: string, span: Span, inserted: string): string {
  if (!inserted.includes("\n") || inserted.includes("\r\n")) return inserted;
  return usesCarriageReturns(text, span) ? inserted.replaceAll("\n", "\r\n") : inserted;
}

// The nearest line end decides: inside the span, else after it, else before it.
function usesCarriageReturns(text: string, { start, end }: Span): boolean {
  const inside = text.indexOf("\n", start);
  const nearest = inside >= 0 ? inside : text.lastIndexOf("\n", end);
  return nearest > 0 && text[nearest - 1] === "\r";
}
