import { expect, test } from "vitest";
import { type FrontFacts, wantsRich } from "./front.ts";

const on = (facts: Partial<FrontFacts>): boolean =>
  wantsRich({
    flags: { rich: true },
    settings: {},
    env: { TERM: "xterm-256color" },
    isTerminal: true,
    cwd: "/",
    home: "/",
    mask: (text) => text,
    ...facts,
  });

test("the rich console is for a terminal that can show it, and for whom wants it", () => {
  expect(on({})).toBe(true);
  expect(on({ flags: {}, settings: { console: "rich" } })).toBe(true);
  expect(on({ flags: {} })).toBe(false);
});

test.each<[string, Partial<FrontFacts>]>([
  ["a pipe", { isTerminal: false }],
  ["a dumb terminal", { env: { TERM: "dumb" } }],
  ["a terminal without a name", { env: {} }],
  ["--plain, whatever the settings say", { flags: { plain: true }, settings: { console: "rich" } }],
  ["--plain beside --rich", { flags: { plain: true, rich: true } }],
])("%s gets the plain one", (_, facts) => expect(on(facts)).toBe(false));
