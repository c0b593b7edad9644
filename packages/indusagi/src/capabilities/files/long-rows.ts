// A diff for reading: of a very long line, only what is around its change.

/** A longer row is cut. */
const ROW_CHARS = 1_000;

/** How much of a cut row is shown before and after its change. */
const CHARS_AROUND = 200;

/** `diff`, whose rows of very long lines are cut, each with its length. */
export function shortenRows(diff: string): string {
  const rows = diff.split("\n");
  if (rows.every((row) => row.length <= ROW_CHARS)) return diff;
  const partners = partnersOf(rows);
  return rows.map((row, index) => shortened(row, rows[partners.get(index) ?? -1])).join("\n");
}

/** For a removed row: the row that was added in its place, and the other way round. */
function partnersOf(rows: readonly string[]): ReadonlyMap<number, number> {
  const partners = new Map<number, number>();
  let removed: number[] = [];
  for (const [index, row] of rows.entries()) {
    if (row.startsWith("-")) {
      if (!rows[index - 1]?.startsWith("-")) removed = [];
      removed.push(index);
    } else if (row.startsWith("+")) {
      const partner = removed.shift();
      if (partner === undefined) continue;
      partners.set(index, partner);
      partners.set(partner, index);
    } else if (!row.startsWith("\\")) {
      removed = [];
    }
  }
  return partners;
}

function shortened(row: string, partner: string | undefined): string {
  if (row.length <= ROW_CHARS) return row;
  const sign = row.slice(0, 1);
  const line = row.slice(1);
  const { start, end } = partner === undefined ? { start: 0, end: 0 } : changeIn(line, partner.slice(1));
  const from = Math.max(0, start - CHARS_AROUND);
  const to = Math.min(line.length, Math.min(end, start + ROW_CHARS) + CHARS_AROUND);
  const shown = line.slice(from, to).replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, "");
  const before = from > 0 ? "… " : "";
  const after = to < line.length ? " …" : "";
  const place = from > 0 ? `, shown from ${from + 1}` : "";
  return `${sign}${before}${shown}${after} [line of ${line.length} characters${place}]`;
}

/** The part of `line` that `other` has not. */
function changeIn(line: string, other: string): { readonly start: number; readonly end: number } {
  const shorter = Math.min(line.length, other.length);
  let start = 0;
  while (start < shorter && line.charCodeAt(start) === other.charCodeAt(start)) start++;
  let end = 0;
  while (
    end < shorter - start &&
    line.charCodeAt(line.length - 1 - end) === other.charCodeAt(other.length - 1 - end)
  )
    end++;
  return { start, end: line.length - end };
}
