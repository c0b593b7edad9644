// A unified diff as its lines.

/** One line, with its number in the file where that is known. */
export interface DiffLine {
  readonly kind: "added" | "removed" | "same" | "gap" | "note";
  readonly text: string;
  readonly number?: number;
}

const HUNK = /^@@ -(\d{1,9})(?:,\d{1,9})? \+(\d{1,9})(?:,\d{1,9})? @@/;

/** What stands before a line of each kind. */
export const DIFF_SIGNS = { added: "+", removed: "-", same: " ", gap: " ", note: " " } as const;

/** Without the names of the file: the call's row has them. */
export function parseDiff(diff: string): readonly DiffLine[] {
  const lines: DiffLine[] = [];
  let before = 0;
  let after = 0;
  let isInHunk = false;
  for (const line of diff.replace(/\n$/, "").split("\n")) {
    const hunk = HUNK.exec(line);
    if (hunk) {
      if (isInHunk) lines.push({ kind: "gap", text: "⋯" });
      isInHunk = true;
      before = Number(hunk[1]);
      after = Number(hunk[2]);
    } else if (!isInHunk) continue;
    else if (line.startsWith("+")) lines.push({ kind: "added", text: line.slice(1), number: after++ });
    else if (line.startsWith("-")) lines.push({ kind: "removed", text: line.slice(1), number: before++ });
    else if (line.startsWith("\\")) lines.push({ kind: "note", text: line.slice(2) });
    else {
      lines.push({ kind: "same", text: line.slice(1), number: after++ });
      before++;
    }
  }
  return lines;
}
