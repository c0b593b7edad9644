import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import * as fc from "../../../../tests/support/fast-check.ts";
import { resolvePath } from "./paths.ts";
import { pathOfShown, shownPath } from "./shown-path.ts";

test("a plain path is shown as it is", () => {
  const paths = [
    "a.txt",
    "src/a b.ts",
    "/etc/hosts",
    ".",
    "a\\\\b",
    "ü/😀",
    "it's",
    'say "hi"',
    "[id].tsx",
    "~other",
  ];
  expect(paths.map(shownPath)).toEqual(paths);
});

describe("a name that lies is shown as a JSON string", () => {
  test.each([
    ["a\nfile 3 forged", '"a\\nfile 3 forged"'],
    ["sub/a\rb/c", 'sub/"a\\rb"/c'],
    ["\x1b[2Jgone", '"\\u001b[2Jgone"'],
    ["\u009b2J", '"\\u009b2J"'],
    ["a\u202etxt.exe", '"a\\u202etxt.exe"'],
    ["a\u2067b", '"a\\u2067b"'],
    ["a\u200bb", '"a\\u200bb"'],
    ["a\u00adb", '"a\\u00adb"'],
    ["a\u3164", '"a\\u3164"'],
    ["a\ufe0f", '"a\\ufe0f"'],
    ["\ufeffa", '"\\ufeffa"'],
    ["a\u2028b", '"a\\u2028b"'],
    ["a\u00a0b", '"a\\u00a0b"'],
    ["a\u{e0041}b", '"a\\udb40\\udc41b"'],
    [" ", '" "'],
    ["a ", '"a "'],
    [" a/b", '" a"/b'],
    ['"a"', '"\\"a\\""'],
    ["~", "./~"],
    ["~/a\n", './~/"a\\n"'],
  ])("%j", (path, shown) => {
    expect(shownPath(path)).toBe(shown);
    expect(resolvePath("/ws", shown)).toBe(join("/ws", path));
  });
});

test("what is shown in quotes may be joined to a folder, or quoted as a whole", () => {
  expect(resolvePath("/ws", 'sub/"a\\nb"')).toBe("/ws/sub/a\nb");
  expect(resolvePath("/ws", '"sub/a\\nb"')).toBe("/ws/sub/a\nb");
  expect(resolvePath("/ws", '"/etc/a\\nb"')).toBe("/etc/a\nb");
  expect(resolvePath("/ws", '"~/a\\nb"')).toBe(`${homedir()}/a\nb`);
  expect(() => resolvePath("/ws", '"a\\u0000b\\n"')).toThrow("contains a NUL byte");
});

test("quotes that nothing asks for are a part of the name", () => {
  for (const path of ['"a"', '"', '""', '"a', 'a"', '"a\\"', '"\\x"', '"1\n"', "[1]", '{"a":1}'])
    expect(pathOfShown(path)).toBe(path);
});

test("any path comes back as it went out, one line each, where showing it raw forges lines", () => {
  const name = fc
    .oneof(
      fc.string({ unit: "binary", minLength: 1, maxLength: 8 }),
      fc.string({
        unit: fc.constantFrom(" ", '"', "\\", "\n", "\x1b", "~", ".", "a", "\u202e", "n"),
        minLength: 1,
      }),
    )
    .filter((text) => !/[/\0]/.test(text) && text !== "." && text !== "..");
  fc.assert(
    fc.property(fc.array(name, { minLength: 1, maxLength: 3 }), fc.boolean(), (names, isAbsolute) => {
      const path = (isAbsolute ? "/" : "") + names.join("/");
      const shown = shownPath(path);
      expect(shown).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u);
      expect(resolvePath("/ws", shown)).toBe(isAbsolute ? path : `/ws/${path}`);
    }),
  );
  expect("a\nb".split("\n")).toHaveLength(2); // the twin
});
