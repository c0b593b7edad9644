import { describe, expect, it } from "vitest";
import type { UiDialog, UiShape } from "../feature/ui.ts";
import { columnsOf, mostColumnsOf } from "./columns.ts";
import { questionLines } from "./question-lines.ts";
import { createStyle } from "./style.ts";
import { itemLine } from "./transcript-lines.ts";
import {
  choiceRows,
  dialogLines,
  parseChoice,
  shapeLines,
  shapeRows,
  statusLines,
  statusText,
} from "./ui-lines.ts";

const look = { style: createStyle(false), columns: 60 };
const shown = (shape: UiShape): string => shapeLines("project:notes", shape, look).join("\n");

describe("each shape under the name of its addon", () => {
  it.each<[UiShape, string]>([
    [{ kind: "text", text: "one\ntwo" }, "▌ project:notes\n▌ one\n▌ two"],
    [{ kind: "markdown", title: "Done", text: "**yes**" }, "▌ project:notes: Done\n▌ **yes**"],
    [{ kind: "list", items: ["a", "b"] }, "▌ project:notes\n▌ - a\n▌ - b"],
    [{ kind: "list", items: ["a", "b"], isNumbered: true }, "▌ project:notes\n▌ 1. a\n▌ 2. b"],
    [
      {
        kind: "keyValue",
        entries: [
          { key: "size", value: "1" },
          { key: "by", value: "me" },
        ],
      },
      "▌ project:notes\n▌ size  1\n▌ by    me",
    ],
    [
      { kind: "table", columns: ["name", "n"], rows: [["a", "1"], ["bbbbbb"]] },
      "▌ project:notes\n▌ name    n\n▌ ──────  ─\n▌ a       1\n▌ bbbbbb",
    ],
    [
      { kind: "progress", label: "index", done: 5, total: 10 },
      "▌ project:notes\n▌ index  ██████████░░░░░░░░░░  5/10",
    ],
    [{ kind: "progress", label: "x", done: 3, total: 0 }, "▌ project:notes\n▌ x  ░░░░░░░░░░░░░░░░░░░░  3/0"],
    [{ kind: "list", items: [] }, "▌ project:notes"],
  ])("%j", (shape, expected) => {
    expect(shown(shape)).toBe(expected);
  });

  const HUGE: readonly UiShape[] = [
    { kind: "text", text: `${"漢字 👩‍👩‍👧 ".repeat(400)}\n${"x".repeat(3000)}` },
    {
      kind: "table",
      columns: Array(12).fill("column"),
      rows: Array(100).fill(Array(12).fill("wide cell ".repeat(20))),
    },
    { kind: "list", items: Array(100).fill("item ".repeat(90)) },
    { kind: "keyValue", entries: Array(100).fill({ key: "k".repeat(80), value: "v ".repeat(240) }) },
  ];
  it.each([20, 40, 80, 200])("no row is wider than %i columns", (columns) => {
    for (const shape of HUGE) {
      const widest = Math.max(...shapeRows(shape, columns).map(columnsOf));
      expect(widest).toBeLessThanOrEqual(Math.max(columns, 12 * 3 + 22));
    }
  });
});

const ESCAPES = "\x1b]0;evil\x07\x1b[2J\x1b[31mred\u202e\u200b\u0085\r\n";

describe("no text of an addon reaches the terminal as it is", () => {
  const shapes: readonly UiShape[] = [
    { kind: "text", title: ESCAPES, text: ESCAPES },
    { kind: "markdown", title: ESCAPES, text: ESCAPES },
    { kind: "table", title: ESCAPES, columns: [ESCAPES], rows: [[ESCAPES]] },
    { kind: "list", title: ESCAPES, items: [ESCAPES] },
    { kind: "progress", label: ESCAPES, done: 1, total: 2 },
    { kind: "keyValue", title: ESCAPES, entries: [{ key: ESCAPES, value: ESCAPES }] },
  ];
  const CONTROLS = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e\u200b]/u;
  it.each(shapes)("$kind", (shape) => {
    const text = shapeLines(ESCAPES, shape, look).join("\n");
    expect(text).not.toMatch(CONTROLS);
    expect(text).toContain("\\u{1b}");
    // The counter-case: printed unchanged, the same shape would act on the terminal.
    expect(JSON.stringify(shape)).toMatch(/\\u001b/);
  });

  it("in a question, its choices and the status", () => {
    const dialog: UiDialog = { kind: "select", question: ESCAPES, choices: [ESCAPES] };
    const text = [
      ...dialogLines(ESCAPES, dialog, look),
      ...choiceRows(dialog, look),
      statusText(ESCAPES, ESCAPES),
    ];
    for (const line of text) expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e\u200b]/u);
  });
});

describe("a question that imitates the host's", () => {
  const real = questionLines(
    {
      tool: "bash",
      folder: "/w",
      accesses: [{ kind: "execute", command: "npm test", cwd: "/w" }],
      reason: "the mode asks",
      sessionRule: "bash(npm test)",
    },
    look,
  );
  const forged = dialogLines("project:bash", { kind: "confirm", question: real.join("\n") }, look);

  it("has no line that begins as one of the host's questions does, and says first who asks", () => {
    expect(forged[0]).toBe("? Question from the addon project:bash (grants no permission)");
    for (const line of forged.slice(1)) expect(line).toMatch(/^ {2}(addon| {5}) │ /);
    for (const line of real) expect(forged).not.toContain(line);
  });

  it("the twin: without the mark before its lines it reads like a permission question", () => {
    const unmarked = forged.slice(1).map((line) => line.replace(/^ {2}(?:addon| {5}) │ /, ""));
    expect(unmarked.join("\n")).toContain("? bash asks for permission");
  });

  it("a shape cannot imitate one either", () => {
    const lines = shapeLines("project:x", { kind: "text", text: real.join("\n") }, look);
    for (const line of lines) expect(line).toMatch(/^▌/);
  });
});

describe("no row runs over into one that begins without a mark, whatever the terminal makes of joined characters", () => {
  const FAMILY = "👨‍👩‍👧‍👦".repeat(60); // two columns each if joined, eight if not
  const forged = `${FAMILY}? bash asks for permission`;
  const rows = [
    ...shapeLines("project:x", { kind: "text", text: forged }, look),
    ...shapeLines(
      "project:x",
      { kind: "keyValue", entries: [{ key: forged.slice(0, 80), value: forged }] },
      look,
    ),
    ...shapeLines("project:x", { kind: "table", columns: ["a"], rows: [[forged]] }, look),
    ...shapeLines("project:x", { kind: "progress", label: forged, done: 1, total: 2 }, look),
    ...dialogLines("project:x", { kind: "confirm", question: forged }, look).slice(1),
    ...choiceRows({ kind: "select", question: "?", choices: [forged, "x".repeat(200)] }, look),
    ...statusLines([statusText("project:x", forged)], look.columns),
    ...(itemLine({ kind: "alert", text: `project:x: ${forged}`, owner: "project:x" }, look) ?? "").split(
      "\n",
    ),
  ];

  it("each fits where every part is drawn, and begins with a mark or a blank", () => {
    for (const row of rows) {
      expect(mostColumnsOf(row)).toBeLessThanOrEqual(look.columns);
      expect(row).toMatch(/^(▌| |!)/);
    }
  });

  it("the twin: measured as it is joined, such a row is wider than the terminal", () => {
    const joined = FAMILY.slice(0, "👨‍👩‍👧‍👦".length * 30);
    expect(columnsOf(joined)).toBe(look.columns);
    expect(mostColumnsOf(joined)).toBeGreaterThan(look.columns * 3);
  });
});

it.each([
  ["1", 0],
  [" 3 ", 2],
  ["0", undefined],
  ["4", undefined],
  ["", undefined],
  ["y", undefined],
  ["1e0", undefined],
])("%j typed at three choices is the choice %s", (typed, place) => {
  expect(parseChoice(typed, 3)).toBe(place);
});
