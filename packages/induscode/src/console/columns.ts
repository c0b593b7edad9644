// How wide text is on a terminal. Accurate enough for layout; a wrong guess only causes a ragged edge.

// Made when they are first asked for: a start needs none, and such a class costs V8 a tenth of a millisecond.
let patterns: ReturnType<typeof makePatterns> | undefined;
const makePatterns = () => ({
  // East Asian wide and full-width blocks, and emoji shown as pictures by default (UAX 11, UTS 51).
  wide: /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}\p{Emoji_Presentation}]/u,
  zero: /[\p{Mn}\p{Me}\p{Cf}]/u,
  // Next to one of these, several characters may be drawn as one: emoji with joiners, skin tones, flags, key caps, jamo.
  joining: /[\p{Join_Control}\u1160-\u11ff\p{Regional_Indicator}\p{Emoji_Modifier}]|\u20e3|\ufe0f/u,
});
const NARROW_TEXT = /^[\x20-\x7e]*$/;
let segmenter: Intl.Segmenter | undefined;

/** The units drawn as one, in order: characters, or grapheme clusters if there may be any. */
function piecesOf(text: string): Iterable<string> {
  patterns ??= makePatterns();
  return patterns.joining.test(text) ? clustersOf(text) : text;
}

/** The grapheme clusters of a text (UAX 29). */
export function clustersOf(text: string): readonly string[] {
  segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/** The columns that one character takes: 0, 1 or 2. */
function columnsOfCharacter(character: string): number {
  patterns ??= makePatterns();
  if (patterns.zero.test(character)) return 0;
  return patterns.wide.test(character) ? 2 : 1;
}

/** The columns that one character or grapheme cluster takes: 0, 1 or 2, as counted by terminals that draw clusters whole. */
export function columnsOfCluster(cluster: string): number {
  if (cluster.length === 1 || (cluster.length === 2 && (cluster.codePointAt(0) ?? 0) > 0xffff))
    return columnsOfCharacter(cluster);
  let columns = 0;
  for (const character of cluster) columns += character === "\ufe0f" ? 1 : columnsOfCharacter(character);
  return Math.min(columns, 2);
}

/**
 * The most columns that a character or cluster takes: a terminal that does not join characters draws each separately. A row must
 * fit even then, or its end wraps onto the next row.
 */
export function mostColumnsOf(text: string): number {
  if (NARROW_TEXT.test(text)) return text.length;
  let columns = 0;
  for (const character of text) columns += character === "\ufe0f" ? 1 : columnsOfCharacter(character);
  return columns;
}

/** The columns that a text without control characters takes on one line. */
export function columnsOf(text: string): number {
  if (NARROW_TEXT.test(text)) return text.length;
  let columns = 0;
  for (const piece of piecesOf(text)) columns += columnsOfCluster(piece);
  return columns;
}

/** The longest beginning of `text` that fits into `maxColumns`. */
export function headOf(text: string, maxColumns: number): string {
  let columns = 0;
  let end = 0;
  for (const piece of piecesOf(text)) {
    columns += columnsOfCluster(piece);
    if (columns > maxColumns) break;
    end += piece.length;
  }
  return text.slice(0, end);
}

/** The longest end of `text` that fits into `maxColumns`. */
export function tailOf(text: string, maxColumns: number): string {
  const pieces = Array.from(piecesOf(text));
  let columns = 0;
  let start = text.length;
  for (const piece of pieces.reverse()) {
    columns += columnsOfCluster(piece);
    if (columns > maxColumns) break;
    start -= piece.length;
  }
  return text.slice(start);
}

/**
 * `text` in pieces of at most `maxColumns` on any terminal (one character if that is wider), broken between words if a word ends in
 * the second half of a piece; nothing is dropped.
 */
export function wrapColumns(text: string, maxColumns: number): readonly string[] {
  const lines: string[] = [];
  let line = "";
  let columns = 0;
  for (const piece of piecesOf(text)) {
    const width = mostColumnsOf(piece);
    if (columns + width > maxColumns && line !== "") {
      const blank = line.lastIndexOf(" ") + 1;
      const end = blank > line.length / 2 ? blank : line.length;
      lines.push(line.slice(0, end));
      line = line.slice(end);
      columns = mostColumnsOf(line);
    }
    line += piece;
    columns += width;
  }
  return [...lines, line];
}

/**
 * Where the other rows of a line begin: of one in columns below its last column, unless that is too far right; of an indented one below
 * its beginning; of any other at the edge.
 */
export function hangingColumn(text: string, columns: number): number {
  if (!text.startsWith("  ")) return 0;
  const most = columns * 0.6;
  let column = 0;
  for (const { index, 0: gap } of text.matchAll(/ {2,}/g)) {
    const next = columnsOf(text.slice(0, index)) + gap.length;
    if (next > most) return index > 0 && column === text.search(/[^ ]/) ? column + 2 : column;
    column = next;
  }
  return column;
}

/** Each line of `text` in rows of at most `columns`. */
export function wrapHanging(text: string, columns: number): string {
  const rows = text.split("\n").flatMap((line): readonly string[] => {
    const [head = "", ...more] = wrapColumns(line, columns);
    if (more.length === 0) return [line];
    const indent = hangingColumn(line, columns);
    const rest = wrapColumns(line.slice(head.length), columns - indent);
    return [head, ...rest.map((row) => " ".repeat(indent) + row)].map((row) => row.trimEnd());
  });
  return rows.join("\n");
}
