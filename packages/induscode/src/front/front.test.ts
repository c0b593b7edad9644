import { expect, test } from "vitest";
import { wantsRich } from "./front.ts";

type Facts = Partial<Parameters<typeof wantsRich>[0]>;

const on = (facts: Facts): boolean =>
  wantsRich({
    flags: {},
    settings: {},
    env: { TERM: "xterm-256color" },
    isTerminal: true,
    ...facts,
  });

test("a terminal that can show it gets the rich console, whatever else is not said", () => {
  expect(on({})).toBe(true);
  expect(on({ settings: { console: "rich" } })).toBe(true);
  expect(on({ flags: { rich: true }, settings: { console: "plain" } })).toBe(true);
  expect(on({ settings: { console: "rich" }, env: { TERM: "xterm", ACCESSIBLE: "1" } })).toBe(true);
});

test.each<[string, Facts]>([
  ["a pipe", { isTerminal: false }],
  ["a dumb terminal", { env: { TERM: "dumb" } }],
  ["a terminal without a name", { env: {} }],
  ["a terminal with an empty name", { env: { TERM: "" } }],
  ["the setting for lines", { settings: { console: "plain" } }],
  ["a person whose programs are to be read aloud", { env: { TERM: "xterm", ACCESSIBLE: "1" } }],
  ["--plain, whatever the settings say", { flags: { plain: true }, settings: { console: "rich" } }],
  ["--plain beside --rich", { flags: { plain: true, rich: true } }],
])("%s gets the plain one", (_, facts) => expect(on(facts)).toBe(false));
