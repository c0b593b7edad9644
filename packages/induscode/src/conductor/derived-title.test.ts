import { expect, it } from "vitest";
import { derivedTitle } from "./derived-title.ts";

it.each([
  ["Mend the parser.", "Mend the parser."],
  ["\n\n## **Fix** the `money` format\nmore", "Fix the money format"],
  ["- [ ] first of *three* things", "first of three things"],
  ["> 1. what they ~~said~~ wrote", "what they said wrote"],
  ["see [the issue](https://example.com/a/b/c) again", "see the issue again"],
  ["look at /home/me/shop/src/money.js and ~/notes.md", "look at money.js and notes.md"],
  ["compare src/money.js with @packages/shop/src/old/money.js", "compare src/money.js with money.js"],
  ["why is https://example.com/a/b/issues/7 open", "why is example.com/…/7 open"],
  ["__init__.py and *.ts and *.js and snake_case_name", "__init__.py and *.ts and *.js and snake_case_name"],
  ["```ts\nconst a = 1;", "const a = 1;"],
  ["/review src", "/review src"],
  ["?!", ""],
  ["日本語".repeat(30), `${"日本語".repeat(30).slice(0, 49)}…`],
])("%j is called %j", (said, title) => {
  expect(derivedTitle(said)).toBe(title);
});

it("is cut at the end of a word, at 50 characters at most", () => {
  const title = derivedTitle("please find out, when you can, why the connection pool, after a while, leaks");
  expect(title).toBe("please find out, when you can, why the connection…");
  expect(title.length).toBeLessThanOrEqual(50);
});

it("never cuts a character into halves", () => {
  expect(derivedTitle("🙂".repeat(200))).toBe(""); // no word
  expect(derivedTitle(`a${"🙂".repeat(200)}`)).toBe(`a${"🙂".repeat(48)}…`);
});
