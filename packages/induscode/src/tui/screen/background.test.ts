import { expect, test } from "vitest";
import { answeredColour, backgroundIn, backgroundOf, beginsAnswer } from "./background.ts";

test.each([
  ["\x1b]11;rgb:ffff/ffff/ffff\x1b\\", "#ffffff", "light"],
  ["\x1b]11;rgb:1e1e/1e1e/2e2e\x07", "#1e1e2e", "dark"],
  ["\x1b]11;rgba:0000/2b2b/3636/ffff\x07", "#002b36", "dark"],
  ["\x1b]11;rgb:f/f/8\x07", "#ffff88", "light"],
  ["\x1b]11;#FDF6E3\x07", "#fdf6e3", "light"],
])("an answer says the colour: %j is %s, which is %s", (sequence, colour, background) => {
  expect(answeredColour(sequence)?.toLowerCase()).toBe(colour);
  expect(backgroundOf(colour)).toBe(background);
  for (let length = 1; length < sequence.length - 1; length++)
    expect(beginsAnswer(sequence.slice(0, length)), `the first ${length}`).toBe(true);
});

test.each(["\x1b]10;rgb:ffff/ffff/ffff\x07", "\x1b]11;?\x07", "\x1b]11;rgb:zz/00/00\x07", "\x1b[?1u", ""])(
  "%j says nothing of the background",
  (sequence) => {
    expect(answeredColour(sequence)).toBeUndefined();
  },
);

test.each([`\x1b]11;${"f".repeat(41)}`, "\x1b]11;x", "\x1b]12", "\x1b[", "a"])(
  "%j begins no answer",
  (text) => {
    expect(beginsAnswer(text)).toBe(false);
  },
);

test.each([
  ["15;0", "dark"],
  ["0;15", "light"],
  ["0;7", "light"],
  ["7;8", "dark"],
  ["15;default;0", "dark"],
  ["15;default", undefined],
  ["0;99", undefined],
  ["", undefined],
  [undefined, undefined],
])("COLORFGBG %j says %s", (COLORFGBG, background) => {
  expect(backgroundIn({ COLORFGBG })).toBe(background);
});
