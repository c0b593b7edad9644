import { expect, test } from "vitest";
import type { Key } from "../contract.ts";
import { openPager } from "./pager.ts";

const TEXT = Array.from({ length: 20 }, (_, i) => (i % 6 === 5 ? `row ${i} \x1b[1mword\x1b[0m` : `row ${i}`));

/** A pager of ten rows over {@link TEXT}; `press` returns the rows that are then shown. */
function open(): { readonly press: (...keys: readonly string[]) => readonly string[] } {
  let written = "";
  const pager = openPager({
    rows: () => TEXT,
    size: () => ({ columns: 80, rows: 11 }),
    write: (text) => {
      written = text;
    },
  });
  const press = (...keys: readonly string[]): readonly string[] => {
    for (const each of keys)
      pager.press({
        ...{ name: each.length > 1 ? each : "text", ctrl: false, alt: false, shift: false },
        text: each.length > 1 ? undefined : each,
      } as Key);
    return written.split("\r\n");
  };
  return { press };
}

/** The rows drawn as found. */
function found(rows: readonly string[]): readonly string[] {
  return rows.slice(0, -1).flatMap((row) => /\x1b\[7m(.*?)\x1b\[0m/.exec(row)?.[1] ?? []);
}

test("n goes to each row that has the words, also on the last page, and from the last to the first", () => {
  const { press } = open();
  const seen = [press("g", "/", ..."word", "enter"), press("n"), press("n"), press("n")];
  expect(seen.map(found)).toEqual([["row 5 word"], ["row 11 word"], ["row 17 word"], ["row 5 word"]]);
});

test("after scrolling away n goes on from what is on the screen", () => {
  const { press } = open();
  press("g", "/", ..."word", "enter", "n", "n");
  expect(found(press("g", "n"))).toEqual(["row 5 word"]);
});

test("a search for words that the text does not have says so, until the next key", () => {
  const { press } = open();
  const before = press("g");
  const after = press("/", ..."else", "enter");
  expect(after.slice(0, -1)).toEqual(before.slice(0, -1));
  expect(after.at(-1)).toContain("not found");
  expect(press("j").at(-1)).not.toContain("not found");
});
