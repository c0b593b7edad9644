// What an edit shows is what it did: its diff, applied by other programs, makes the same bytes; nothing else moves.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { makeMemoryContext } from "../../packages/indusagi/src/capabilities/backends/memory.ts";
import { type DiffOp, diffLines } from "../../packages/indusagi/src/capabilities/files/diff.ts";
import { editTool } from "../../packages/indusagi/src/capabilities/files/edit.ts";
import { replaceSpans } from "../../packages/indusagi/src/capabilities/files/replace-spans.ts";
import { findSnippet } from "../../packages/indusagi/src/capabilities/files/snippet-match.ts";
import {
  renderEditDiff,
  renderUnifiedDiff,
} from "../../packages/indusagi/src/capabilities/files/unified-diff.ts";
import * as fc from "../support/fast-check.ts";
import { property, watchPrototypes } from "./property.ts";

watchPrototypes();

// Few different lines, so that they repeat and an aligner has choices.
const line = fc.constantFrom(
  "a",
  "b",
  "c",
  "",
  "}",
  "\ta  b ",
  "-x",
  "+x",
  "@@ -1,1 +1,1 @@",
  "\\ No newline",
  "é\r",
);
const lines = fc
  .tuple(fc.array(line, { maxLength: 40 }), fc.constantFrom("\n", "\r\n"), fc.boolean())
  .map(([texts, ending, isEnded]) => texts.join(ending) + (isEnded ? ending : ""));

/** A text and what someone made of it: some lines dropped, changed, moved, repeated. */
const change = fc
  .tuple(lines, fc.array(fc.tuple(fc.nat(40), fc.nat(4), lines), { maxLength: 4 }))
  .map(([before, splices]): readonly [string, string] => {
    const rows = before.split(/(?<=\n)/);
    for (const [at, dropped, added] of splices)
      rows.splice(at, dropped, ...added.split(/(?<=\n)/).slice(0, 3));
    return [before, rows.join("")];
  });
const pair = fc.oneof(change, fc.tuple(lines, lines));

const side = (ops: readonly DiffOp[], skipped: DiffOp["kind"]): string =>
  ops.map((op) => (op.kind === skipped ? "" : op.text + op.ending)).join("");

property("the operations of a diff rebuild both texts to the byte", pair, ([before, after]) => {
  const { ops, added, removed } = diffLines(before, after);
  expect([side(ops, "add"), side(ops, "remove")]).toEqual([before, after]);
  expect(added).toBe(ops.filter((op) => op.kind === "add").length);
  expect(removed).toBe(ops.filter((op) => op.kind === "remove").length);
});

/** Applies a unified diff strictly: hunks in order, at the lines their headers name, each line compared. */
function applyUnified(before: string, patch: string): string {
  const old = before === "" ? [] : before.split(/(?<=\n)/);
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
      expect(old[at++]).toBe(text);
      if (row.startsWith(" ")) out.push(text);
    }
  }
  return out.concat(old.slice(at)).join("");
}

property(
  "a rendered diff applies, whatever the context",
  fc.tuple(pair, fc.nat(4)),
  ([[before, after], context]) => {
    expect(applyUnified(before, renderUnifiedDiff(before, after, context))).toBe(after);
  },
);

for (const [program, args] of [
  ["git", ["-c", "core.autocrlf=false", "apply", "--whitespace=nowarn", "all.patch"]],
  ["patch", ["--binary", "--silent", "--fuzz=0", "--strip=1", "--input=all.patch"]],
] as const) {
  property(
    `${program} applies a rendered diff to the same bytes`,
    fc.array(pair, { minLength: 1, maxLength: 20 }),
    (pairs) => {
      const folder = mkdtempSync(join(tmpdir(), "indus-fuzz-diff-"));
      try {
        // An empty text is left out: these programs then make or remove the file itself.
        const changes = pairs.filter(([before, after]) => before !== after && before !== "" && after !== "");
        if (changes.length === 0) return;
        mkdirSync(join(folder, "a"));
        const patches = changes.map(([before, after], index) => {
          writeFileSync(join(folder, "a", `${index}`), before);
          return `--- x/a/${index}\n+++ x/a/${index}\n${renderUnifiedDiff(before, after)}`;
        });
        writeFileSync(join(folder, "all.patch"), patches.join(""));
        const env = {
          PATH: process.env.PATH ?? "",
          GIT_CEILING_DIRECTORIES: tmpdir(),
          GIT_CONFIG_GLOBAL: "/dev/null",
        };
        execFileSync(program, args, { cwd: folder, env, stdio: "pipe" });
        for (const [index, [, after]] of changes.entries())
          expect(readFileSync(join(folder, "a", `${index}`), "utf8")).toBe(after);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
    { cost: 50, program },
  );
}

const text = fc
  .array(fc.constantFrom("a", "b", " ", "\t", "\n", "\r\n", "\u00e9", "foo  bar", "$&", "\u00a0", "\ufeff"), {
    maxLength: 60,
  })
  .map((parts) => parts.join(""));

/** A text and a snippet that is in it, but perhaps for its whitespace. */
const search = fc.oneof(
  fc.tuple(
    text,
    text.map((part) => part.slice(0, 6)),
  ),
  fc
    .tuple(text, fc.nat(60), fc.nat(12))
    .map(([before, start, length]): [string, string] => [
      before,
      before.slice(start, start + length).replaceAll(/\s+/g, " "),
    ]),
);

property(
  "the bytes outside the matches stay, and the diff tells of all that changed",
  fc.tuple(search, text),
  ([found, inserted]) => {
    const [before, snippet] = found;
    const { spans: removed } = snippet === "" ? { spans: [] } : findSnippet(before, snippet);
    const replacements = removed.map((span) => ({ span, inserted }));
    const { text: after, inserted: places } = replaceSpans(before, replacements);
    let inBefore = 0;
    let inAfter = 0;
    for (const { start, end } of removed) {
      const kept = before.slice(inBefore, start);
      expect(after.slice(inAfter, inAfter + kept.length)).toBe(kept);
      expect(before.slice(start, end).replaceAll(/\s+/g, " ").trim()).toBe(
        snippet.replaceAll(/\s+/g, " ").trim(),
      );
      inAfter += kept.length + inserted.length;
      inBefore = end;
    }
    expect(after.slice(inAfter)).toBe(before.slice(inBefore));
    expect(applyUnified(before, renderEditDiff({ before, after, removed, inserted: places }, 1))).toBe(after);
  },
);

property(
  "edit writes what its diff says, or nothing",
  fc.tuple(search, text, fc.boolean()),
  async ([found, newText, replaceAll]) => {
    const [before, oldText] = found;
    const context = await makeMemoryContext("/ws", { files: { "/ws/a": before } });
    const input = { path: "a", oldText, newText, replaceAll };
    const { output, isError } = await editTool().invoke({ id: "c", name: "edit", input }, context);
    const after = await context.fs.readText("/ws/a");
    if (isError) return expect(after).toBe(before);
    const [, block] = output as unknown as readonly [unknown, { readonly value: { readonly diff: string } }];
    expect(after).not.toBe(before);
    expect(applyUnified(before, block.value.diff)).toBe(after);
  },
);
