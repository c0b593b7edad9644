import { expect, test } from "vitest";
import { growthOf } from "../../../../../tests/support/effort.ts";
import { parseIgnoreRules, ruleVerdict } from "./ignore-rules.ts";

/** What an ignore file at the top says about a path; a path that ends with a slash is a folder. */
function verdict(rules: string, path: string): "ignored" | "kept" | undefined {
  const isDirectory = path.endsWith("/");
  const folders = (isDirectory ? path.slice(0, -1) : path).split("/");
  const name = folders.pop() ?? "";
  return ruleVerdict(parseIgnoreRules(rules).rules, { name, isDirectory, folders, depth: 0 });
}

function ignored(rules: string, paths: readonly string[]): readonly string[] {
  return paths.filter((path) => verdict(rules, path) === "ignored");
}

// Each row: an ignore file, paths, and which of them git ignores (git 2.39, `git check-ignore`).
const ROWS: readonly (readonly [string, string, string])[] = [
  ["a", "a b/a ab a/b", "a b/a"],
  ["/a", "a b/a", "a"],
  ["a/b", "a/b c/a/b", "a/b"],
  ["d/", "d d/ e/d/", "d/ e/d/"],
  ["a*", "a ab b/ac ba", "a ab b/ac"],
  ["*.log\n!keep.log", "x.log keep.log d/x.log", "x.log d/x.log"],
  ["a\n!a", "a", ""],
  ["!a\na", "a", "a"],
  ["**/a", "a b/a b/c/a", "a b/a b/c/a"],
  ["a/**", "a/ a/x a/y/z b/a/x", "a/x a/y/z"],
  ["a/**/b", "a/b a/x/b a/x/y/b b", "a/b a/x/b a/x/y/b"],
  ["**/", "a b/", "b/"],
  ["/d/**/", "d/ d/x d/e/", "d/e/"],
  ["/*\n!/b", "a b c/", "a c/"],
  ["*/b", "a/b b c/d/b", "a/b"],
  ["a**b", "ab axxb ax/b", "ab axxb"],
  ["***/a", "a b/a", "a b/a"],
  ["a//b", "a/b", ""],
  ["?b", "ab b xab éb", "ab éb"],
  ["[ab]x", "ax bx cx", "ax bx"],
  ["[!a]x", "ax bx", "bx"],
  ["[^a]x", "ax bx", "bx"],
  ["[a-c]x", "ax bx dx -x", "ax bx"],
  ["[a-]x", "ax -x bx", "ax -x"],
  ["[z-a]x", "ax mx zx", "zx"],
  ["[]]x", "]x x", "]x"],
  ["[\\]]x", "]x \\x", "]x"],
  ["[[:digit:]x]y", "1y xy zy", "1y xy"],
  ["[[:nonsense:]]x", "ax", ""],
  ["[ab", "[ab a", ""],
  ["b[/]c", "b/c", ""],
  ["[a/b]x", "ax bx d/ax", "ax bx"],
  ["a\\/b", "a/b c/a/b", "a/b"],
  ["{a,b}", "a b {a,b}", "{a,b}"],
  ["\\*", "* a", "*"],
  ["\\a", "a", "a"],
  ["a\\", "a a\\", ""],
  ["\\#a", "#a a", "#a"],
  ["\\!a", "!a a", "!a"],
  ["#a", "#a a", ""],
  ["!", "! a", ""],
  ["/", "a", ""],
  ["\r\na\r\n", "a", "a"],
  ["\ufeffa", "a", "a"],
  ["A", "a A", "A"],
];

test("an ignore file ignores what git says it does", () => {
  const wrong = ROWS.filter(
    ([rules, paths, expected]) => ignored(rules, paths.split(" ")).join(" ") !== expected,
  );
  expect(wrong).toEqual([]);
});

test("spaces at the end of a rule count when a backslash holds them", () => {
  expect(ignored("a  ", ["a", "a "])).toEqual(["a"]);
  expect(ignored("a\\ ", ["a", "a "])).toEqual(["a "]);
  expect(ignored("a\\\\ ", ["a\\", "a\\ "])).toEqual(["a\\"]);
  expect(ignored("a\t", ["a", "a\t"])).toEqual(["a\t"]);
});

test("rules that ripgrep reads in another way are told apart", () => {
  const plain = "# note\n\n/dist/\n*.py[cod]\n!.env.example\n**/logs/**\n[._]*.s[a-v][a-z]\n\\#a#\nbuild ";
  expect(parseIgnoreRules(plain).isPlain).toBe(true);
  const odd = [
    "{a,b}",
    "a***",
    "a**b",
    "[ab",
    "[[:alpha:]]",
    "[z-a]",
    "[\\]]",
    "a\\",
    "a\\ ",
    "a\t",
    "b[/]c",
    "[é]",
  ];
  expect(odd.filter((rule) => parseIgnoreRules(`a\n${rule}`).isPlain)).toEqual([]);
});

test("rules of many stars cost nothing, where the same as regular expressions take for ever", () => {
  const folders = `${"**/a/".repeat(12)}b`;
  const stars = `${"*a".repeat(100)}b`;
  const path = `${"a/".repeat(400)}c`;
  expect([verdict(folders, path), verdict(stars, "a".repeat(250))]).toEqual([undefined, undefined]);
  const short = `${"a/".repeat(100)}c`;
  expect(growthOf([1, 2, 4], (count) => verdict(`${"**/a/".repeat(count)}b`, short))).toBe("even");
  // The twin: each additional `**/` multiplies the work by tens.
  const naive = (count: number): boolean => new RegExp(`^${"(?:.*/)?a/".repeat(count)}b$`).test(short);
  expect(growthOf([1, 2, 4], naive)).toBe("steep");
});
