// What an edit writes where its old text was found only apart from whitespace: what somebody would have written who had quoted the
// file exactly. Lines that the edit keeps stay as they are in the file, and all others get the file's indentation.

import { type OwnLead, ownIndentation } from "./indentation.ts";
import { type LineEnd, lineBreakOf } from "./line-ends.ts";
import { keptLines, type Line, linesOf, quotedLines } from "./quoted-lines.ts";
import type { Replacement } from "./replace-spans.ts";
import type { Span } from "./text-scan.ts";
import { endAfter, leadBefore, startBefore } from "./whitespace-around.ts";

interface Snippets {
  readonly oldText: string;
  readonly newText: string;
}

interface FuzzyPlace {
  /** The match: it begins and ends with text. */
  readonly place: Span;
  /** The replacement begins here at the earliest. */
  readonly from: number;
  /** The line end for new lines. */
  readonly lineEnd: LineEnd;
}

/** The replacement's span is the match, with as much of the whitespace around it as the edit changes. */
type FuzzyReplacer = (at: FuzzyPlace) => Replacement | undefined;

/** Gives the replacement for a place in `text`; undefined if it is not clear which indentation the new lines should have. */
export function fuzzyReplacer(text: string, { oldText, newText }: Snippets): FuzzyReplacer {
  const old = endsOf(oldText.replaceAll("\r\n", "\n"));
  const now = endsOf(newText.replaceAll("\r\n", "\n"));
  const keepsFront = old.front === now.front;
  const back = old.back !== now.back ? old.back : old.back.includes("\n") ? " " : ""; // blanks before a line end are that line's
  const snippetLines = ({ front, core, back }: Ends): readonly Line[] =>
    linesOf((keepsFront ? lastLine(front) : front) + core + (old.back === now.back ? "" : back), "\n");
  const quoted = quotedLines(snippetLines(old), old.front.includes("\n"));
  const wanted = snippetLines(now);
  const kept = keptLines(quoted.lines, wanted);
  const lineBreak = lineBreakOf(text);

  return ({ place, from, lineEnd }) => {
    const lead = leadBefore(text, place.start);
    const isLineStart = lead !== undefined;
    const isFrontKept = keepsFront || (isLineStart && !quoted.isWholeLine);
    const start = isFrontKept ? place.start - (lead?.length ?? 0) : startBefore(text, place.start, old.front);
    const span: Span = { start: Math.max(from, start), end: endAfter(text, place.end, back) };
    const { pairs, opening, counterparts } = quoted.compare(
      linesOf(text.slice(span.start, span.end), lineBreak),
      isLineStart,
    );
    let ownLead: OwnLead | undefined; // most places need none
    const endsLine = /^[\r\n]?$/.test(text.charAt(span.end)) || /[\r\n]/.test(text.charAt(span.end - 1));
    const leadOf = (line: Line, index: number): string | undefined => {
      const isBlank = line.lead === "" && line.body === "";
      if (isBlank && (endsLine || index < wanted.length - 1)) return "";
      if (index === 0 && keepsFront) return lead ?? "";
      // More blanks than in a quote that has none: added to the file's own, or instead of them?
      if (index === 0 && opening !== undefined) return undefined;
      ownLead ??= ownIndentation(pairs, opening);
      return ownLead(line.lead);
    };
    let inserted = "";
    for (const [index, line] of wanted.entries()) {
      const counterpart = counterparts.get(kept.get(index) ?? -1);
      if (counterpart === "missing") continue;
      const ownLine = counterpart ?? { ...line, lead: leadOf(line, index), ending: lineEnd };
      if (ownLine.lead === undefined) return undefined;
      inserted += ownLine.lead + ownLine.body;
      if (index < wanted.length - 1) inserted += ownLine.ending || lineEnd;
    }
    return { span, inserted };
  };
}

/** A text without the whitespace at its ends. */
interface Ends {
  readonly front: string;
  readonly core: string;
  readonly back: string;
}

function endsOf(text: string): Ends {
  const core = text.trim();
  if (core === "") return { front: "", core, back: text };
  const front = text.slice(0, text.length - text.trimStart().length);
  return { front, core, back: text.slice(front.length + core.length) };
}

function lastLine(front: string): string {
  return front.slice(front.lastIndexOf("\n") + 1);
}
