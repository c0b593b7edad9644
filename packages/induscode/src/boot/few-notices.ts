// A start says a few lines of each kind, however much there is: what a person is to read must not be buried by a file that
// somebody else wrote.

/** How many of a kind are reported one by one. */
const MOST = 10;

/** The first of `lines`, and one that counts the rest; `whole` says what shows all of them, or what to do. */
export function fewOf(lines: readonly string[], whole: string): readonly string[] {
  if (lines.length <= MOST) return lines;
  const more = (lines.length - MOST).toLocaleString("en-US");
  return [...lines.slice(0, MOST), `and ${more} more of the same kind: ${whole}`];
}
