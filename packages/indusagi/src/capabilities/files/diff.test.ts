import fc from "fast-check";
import { expect, test } from "vitest";
import { type DiffOp, diffLines, renderUnifiedDiff } from "./diff.ts";

test("operations carry both line numbers and the tallies", () => {
  expect(diffLines("a\nb\nc\n", "a\nB\nc\nd")).toEqual({
    ops: [
      { kind: "keep", text: "a", ending: "\n", beforeLine: 1, afterLine: 1 },
      { kind: "remove", text: "b", ending: "\n", beforeLine: 2, afterLine: undefined },
      { kind: "add", text: "B", ending: "\n", beforeLine: undefined, afterLine: 2 },
      { kind: "keep", text: "c", ending: "\n", beforeLine: 3, afterLine: 3 },
      { kind: "add", text: "d", ending: "", beforeLine: undefined, afterLine: 4 },
    ],
    added: 2,
    removed: 1,
  });
});

test("a unified diff frames each change with context and joins close ones", () => {
  const lines = Array.from({ length: 20 }, (_, index) => `${index + 1}\n`);
  const after = lines.with(4, "five\n").with(8, "nine\n").with(18, "").join("");
  expect(renderUnifiedDiff(lines.join(""), after, 2)).toBe(
    "@@ -3,9 +3,9 @@\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n-9\n+nine\n 10\n 11\n@@ -17,4 +17,3 @@\n 17\n 18\n-19\n 20\n",
  );
  expect(renderUnifiedDiff("same\n", "same\n")).toBe("");
});

test("without context an insertion is numbered by the line it follows", () => {
  expect(renderUnifiedDiff("a\nb\n", "a\nx\nb\n", 0)).toBe("@@ -1,0 +2,1 @@\n+x\n");
  expect(renderUnifiedDiff("a\nb\n", "b\n", 0)).toBe("@@ -1,1 +0,0 @@\n-a\n");
});

test("changed line ends and a missing final one are shown, not hidden", () => {
  expect(renderUnifiedDiff("a\r\nb\r\n", "a\nb\r\n")).toBe("@@ -1,2 +1,2 @@\n-a\r\n+a\n b\r\n");
  expect(renderUnifiedDiff("a\n", "a")).toBe("@@ -1,1 +1,1 @@\n-a\n+a\n\\ No newline at end of file\n");
  expect(renderUnifiedDiff("", "a\n")).toBe("@@ -0,0 +1,1 @@\n+a\n");
});

const lines = fc
  .array(fc.constantFrom("a", "b", "c", "", "long line"), { maxLength: 30 })
  .chain((texts) => fc.tuple(fc.constant(texts), fc.constantFrom("\n", "\r\n"), fc.boolean()))
  .map(([texts, ending, isEnded]) => texts.join(ending) + (isEnded ? ending : ""));

const side = (ops: readonly DiffOp[], skipped: DiffOp["kind"]): string =>
  ops.map((op) => (op.kind === skipped ? "" : op.text + op.ending)).join("");

test("the operations rebuild both texts to the byte", () => {
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const { ops, added, removed } = diffLines(before, after);
      expect([side(ops, "add"), side(ops, "remove")]).toEqual([before, after]);
      expect(added).toBe(ops.filter((op) => op.kind === "add").length);
      expect(removed).toBe(ops.filter((op) => op.kind === "remove").length);
    }),
    { numRuns: 2_000 },
  );
});

/** Applies a unified diff as patch(1) does: hunks in order, at the lines their headers name. */
function applyUnified(before: string, patch: string): string {
  const old = before.split(/(?<=\n)/);
  const out: string[] = [];
  let at = 0;
  const rows = patch.split(/(?<=\n)/);
  for (const [index, row] of rows.entries()) {
    const header = /^@@ -(\d+),(\d+) /.exec(row);
    const text = rows[index + 1]?.startsWith("\\") ? row.slice(1, -1) : row.slice(1);
    if (header) {
      const start = Number(header[1]) - (header[2] === "0" ? 0 : 1);
      while (at < start) out.push(old[at++] ?? "");
    } else if (row.startsWith("+")) out.push(text);
    else if (row.startsWith("-") || row.startsWith(" ")) {
      expect(old[at]).toBe(text);
      if (row.startsWith(" ")) out.push(text);
      at++;
    }
  }
  return out.concat(old.slice(at)).join("");
}

test("a rendered diff applies, whatever the context", () => {
  fc.assert(
    fc.property(lines, lines, fc.nat(4), (before, after, context) => {
      expect(applyUnified(before, renderUnifiedDiff(before, after, context))).toBe(after);
    }),
    { numRuns: 2_000 },
  );
});

test("two long texts with nothing in common are settled by a block, soon", () => {
  const text = (name: string): string =>
    Array.from({ length: 30_000 }, (_, index) => `${name}${index}\n`).join("");
  const started = performance.now();
  const { added, removed } = diffLines(text("a"), text("b"));
  expect([added, removed]).toEqual([30_000, 30_000]);
  expect(performance.now() - started).toBeLessThan(1_500);
});
