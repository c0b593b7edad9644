// A row of a terminal as cells: a character in each, and nothing in the others that a wide character or a tab takes.

export const TAB = 8;

const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;
/** Takes no cell of its own. */
export const JOINS = /\p{M}|[\u200b\u200c]|\u200d|\ufe0f/u;

export function cellsOf(text: string): string[] {
  if (/^[ -~]*$/.test(text)) return text.split("");
  const cells: string[] = [];
  let at = 0;
  for (const character of text) {
    if (character === "\t") at = tab(cells, at);
    else if (JOINS.test(character) && at > 0) cells[at - 1] += character;
    else at = set(cells, at, character);
  }
  return cells;
}

/** Overwrites; returns the next cell. */
export function set(cells: string[], at: number, character: string): number {
  const isWide = WIDE.test(character);
  blank(cells, at);
  if (isWide) blank(cells, at + 1);
  cells[at] = character;
  if (isWide) cells[at + 1] = "";
  return at + (isWide ? 2 : 1);
}

/** The whole character that has a part of this cell. */
function blank(cells: string[], at: number): void {
  if (at >= cells.length) return;
  let first = at;
  while (first > 0 && cells[first] === "") first--;
  let end = at + 1;
  while (cells[end] === "") end++;
  if (end - first > 1) cells.fill(" ", first, end);
}

/** Goes to the next stop: over what is there, or as one character behind it. */
export function tab(cells: string[], at: number): number {
  const stop = at + TAB - (at % TAB);
  if (at >= cells.length) cells.push("\t", ...Array<string>(stop - at - 1).fill(""));
  while (cells.length < stop) cells.push(" ");
  return stop;
}
