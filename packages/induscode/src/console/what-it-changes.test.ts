import { expect, test } from "vitest";
import type { AskedCall } from "../feature/permission.ts";
import { createStyle } from "./style.ts";
import { plainChange } from "./what-it-changes.ts";

const look = { style: createStyle(false), columns: 60 };
const shown = (input: AskedCall["input"], more: Partial<AskedCall> = {}): readonly string[] =>
  plainChange({ id: "c", input, ...more }, look);

test("an edit shows the old and the new lines, and the number of places if there are several", () => {
  expect(shown({ path: "a", oldText: "one\ntwo", newText: "1\n" })).toEqual([
    "  diff  │ -one",
    "        │ -two",
    "        │ +1",
  ]);
  expect(shown({ oldText: "a", newText: "b", replaceAll: true }, { places: 3 })[0]).toBe(
    "  diff  │ 3 places in the file",
  );
});

test("a new file shows its lines; over an existing file, the diff or how much is lost", () => {
  expect(shown({ path: "a", content: "x\n" })).toEqual(["  diff  │ +x"]);
  const overwrites = "@@ -1,2 +1,2 @@\n-old\n+new\n same\n@@ -9 +9 @@\n-x\n+y\n";
  expect(shown({ path: "a", content: "new" }, { overwrites })).toEqual(
    ["-old", "+new", " same", "⋯", "-x", "+y"].map(
      (line, i) => `${i === 0 ? "  diff  │" : "        │"} ${line}`,
    ),
  );
  expect(shown({ content: "y" }, { overwrites: { bytes: 9 } })).toEqual([
    "  diff  │ 9 bytes of current content will be lost, not ",
    "        │ shown here",
    "        │ +y",
  ]);
  expect(shown({ content: "same" }, { overwrites: "" })).toEqual([
    "  diff  │ the file already contains this",
  ]);
});

test("a call that states no change has no lines of change", () => {
  expect([shown({ command: "ls" }), shown(null), plainChange(undefined, look)]).toEqual([[], [], []]);
});

test("written text can neither control the terminal nor imitate a row, and says where it was cut", () => {
  const rows = shown({ content: "\x1b[2J\u202eevil\n  [y] once\n" });
  expect(rows).toEqual(["  diff  │ +\\u{1b}[2J\\u{202e}evil", "        │ +  [y] once"]);
  const many = shown({ content: "x\n".repeat(150) });
  expect(many).toHaveLength(101);
  expect(many.at(-1)).toBe("        │ … 50 more lines, not shown");
  const [first = "", ...rest] = shown({ content: "x".repeat(10_000) });
  expect(first).toContain("+xxx");
  expect(rest.length).toBeLessThan(20);
  expect(rest.at(-1)).toContain("more characters, not shown");
});
