import { expect, test } from "vitest";
import * as fc from "../../../../../tests/support/fast-check.ts";
import { createPlainHistory } from "../../../../../tests/support/test-history.ts";
import { clustersOf, columnsOf } from "../../console/columns.ts";
import { createStyle } from "../../console/style.ts";
import type { EditorEvent, Submission } from "../contract.ts";
import { createBindings } from "../keys/bindings.ts";
import { createKeyDecoder } from "../keys/decode.ts";
import { createEditor, type EditorOptions, type OpenedEditor } from "./editor.ts";

interface Desk {
  readonly editor: OpenedEditor;
  /** Sends keyboard input. */
  readonly type: (keys: string) => readonly EditorEvent[];
  /** The rows, with `|` at the cursor. */
  readonly shown: (columns?: number) => string;
}

function open(options: Partial<EditorOptions> = {}): Desk {
  const editor = createEditor({
    bindings: createBindings(),
    style: createStyle(false),
    history: createPlainHistory(),
    onChange: () => undefined,
    ...options,
  });
  return {
    editor,
    type: (keys) => {
      const decoder = createKeyDecoder();
      return [...decoder.write(keys), ...decoder.flush()].flatMap((input) =>
        input.kind === "key" ? editor.press(input.key) : [],
      );
    },
    shown: (columns = 40) => {
      const { rows, cursor } = editor.render(columns);
      return rows
        .map((row, at) => {
          if (at !== cursor?.row) return row;
          let passed = 0;
          let before = "";
          for (const cluster of clustersOf(row)) {
            if (passed >= cursor.column) break;
            before += cluster;
            passed += columnsOf(cluster);
          }
          return `${before}|${row.slice(before.length)}`;
        })
        .join("\n");
    },
  };
}

const UP = "\x1b[A";
const DOWN = "\x1b[B";
const LEFT = "\x1b[D";
const RIGHT = "\x1b[C";
const submitted = (events: readonly EditorEvent[]): readonly Submission[] =>
  events.flatMap((event) => (event.kind === "submit" ? event.submission : []));

test.each([
  ["Shift+Enter of kitty", "\x1b[13;2u"],
  ["Shift+Enter of xterm", "\x1b[27;2;13~"],
  ["Alt+Enter", "\x1b\r"],
  ["Ctrl+J", "\n"],
  ["a backslash before Enter", "\\\r"],
])("a new line: %s", (_name, keys) => {
  const { type, shown } = open();
  expect(type(`one${keys}two`)).toEqual([]);
  expect(shown()).toBe("› one\n  two|");
  expect(submitted(type("\r")).map(({ text }) => text)).toEqual(["one\ntwo"]);
  expect(shown()).toBe("› |");
});

test("two backslashes are two backslashes, and a blank text is not sent", () => {
  const { type } = open();
  expect(submitted(type("a\\\\\r")).map(({ text }) => text)).toEqual(["a\\\\"]);
  expect(type("  \n\r")).toEqual([]);
});

test.each([
  ["words", "one two-three\x1bb\x1bbX", "› one X|two-three"],
  ["words forward", "one two-three\x01\x1bf\x1bfX", "› one twoX|-three"],
  ["line ends", "one\ntwo\x01A\x05B", "› one\n  AtwoB|"],
  ["deletions", `abcd${LEFT}${LEFT}\x7f\x1b[3~`, "› a|d"],
  ["cut word, yank", "one two\x17\x19\x19", "› one twotwo|"],
  ["cuts in a row are one", "one two\x17\x17x\x19", "› xone two|"],
  ["to the start and to the end", `one two${LEFT}${LEFT}${LEFT}\x0b\x15\x19`, "› one two|"],
  ["yank-pop", "a\x15b\x15c\x15\x19\x1by\x1by", "› a|"],
  ["redo", "one two\x1f\x1bz", "› one two|"],
  ["undo of a cut", "one two\x15\x1f", "› one two|"],
])("%s", (_name, keys, rows) => {
  const { type, shown } = open();
  type(keys);
  expect(shown()).toBe(rows);
});

test("undo of typing goes back to the blank", () => {
  const { type, editor } = open();
  for (const key of "one two") type(key);
  type("\x1f");
  expect(editor.text()).toBe("one");
  type("\x1f");
  expect(editor.text()).toBe("");
  type("\x1bz\x1bz");
  expect(editor.text()).toBe("one two");
});

test("up and down keep the column across wrapped rows, short lines and wide characters", () => {
  const { type, shown } = open();
  type("aaaa bbbb cccc dddd\nx\n漢字漢字漢字");
  expect(shown(14)).toBe("› aaaa bbbb \n  cccc dddd\n  x\n  漢字漢字漢\n  字|");
  type(UP);
  expect(shown(14)).toBe("› aaaa bbbb \n  cccc dddd\n  x\n  漢|字漢字漢\n  字");
  type(`${RIGHT}${UP}${UP}`);
  expect(shown(14)).toBe("› aaaa bbbb \n  cccc| dddd\n  x\n  漢字漢字漢\n  字");
  type(`${DOWN}${DOWN}`);
  expect(shown(14)).toBe("› aaaa bbbb \n  cccc dddd\n  x\n  漢字|漢字漢\n  字");
});

test("the first row leads into the history, the last one back to what was written", () => {
  const { type, shown } = open();
  type("first\rsecond\ntwo rows\r");
  type(`half${UP}`);
  expect(shown()).toBe("› second\n  two rows|");
  type(`${UP}${UP}`);
  expect(shown()).toBe("› first|");
  type(DOWN);
  expect(shown()).toBe("› second\n  two rows|");
  type(DOWN);
  expect(shown()).toBe("› half|");
});

test("what was taken from the history can be changed, and is then a text of its own", () => {
  const { type, editor } = open();
  type(`first\r${UP}!${DOWN}`);
  expect(editor.text()).toBe("first!");
});

test("a long line of the history is folded like a paste, however often it is passed, and sent whole", () => {
  const { type, shown } = open();
  const lines = Array.from({ length: 400 }, (_, i) => `line ${i}`).join("\n");
  type(`older\r\x1b[200~explain:\n${lines}\x1b[201~\r${UP}`);
  expect(shown()).toBe("› [pasted 401 lines]|");
  type(UP);
  expect(shown()).toBe("› older|");
  for (let n = 0; n < 2_000; n++) type(`${DOWN}${UP}`);
  type(DOWN);
  expect(shown()).toBe("› [pasted 401 lines]|");
  const [sent] = submitted(type(" again\r"));
  expect(sent?.text).toBe(`explain:\n${lines} again`);
  type("\x12explain\r");
  expect(shown()).toBe("› [pasted 401 lines]|");
});

test("Ctrl+R finds the newest line, the one before it, and acts on", () => {
  const { type, shown, editor } = open();
  type("git log\rgit status\rnpm test\r\x12git");
  expect(shown()).toBe("history: git|\n  git status\n  Enter accepts, Ctrl+R searches on, Esc");
  type("\x12");
  expect(shown()).toContain("  git log");
  type("\r");
  expect(editor.text()).toBe("git log");
  type("\x15\x12npm\x05 run");
  expect(editor.text()).toBe("npm test run");
  type("\x12zzz\x1b");
  expect(editor.text()).toBe("npm test run");
});

test("a long paste is folded, sent whole, deleted at once, and never sends", () => {
  const { type, shown, editor } = open();
  const lines = Array.from({ length: 120 }, (_, at) => `line ${at}`).join("\n");
  expect(type(`see \x1b[200~${lines.replaceAll("\n", "\r")}\r\x1b[201~`)).toEqual([]);
  expect(shown()).toBe("› see [pasted 120 lines]|");
  type(" ok");
  const [sent] = submitted(type("\r"));
  expect(sent).toEqual({ text: `see ${lines}\n ok`, shown: "see [pasted 120 lines] ok", images: [] });
  type(`\x1b[200~${"y".repeat(2000)}\x1b[201~`);
  expect(shown()).toBe("› [pasted 2000 characters]|");
  type("\x7f");
  expect(shown()).toBe("› |");
  type("\x1f");
  expect(editor.text()).toBe("y".repeat(2000));
});

test("what was cut with a marker in it keeps its text when the line is sent", () => {
  const { type, editor } = open();
  type(`\x1b[200~${"y".repeat(2000)}\x1b[201~\x15next\r\x1b[200~${"z".repeat(2000)}\x1b[201~\x15\x19\x1by`);
  expect(editor.text()).toBe("y".repeat(2000));
});

test("a short paste of several lines stands as it is, without control", () => {
  const { type, shown } = open();
  expect(type("\x1b[200~a\rb\tc\x1b]0;title\x07\x1b[201~")).toEqual([]);
  expect(shown()).toBe("› a\n  b  c|");
});

test("an image that is dropped is a marker, and its path is sent beside the text", () => {
  const { type, shown } = open({
    imageAt: (text) => (text.trim().endsWith(".png") ? text.trim() : undefined),
  });
  type("what is \x1b[200~/tmp/shot one.png \x1b[201~?");
  expect(shown()).toBe("› what is [image shot one.png]?|");
  expect(submitted(type("\r"))).toEqual([
    {
      text: "what is [image shot one.png]?",
      shown: "what is [image shot one.png]?",
      images: ["/tmp/shot one.png"],
    },
  ]);
});

test("an image is still sent after its text was in another editor", () => {
  const { type, editor } = open({ imageAt: (text) => text });
  for (const path of ["/a/a.png", "/a/b.png", "/b/b.png"]) type(`\x1b[200~${path}\x1b[201~`);
  editor.put(`${editor.text().replace("[image a.png]", "")} alike`);
  const shown = "[image b.png][image b.png] alike?";
  expect(submitted(type("?\r"))).toEqual([{ text: shown, shown, images: ["/a/b.png", "/b/b.png"] }]);
});

test.each([
  ["ideographs", "漢字", "› 漢|字"],
  ["an emoji with joiners", "👩‍👩‍👧‍👦x", "› 👩‍👩‍👧‍👦|x"],
  ["a skin tone", "👍🏽x", "› 👍🏽|x"],
  ["a flag", "🇩🇪x", "› 🇩🇪|x"],
  ["a combining mark", "e\u0301x", "› e\u0301|x"],
  ["right to left", "שx", "› ש|x"],
  ["a mark without a letter", "\u0301x", "› ◌\u0301|x"],
  ["a zero-width space", "\u200bx", "› \\u{200b}|x"],
])("the cursor goes over %s in one step", (_name, text, rows) => {
  const { type, shown, editor } = open();
  type(`${text}\x01${RIGHT}`);
  expect(shown()).toBe(rows);
  type("\x1b[1;5D\x1b[3~");
  expect([editor.text(), columnsOf(editor.text())]).toEqual([text.slice(-1), columnsOf(text.slice(-1))]);
});

test("keys of the screen come out, Esc and Ctrl+D only where the editor has nothing to do with them", () => {
  const { type } = open();
  const actions = (keys: string): readonly string[] =>
    type(keys).map((event) => (event.kind === "action" ? event.action : "submit"));
  expect(actions("\x1b")).toEqual(["interrupt"]);
  expect(actions("\x03\x04\x0f\x1a\x0c")).toEqual(["cancel", "leave", "fold", "suspend", "redraw"]);
  expect(actions("ab\x01\x04\x04\x04")).toEqual(["leave"]);
  expect(actions("\x18\x05")).toEqual(["externalEditor"]);
  expect(actions("\x18x")).toEqual([]);
});

test("a text that is longer than the screen is shown around the cursor", () => {
  const { type, shown } = open({ maxRows: () => 3 });
  type("1\n2\n3\n4\n5");
  expect(shown()).toBe("  3\n  4\n  5|");
  type(`${UP}${UP}${UP}`);
  expect(shown()).toBe("  2|\n  3\n  4");
  type("\x1b[1;5H");
  expect(shown()).toBe("› |1\n  2\n  3");
});

// Random keys

const KEYS = [
  ..."\x01\x02\x04\x05\x06\x08\x0a\x0b\x0e\x10\x12\x14\x15\x16\x17\x19\x1f\x7f\r\t",
  ...[
    UP,
    DOWN,
    LEFT,
    RIGHT,
    "\x1b[H",
    "\x1b[F",
    "\x1b[3~",
    "\x1bb",
    "\x1bf",
    "\x1bd",
    "\x1b\x7f",
    "\x1by",
    "\x1bz",
  ],
  ..."abc /@!\\\"'$0wdcypxrufFtT;,.iIaAoO~JG漢\u0301\u200d👍🏽\u{1f1e9}ש\u202e\u0007\ud800",
  "\x1b",
  "\x1b[13;2u",
  "\x1b[200~pasted\rlines\x1b[201~",
  `\x1b[200~${"long\n".repeat(9)}\x1b[201~`,
];
const CONTROL = /[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\p{Cs}]/u;

test.each([{ isVi: false }, { isVi: true }])(
  "random keys, vi $isVi: no control in the rows, the cursor inside",
  ({ isVi }) => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...KEYS), { maxLength: 120 }),
        fc.integer({ min: 1, max: 60 }),
        (keys, columns) => {
          const { editor, type } = open({ isVi, maxRows: () => 5 });
          for (const key of keys) {
            type(key);
            const { rows, cursor } = editor.render(columns);
            for (const row of rows) {
              expect(row).not.toMatch(CONTROL);
              if (columns > 12) expect(columnsOf(row)).toBeLessThanOrEqual(columns);
            }
            expect(cursor?.row).toBeLessThan(rows.length);
            expect(cursor?.row).toBeGreaterThanOrEqual(0);
            expect(cursor?.column).toBeGreaterThanOrEqual(0);
            expect(cursor?.column).toBeLessThan(columns);
          }
        },
      ),
      { numRuns: 300 },
    );
  },
);

test("every edit is taken back by undo, and made again by redo", () => {
  const edits = [
    "x",
    "\n",
    "\x7f",
    "\x1b[3~",
    "\x17",
    "\x1bd",
    "\x15",
    "\x0b",
    "\x19",
    "\x1b[200~p\rq\x1b[201~",
  ];
  const moves = [LEFT, RIGHT, UP, "\x01", "\x05", "\x1bb", "\x1bf"];
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.constantFrom(...moves), fc.constantFrom(...edits, "é", "👍🏽")), {
        maxLength: 40,
      }),
      (steps) => {
        const { type, editor } = open();
        type("one two\nthree");
        for (const [move, edit] of steps) {
          type(move);
          const before = editor.text();
          type(edit);
          const after = editor.text();
          if (after === before) continue;
          type("\x1f");
          expect(editor.text()).toBe(before);
          type("\x1bz");
          expect(editor.text()).toBe(after);
        }
      },
    ),
    { numRuns: 300 },
  );
});
