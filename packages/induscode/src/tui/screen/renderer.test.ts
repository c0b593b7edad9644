import xterm from "@xterm/headless";
import { describe, expect, test } from "vitest";
import * as fc from "../../../../../tests/support/fast-check.ts";
import { createRenderer, type Frame, type Renderer } from "./renderer.ts";
import { paint, span, wrap } from "./spans.ts";

interface Seen {
  readonly renderer: Renderer;
  readonly written: () => string;
  /** All rows, including those that scrolled away, without trailing blanks. */
  readonly rows: () => Promise<readonly string[]>;
  readonly cursor: () => { readonly row: number; readonly column: number };
}

function open(columns: number, rows = 12): Seen {
  const terminal = new xterm.Terminal({ cols: columns, rows, scrollback: 5000, allowProposedApi: true });
  let written = "";
  const renderer = createRenderer((text) => {
    written += text;
    terminal.write(text);
  });
  return {
    renderer,
    written: () => written,
    rows: () =>
      new Promise((resolve) =>
        terminal.write("", () => {
          const { active } = terminal.buffer;
          const all = Array.from(
            { length: active.length },
            (_, row) => active.getLine(row)?.translateToString(true) ?? "",
          );
          while (all.at(-1) === "") all.pop();
          resolve(all);
        }),
      ),
    cursor: () => ({
      row: terminal.buffer.active.baseY + terminal.buffer.active.cursorY,
      column: terminal.buffer.active.cursorX,
    }),
  };
}

// What occurs in practice: CJK, emoji with joiners, combining characters, right-to-left text, colours.
const TEXTS = [
  "plain words of a sentence",
  "日本語のテキストは幅が二つ",
  "family 👩‍👩‍👧‍👦 and flag 🇫🇷 end",
  "combining e\u0301 a\u0308 o\u0302\u0323 marks",
  "עברית וערבית مرحبا mixed with latin",
  "",
  "x",
];

const painted = (text: string, columns: number): readonly string[] =>
  wrap([span(text, "good")], columns).map((line) => paint(line, () => "\x1b[32m"));

describe.each([40, 80, 200])("at %i columns", (columns) => {
  test("after any sequence of frames the screen shows the settled rows and then the live ones", async () => {
    const texts = fc.array(fc.constantFrom(...TEXTS), { maxLength: 5 });
    const frame = fc.record({ settled: texts, live: texts, column: fc.nat(10) });
    await fc.assert(
      fc.asyncProperty(fc.array(frame, { minLength: 1, maxLength: 12 }), async (frames) => {
        const { renderer, rows, cursor } = open(columns);
        const settled: string[] = [];
        let last: Frame = { settled: [], live: [] };
        for (const each of frames) {
          const lay = (all: readonly string[]): string[] => all.flatMap((text) => painted(text, columns));
          const live = lay(each.live).slice(0, 8);
          last = {
            settled: lay(each.settled),
            live,
            cursor: live.length > 0 ? { row: 0, column: each.column } : undefined,
          };
          settled.push(...last.settled);
          renderer.draw(last);
        }
        const expected = [...settled, ...last.live].map(withoutColours);
        while (expected.at(-1) === "") expected.pop();
        expect((await rows()).map((row) => row.trimEnd())).toEqual(expected.map((row) => row.trimEnd()));
        if (last.live.length > 0)
          expect(cursor()).toEqual({ row: settled.length, column: last.cursor?.column });
      }),
      { numRuns: 60 },
    );
  });
});

function withoutColours(row: string): string {
  return row.replace(/\x1b\[[\d;]*m/g, "");
}

describe("what is written", () => {
  test("a row that grows costs what it grows by, and a frame without a change nothing", () => {
    const { renderer, written } = open(80);
    renderer.draw({ settled: [], live: ["some words", "› "], cursor: { row: 1, column: 2 } });
    const before = written().length;
    renderer.draw({ settled: [], live: ["some words more", "› "], cursor: { row: 1, column: 2 } });
    const grown = written().slice(before);
    expect(grown).toContain(" more");
    expect(grown).not.toContain("some");
    const after = written().length;
    renderer.draw({ settled: [], live: ["some words more", "› "], cursor: { row: 1, column: 2 } });
    expect(written()).toHaveLength(after);
  });

  test("an accent that goes leaves nothing on the letter before it", async () => {
    const { renderer, rows } = open(80);
    renderer.draw({ settled: [], live: ["cafe\u0301s"] });
    renderer.draw({ settled: [], live: ["cafes"] });
    expect(await rows()).toEqual(["cafes"]);
  });

  test("a row that settles where it stands is not written again", () => {
    const { renderer, written } = open(80);
    renderer.draw({ settled: [], live: ["done", "› "], cursor: { row: 1, column: 2 } });
    const before = written().length;
    renderer.draw({ settled: ["done"], live: ["› "], cursor: { row: 0, column: 2 } });
    expect(written().slice(before)).not.toContain("done");
  });

  test("a frame of several rows comes between the marks of one synchronized update", () => {
    const { renderer, written } = open(80);
    renderer.draw({ settled: ["a", "b"], live: ["c"] });
    expect(written().startsWith("\x1b[?2026h")).toBe(true);
    expect(written().endsWith("\x1b[?2026l")).toBe(true);
  });

  test("the cursor is hidden while nobody types, and shown again when the region goes", async () => {
    const { renderer, written, rows } = open(80);
    renderer.draw({ settled: ["kept"], live: ["gone"] });
    expect(written()).toContain("\x1b[?25l");
    renderer.erase();
    expect(written().endsWith("\x1b[?25h")).toBe(true);
    expect(await rows()).toEqual(["kept"]);
  });
});

test("nothing is cleared from the first cell of the screen on: tmux would copy the screen into its scroll-back", async () => {
  const { renderer, rows, written } = open(20, 4);
  const live = ["one", "two", "three", "four"];
  for (const again of [
    () => renderer.restart(),
    () => renderer.restart(2),
    renderer.erase,
    renderer.forget,
  ]) {
    renderer.draw({ settled: [], live });
    again();
  }
  renderer.draw({ settled: ["last"], live: ["row"] });
  expect(written()).not.toMatch(/(?:\x1b\[H|\r|\x1b\[\d*A)\x1b\[J/);
  expect((await rows()).slice(-2)).toEqual(["last", "row"]);
});

test("a row as wide as the terminal is whole, and what was erased in it went before its text", async () => {
  const { renderer, rows, written } = open(4);
  renderer.draw({ settled: [], live: ["olde", "x"] });
  renderer.draw({ settled: [], live: ["abcd", "x"] });
  expect(await rows()).toEqual(["abcd", "x"]);
  expect(written()).toContain("\x1b[Kabcd"); // after a full row many terminals would erase its last cell
});
