import { expect, test } from "vitest";
import * as fc from "../../../../../tests/support/fast-check.ts";
import { createPlainHistory } from "../../../../../tests/support/test-history.ts";
import { createStyle } from "../../console/style.ts";
import { createBindings } from "../keys/bindings.ts";
import { createKeyDecoder } from "../keys/decode.ts";
import { createEditor, type OpenedEditor } from "./editor.ts";

function open(): { readonly editor: OpenedEditor; readonly type: (...keys: readonly string[]) => void } {
  const editor = createEditor({
    bindings: createBindings(),
    style: createStyle(false),
    history: createPlainHistory(),
    onChange: () => undefined,
    isVi: true,
  });
  return {
    editor,
    type: (...keys) => {
      const decoder = createKeyDecoder();
      for (const key of keys)
        for (const input of [...decoder.write(key), ...decoder.flush()])
          if (input.kind === "key") editor.press(input.key);
    },
  };
}

/** The text, with the character under the cursor in brackets. */
function shown(editor: OpenedEditor): string {
  const { rows, cursor } = editor.render(80);
  return rows
    .map((row, at) => {
      if (at !== cursor?.row) return row.slice(2);
      return `${row.slice(2, cursor.column)}[${row[cursor.column] ?? ""}]${row.slice(cursor.column + 1)}`;
    })
    .join("\n");
}

const ESC = "\x1b";

// The text, the commands after Esc (the cursor is on the last character), the result.
test.each([
  ["w b e", "one two-x three", "0wwwe", "one two-x thre[e]"],
  ["b over signs", "one two-x", "b", "one two[-]x"],
  ["W B E", "one two-x three", "0WE", "one two-[x] three"],
  ["0 ^ $", "  one", "0", "[ ] one"],
  ["^", "  one", "^", "  [o]ne"],
  ["f ; ,", "a.b.c.d", "0f.;;,", "a.b[.]c.d"],
  ["t T", "abcabc", "0tb", "[a]bcabc"],
  ["F", "abcabc", "Fb", "abca[b]c"],
  ["a count", "a b c d e", "03w", "a b c [d] e"],
  ["x and a count", "abcdef", "03x", "[d]ef"],
  ["X", "abcdef", "X", "abcd[f]"],
  ["dw", "one two three", "0dw", "[t]wo three"],
  ["d2w", "one two three", "0d2w", "[t]hree"],
  ["2dw", "one two three", "02dw", "[t]hree"],
  ["de", "one two", "0de", "[ ]two"],
  ["d$", "one two", "0wd$", "one[ ]"],
  ["db", "one two", "db", "one [o]"],
  ["dfx", "axbxc", "0dfx", "[b]xc"],
  ["dtx", "axbxc", "0dtx", "[x]bxc"],
  ["diw", "one two three", "0wdiw", "one [ ]three"],
  ["daw", "one two three", "0wdaw", "one [t]hree"],
  ["D", "one two", "0wD", "one[ ]"],
  ["dd", "one\ntwo\nthree", "kdd", "one\n[t]hree"],
  ["dd on the last line", "one\ntwo", "dd", "[o]ne"],
  ["2dd", "one\ntwo\nthree", "gg2dd", "[t]hree"],
  ["dj", "one\ntwo\nthree", "ggdj", "[t]hree"],
  ["yyp", "one\ntwo", "ggyyp", "one\n[o]ne\ntwo"],
  ["yyP", "one\ntwo", "yyP", "one\n[t]wo\ntwo"],
  ["ywP", "one two", "0ywP", "one[ ]one two"],
  ["xp swaps", "ab", "0xp", "b[a]"],
  ["3p", "ab", "0x3p", "baa[a]"],
  ["r", "abc", "0rX", "[X]bc"],
  ["2r", "abc", "02rX", "X[X]c"],
  ["~", "abc", "02~", "AB[c]"],
  ["J", "one\n  two", "ggJ", "one[ ]two"],
  ["u and u", "one two", "0dwxuu", "[o]ne two"],
  ["dot repeats a deletion", "a b c d", "0dw..", "[d]"],
  ["t and ;", "abcabc", "0tb;", "abc[a]bc"],
  ["dG", "one\ntwo\nthree", "2GdG", "[o]ne"],
  ["dgg", "one\ntwo\nthree", "2Gdgg", "[t]hree"],
  ["G and gg", "one\ntwo\nthree", "ggG", "one\ntwo\n[t]hree"],
  ["2G", "one\ntwo\nthree", "2G", "one\n[t]wo\nthree"],
])("%s", (_name, text, commands, after) => {
  const { editor, type } = open();
  editor.put(text);
  type(ESC, commands);
  expect(shown(editor)).toBe(after);
});

test.each([
  ["cw", "one two", ["0", "cw", "uno", ESC], "un[o] two"],
  ["cc", "one\ntwo", ["cc", "x", ESC], "one\n[x]"],
  ["C", "one two", ["0wC", "x", ESC], "one [x]"],
  ["s", "abc", ["0s", "xy", ESC], "x[y]bc"],
  ["i a I A", "b", ["ia", ESC, "Ac", ESC, "I0", ESC], "[0]abc"],
  ["o O", "b", ["oc", ESC, "ggOa", ESC], "[a]\nb\nc"],
  ["dot repeats what was typed", "one two", ["0cwx", ESC, "w."], "x [x]"],
  ["u takes back a whole change", "one", ["A two three", ESC, "u"], "on[e]"],
  ["Ctrl+R makes it again", "one", ["A two", ESC, "u\x12"], "one tw[o]"],
])("%s", (_name, text, keys, after) => {
  const { editor, type } = open();
  editor.put(text);
  type(ESC, ...keys);
  expect(shown(editor)).toBe(after);
});

test("k in the first row goes back in the history, and the cursor is on a character there", () => {
  const { editor, type } = open();
  type("first\rsecond", ESC, "k");
  expect(shown(editor)).toBe("firs[t]");
  type("x");
  expect(editor.text()).toBe("firs");
});

test("a change is repeated without what was taken back, whole characters of it", () => {
  const { editor, type } = open();
  type("x", ESC, "A", "😀", "\x7f", "b", ESC, ".");
  expect(editor.text()).toBe("xbb");
});

test("keys that arrive in one read are all used", () => {
  const { editor, type } = open();
  type("first\rsecond\rthird", ESC, "kkrF");
  expect(editor.text()).toBe("firsF");
});

test("an arrow key in normal mode stops where a motion does", () => {
  const { editor, type } = open();
  type("ab", ESC, "\x1b[C", "\x1b[C");
  expect(shown(editor)).toBe("a[b]");
  type("i", "\x1b[C"); // in insert mode it does (the counter-case)
  expect(shown(editor)).toBe("ab[]");
});

test("/ searches the history and v asks for the other editor, as in a shell", () => {
  const { editor, type } = open();
  type("first\rsecond\rthird", ESC, "/fir", "\r");
  expect(editor.text()).toBe("first");
  const [v] = createKeyDecoder().write("v");
  expect(v?.kind === "key" && editor.press(v.key)).toEqual([{ kind: "action", action: "externalEditor" }]);
});

test("random commands keep the cursor on a character, and enough u bring the text back", () => {
  const keys = [
    "w",
    "b",
    "e",
    "0",
    "$",
    "^",
    "x",
    "X",
    "D",
    "dw",
    "db",
    "dd",
    "yy",
    "p",
    "P",
    "J",
    "~",
    "rx",
    "2",
    ".",
    "cwz\x1b",
    "oq\x1b",
    "fe",
    "tj",
    ";",
    "k",
    "j",
    "G",
    "gg",
  ];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...keys), { maxLength: 30 }), (commands) => {
      const { editor, type } = open();
      editor.put("one two\nthree é漢 four\n\nlast");
      type(ESC);
      for (const command of commands) {
        type(...(command.endsWith(ESC) ? [command.slice(0, -1), ESC] : [command]));
        expect(editor.isEmpty() || shown(editor).includes("[")).toBe(true);
      }
      type(ESC, ..."u".repeat(40));
      expect(editor.text()).toBe("");
    }),
    { numRuns: 200 },
  );
});
