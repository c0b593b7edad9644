// Finds a piece in a text in linear time: each character of the text is examined once or twice, whatever the piece. The
// engine's own search is not linear: a part of 4,000 characters keeps it busy for a second on a text of a million.

/** The first index of `piece` in `text` at or after `from` that ends by `end`; -1 if there is none. `?` matches any character. */
export function findPiece(
  piece: ArrayLike<string>,
  text: ArrayLike<string>,
  from: number,
  end: number,
): number {
  if (piece.length === 0) return from;
  if (end - from < piece.length) return -1;
  const isLiteral = !Array.prototype.includes.call(piece, "?");
  return isLiteral ? findLiteral(piece, text, from, end) : findWithAny(piece, text, from, end);
}

/** `text.includes(part)`, in linear time. */
export function includesText(text: ArrayLike<string>, part: ArrayLike<string>): boolean {
  return part.length === 0 || findLiteral(part, text, 0, text.length) >= 0;
}

/** Knuth-Morris-Pratt: after a mismatch the piece itself says how much of it has already matched. */
function findLiteral(piece: ArrayLike<string>, text: ArrayLike<string>, from: number, end: number): number {
  const borders = new Int32Array(piece.length);
  for (let at = 1, border = 0; at < piece.length; at++) {
    while (border > 0 && piece[at] !== piece[border]) border = borders[border - 1] as number;
    if (piece[at] === piece[border]) border++;
    borders[at] = border;
  }
  for (let at = from, matched = 0; at < end; at++) {
    const found = text[at];
    while (matched > 0 && found !== piece[matched]) matched = borders[matched - 1] as number;
    if (found === piece[matched]) matched++;
    if (matched === piece.length) return at - matched + 1;
  }
  return -1;
}

const WORD = 32;

/** Shift-and: one bit per prefix of the piece that matches up to here, 32 of them per step. */
function findWithAny(piece: ArrayLike<string>, text: ArrayLike<string>, from: number, end: number): number {
  const words = Math.ceil(piece.length / WORD);
  const anywhere = new Int32Array(words);
  const places = new Map<string, Int32Array>();
  const note = (mask: Int32Array, at: number): void => {
    mask[at >>> 5] = (mask[at >>> 5] as number) | (1 << (at & 31));
  };
  const wanted = Array.from(piece);
  for (const [at, character] of wanted.entries()) if (character === "?") note(anywhere, at);
  for (const [at, character] of wanted.entries()) {
    if (character === "?") continue;
    const mask = places.get(character) ?? anywhere.slice();
    note(mask, at);
    places.set(character, mask);
  }
  const open = new Int32Array(words);
  const last = 1 << ((piece.length - 1) & 31);
  for (let at = from; at < end; at++) {
    const mask = places.get(text[at] as string) ?? anywhere;
    for (let word = 0, carry = 1; word < words; word++) {
      const before = open[word] as number;
      open[word] = ((before << 1) | carry) & (mask[word] as number);
      carry = before >>> 31;
    }
    if (((open[words - 1] as number) & last) !== 0) return at - piece.length + 1;
  }
  return -1;
}
