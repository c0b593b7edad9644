import { describe, expect, it } from "vitest";
import * as fc from "../../../../../tests/support/fast-check.ts";
import { linkTarget, paint } from "../screen/spans.ts";
import { createMarkdown } from "../transcript/markdown.ts";
import { notifySequence, titleSequence } from "./notify.ts";

const ESCAPES = [
  "\x1b]0;owned\x07",
  "\x07\x1b]52;c;aGk=\x07",
  "\x1b\\\x1b[2J",
  "\u009d0;owned\u009c",
  "a\nb\rc\x00d\x7f",
  "\u202eevil\u2066",
  "4;1;50",
  "777;notify;x;y",
  ";;;",
];
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

/** The part between the beginning and the end of a sequence. */
const inside = (sequence: string, head: string, tail: string): string => {
  expect(sequence.startsWith(head) && sequence.endsWith(tail)).toBe(true);
  return sequence.slice(head.length, sequence.length - tail.length);
};

describe("titles and notifications hold nothing that a terminal acts on", () => {
  const check = (text: string): void => {
    expect(inside(titleSequence(text), "\x1b]2;", "\x07")).not.toMatch(CONTROLS);
    const nine = inside(notifySequence(text, { TERM: "xterm" }), "\x1b]9;", "\x07\x07");
    expect(nine).not.toMatch(CONTROLS);
    expect(nine).not.toMatch(/^\d/); // "4;" would be a progress bar
    const more = inside(notifySequence(text, { TERM: "foot" }), "\x1b]777;notify;indus;", "\x07\x07");
    expect(more).not.toMatch(CONTROLS);
    expect(more).not.toContain(";");
  };
  it.each(ESCAPES)("%j", check);
  it("any random text", () => {
    fc.assert(fc.property(fc.string({ unit: "binary" }), check));
  });
  it("the twin: put in as it is, the title would end early and the rest be acted on", () => {
    expect(`\x1b]2;${ESCAPES[1]}\x07`).toMatch(/^\x1b\]2;\x07\x1b\]52;/);
  });
});

describe("links of answers", () => {
  const painted = (text: string): string => {
    const stream = createMarkdown(100);
    return [...stream.write(text), ...stream.end()].map((line) => paint(line, () => "")).join("\n");
  };
  const shown = (text: string): string => painted(text).replace(/\x1b\]8;;[^\x1b]*\x1b\\/g, "");

  it.each([
    ["[the page](https://example.com/a)", "the page"],
    ["[example.com/a](https://example.com/a/)", "example.com/a"],
    ["[https://bank.example](https://evil.test)", "https://bank.example (https://evil.test)"],
    ["[bank.example](https://evil.test)", "bank.example (https://evil.test)"],
    ["[open](file:///tmp/run.desktop)", "open (file:///tmp/run.desktop)"],
    ["[open](javascript:alert(1)", "open (javascript:alert(1)"],
    ["[bank.example](https://bank.example@evil.test)", "bank.example (https://bank.example@evil.test)"],
  ])("%s reads %s", (text, expected) => {
    expect(shown(text)).toBe(expected);
  });

  it.each([
    ["file:///etc/passwd", undefined],
    ["javascript:alert(1)", undefined],
    ["https://a.test/\x1b]0;x\x07", undefined],
    ["https://a.test/\u202e", undefined],
    ["https://a.test/ b", undefined],
    ["https://a.test/b", "https://a.test/b"],
    ["mailto:a@b.test", "mailto:a@b.test"],
  ])("%j leads to %s", (address, target) => {
    expect(linkTarget(address)).toBe(target);
  });

  it("no address closes its own sequence", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const rest = painted(`[a](https://x.test/${text})`).replace(/\x1b\]8;;[\x21-\x7e]*\x1b\\/g, "");
        expect(rest.replaceAll("\n", "")).not.toMatch(CONTROLS);
      }),
    );
  });
});
