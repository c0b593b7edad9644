import { expect, it } from "vitest";
import { shortPaths } from "./short-paths.ts";

const short = shortPaths({ cwd: "/home/ann/shop", home: "/home/ann/.indus", personHome: "/home/ann" });

it.each([
  ["/home/ann/shop/.indus/commands/a.md is not used", ".indus/commands/a.md is not used"],
  ["fix it (/home/ann/shop/a.md): now", "fix it (a.md): now"],
  ['"/home/ann/shop/a b.md" is not used', '"a b.md" is not used'],
  ["/home/ann/.indus/settings.json: line 3", "~/.indus/settings.json: line 3"],
  ["/home/ann/.claude/a and /home/ann/shop/b", "~/.claude/a and b"],
  ["it is /home/ann/shop, or /home/ann", "it is ~/shop, or ~"],
])("a path is relative to the working directory, or from the home: %s", (text, shown) => {
  expect(short(text)).toBe(shown);
});

it.each([
  ["/home/anna/a and /home/ann.txt", "of another person, and a longer name"],
  ["/mnt/home/ann/a", "the end of another path"],
  ["file:///home/ann/a", "an address"],
  ['the rule "Read(/home/ann/a)"', "a rule, which is looked for as it was written"],
  ["cd '/home/ann/my files'", "in quotes a shell reads no ~"],
])("and anything else stays: %s (%s)", (text) => {
  expect(short(text)).toBe(text);
});

it("a home that is the working directory is still the home for the product's own files", () => {
  const places = { cwd: "/home/ann", home: "/home/ann/.indus", personHome: "/home/ann" };
  expect(shortPaths(places)("/home/ann/.indus/settings.json and /home/ann/a")).toBe(
    "~/.indus/settings.json and a",
  );
  expect(shortPaths({ ...places, cwd: "/" })("/etc/x")).toBe("/etc/x");
});
