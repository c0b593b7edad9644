import { expect, test } from "vitest";
import { growthOf } from "../../../../../tests/support/effort.ts";
import { replaceSpans } from "./replace-spans.ts";
import { findSnippet } from "./snippet-match.ts";
import { renderEditDiff, renderUnifiedDiff } from "./unified-diff.ts";

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

test("an edit's diff is the diff of the texts, found at its places alone", () => {
  const before = Array.from(
    { length: 30 },
    (_, index) => `line ${index}${index % 3 ? "" : " old old"}\n`,
  ).join("");
  const { spans } = findSnippet(before, "old");
  const replacements = spans.map((span) => ({ span, inserted: "new" }));
  const { text: after, removed, inserted } = replaceSpans(before, replacements);
  expect(renderEditDiff({ before, after, removed, inserted })).toBe(renderUnifiedDiff(before, after));
  expect(renderEditDiff({ before, after, removed, inserted }, 0)).toBe(renderUnifiedDiff(before, after, 0));
});

test("a hunk of an edit keeps its context where an equal line stands beside it, as git apply wants", () => {
  const before = "a\na\na\na\na\na\na\na\n";
  const replacement = { span: { start: 4, end: 6 }, inserted: "a\na\n" };
  const { text: after, removed, inserted } = replaceSpans(before, [replacement]);
  expect(renderEditDiff({ before, after, removed, inserted }, 1)).toBe("@@ -4,2 +4,3 @@\n a\n+a\n a\n");
});

test("an edit at both ends of 20 MB is diffed soon", () => {
  const hunks = (lines: number): string => {
    const middle = "a line of ordinary length\n".repeat(lines);
    const before = `first\n${middle}last\n`;
    const {
      text: after,
      removed,
      inserted,
    } = replaceSpans(before, [
      { span: { start: 0, end: 5 }, inserted: "FIRST" },
      { span: { start: before.length - 5, end: before.length - 1 }, inserted: "LAST" },
    ]);
    return renderEditDiff({ before, after, removed, inserted }, 0);
  };
  expect(hunks(800_000)).toBe("@@ -1,1 +1,1 @@\n-first\n+FIRST\n@@ -800002,1 +800002,1 @@\n-last\n+LAST\n");
  expect(growthOf([8_000, 80_000, 800_000], hunks)).toBe("even");
});
