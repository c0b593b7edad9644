// Why an edit is refused, in words that tell a model what to do.

import { findNearest, findSnippet, lineNumber, type SnippetMatch } from "./snippet-match.ts";
import type { Span } from "./text-scan.ts";

export interface Edit {
  /** As the model wrote it. */
  readonly path: string;
  readonly oldText: string;
  readonly newText: string;
  readonly replaceAll: boolean;
}

/** Why an edit with this match is not made; undefined if it is. */
export function describeRefusal(edit: Edit, text: string, match: SnippetMatch): string | undefined {
  const { spans, places, firstStarts, isFuzzy } = match;
  if (places > 1 && !edit.replaceAll) {
    const lines = firstStarts.map((start) => lineNumber(text, start));
    const more = places > firstStarts.length ? ", …" : "";
    return (
      `oldText occurs ${places} times in ${edit.path}${isFuzzy ? ", ignoring whitespace" : ""} ` +
      `(lines ${lines.join(", ")}${more}). Include more of the surrounding text, or set replaceAll.`
    );
  }
  return spans.length === 0 ? describeMiss(edit, text) : undefined;
}

const SHOWN_CHARS = 200;
const SHOWN_LINES = 20;

/** Why an edit is not made at a place where it is not clear which indentation its new lines should have. */
export function describeUnclear({ path }: Edit, text: string, { start, end }: Span): string {
  const first = lineNumber(text, start);
  const lineStart = Math.max(text.lastIndexOf("\n", start - 1), text.lastIndexOf("\r", start - 1)) + 1;
  const lines = text.slice(lineStart, end).split(/\r\n|\n|\r/);
  const last = first + lines.length - 1;
  const where = first === last ? `line ${first}` : `lines ${first}–${last}`;
  const shown = lines.slice(0, SHOWN_LINES).map((line) => line.slice(0, SHOWN_CHARS).replaceAll("\t", "→"));
  return (
    `oldText matches ${where} of ${path} only apart from whitespace, and the indentation of newText does not tell which the ` +
    `file's lines should have. Nothing was written. Quote the file's own indentation; its lines are (→ is a tab):\n` +
    [...shown, ...(lines.length > SHOWN_LINES ? ["…"] : [])].join("\n")
  );
}

function describeMiss({ path, oldText, newText }: Edit, text: string): string {
  const applied = appliedAt(text, newText);
  if (applied) {
    return `oldText is not in ${path}, but newText is, at line ${lineNumber(text, applied.start)}: the edit appears to be already applied.`;
  }
  const nearest = findNearest(text, oldText);
  if (nearest === undefined)
    return `oldText is not in ${path}, nor is anything similar. Read the file again.`;
  const { line, lineText, differsAtLine, differsAtColumn, expected, found } = nearest;
  return (
    `oldText is not in ${path}. The closest match is at line ${line}: ${lineText.slice(0, SHOWN_CHARS)}\n` +
    `It first differs at line ${differsAtLine}, column ${differsAtColumn}: ` +
    `oldText has ${named(expected)}, the file has ${named(found)}.`
  );
}

/** A text this long does not occur by chance. */
const TELLING_CHARS = 24;

/** Where newText already is, if the edit was made before. A short text that is only part of a line can be there for other reasons. */
function appliedAt(text: string, newText: string): SnippetMatch["spans"][number] | undefined {
  const wanted = newText.trim();
  if (wanted === "") return undefined;
  const { spans, places } = findSnippet(text, newText);
  const [first] = spans;
  if (!first || wanted.length >= TELLING_CHARS) return first;
  const isLineStart = /(?:^|\n)[ \t]*$/.test(lineBefore(text, first.start)) || /^\s*\n/.test(newText);
  const isLineEnd =
    /^[ \t]*(?:\r?\n|$)/.test(text.slice(first.end)) ||
    newText.slice(newText.trimEnd().length).includes("\n");
  return places === 1 && isLineStart && isLineEnd ? first : undefined;
}

function lineBefore(text: string, at: number): string {
  return text.slice(Math.max(0, text.lastIndexOf("\n", at - 1)), at);
}

function named(character: string): string {
  if (character === "") return "nothing more";
  return character === "\n" ? "a blank line" : JSON.stringify(character);
}
