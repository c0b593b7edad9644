import { expect, test } from "vitest";
import { createBindings, DEFAULT_KEYS } from "./bindings.ts";
import { keyLines } from "./list-keys.ts";
import { readSpelling } from "./spelling.ts";
import { readUserKeys } from "./user-keys.ts";

test("chosen keys stand in the place of the usual ones", async () => {
  const { table, problems } = await readUserKeys(`{
    // mine
    "edit.submit": "Ctrl+Enter",
    "fold": ["f2", "ctrl+x f"],
    "pager": [],
  }`);
  expect(problems).toEqual([]);
  expect([table["edit.submit"], table.fold, table.pager]).toEqual([["ctrl+enter"], ["f2", "ctrl+x f"], []]);
  expect(createBindings(table).look({ name: "f2", ctrl: false, alt: false, shift: false }, "")).toEqual({
    action: "fold",
  });
});

test.each([
  [
    "an unknown action",
    '{\n "edit.submitt": "f2" }',
    'line 2: "edit.submitt" is not an action; did you mean "edit.submit"? /keys lists them',
  ],
  [
    "a text that is no key",
    '{ "fold": "hyper+q" }',
    'line 1: "fold": "hyper+q" is not a key; write "ctrl+k", "alt+enter", "f5" or "ctrl+x ctrl+e"',
  ],
  [
    "a letter alone",
    '{ "fold": "q" }',
    'line 1: "fold": "q" is not a key; write "ctrl+k", "alt+enter", "f5" or "ctrl+x ctrl+e"',
  ],
  [
    "a number",
    '{ "fold": 7 }',
    'line 1: "fold": 7 is not a key; write "ctrl+k", "alt+enter", "f5" or "ctrl+x ctrl+e"',
  ],
  [
    "one key for two",
    '{ "fold": "f2",\n "pager": "f2" }',
    'line 2: "f2" is already bound to "fold" (line 1); "pager" does not get it',
  ],
  [
    "a key of a usual action",
    '{\n\n "edit.yank": "ctrl+o" }',
    'line 3: "ctrl+o" was bound to "fold" and is now bound to "edit.yank"',
  ],
  [
    "the beginning of a usual sequence",
    '{ "fold": "ctrl+x" }',
    'line 1: "ctrl+x ctrl+e" was bound to "externalEditor" and is now bound to "fold"',
  ],
  [
    "the thinking level on the key that it had in earlier versions",
    '{ "thinking": "shift+tab" }',
    'line 1: "shift+tab" was bound to "mode" and is now bound to "thinking"',
  ],
  ["a list", "[]", "line 1: expected an object of actions; the default keys apply"],
  ["no JSON", '{ "fold": "f2" ', "line 1: not JSON (CloseBraceExpected); what could be read applies"],
])("%s is named with its line", async (_name, text, problem) => {
  const { problems, table } = await readUserKeys(text);
  expect(problems).toEqual([problem]);
  expect(table["edit.submit"]).toEqual(["enter"]);
});

test("a mistake leaves no action without its key, and many mistakes are counted", async () => {
  expect((await readUserKeys('{ "edit.submit": "nothing+x" }')).table["edit.submit"]).toEqual(["enter"]);
  const many = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`zzzz${n}`, "f2"]));
  expect((await readUserKeys(JSON.stringify(many))).problems.at(-1)).toBe("and 30 more");
});

test("a bomb of brackets is named", async () => {
  const { problems, table } = await readUserKeys("[".repeat(200_000));
  expect(problems.length).toBeGreaterThan(0);
  expect(table).toEqual(DEFAULT_KEYS);
});

test("every usual key is written in the one way, and belongs to one action", () => {
  const all = Object.values(DEFAULT_KEYS).flat();
  expect(all.map(readSpelling)).toEqual(all);
  expect(new Set(all).size).toBe(all.length);
});

test("/keys says each action with its keys, and which are chosen", async () => {
  const { table } = await readUserKeys('{ "fold": "f2" }');
  const lines = keyLines(table);
  expect(lines.find((line) => line.includes("externalEditor"))).toMatch(
    /Ctrl\+X Ctrl\+E, Ctrl\+G +edit in \$VISUAL/,
  );
  expect(lines.find((line) => line.startsWith("  fold"))).toMatch(/F2 .*\(yours\)$/);
});
