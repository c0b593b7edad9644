// The theme for a background that nobody knows, in the palettes that terminals begin with: every text is legible on dark and on light.

import { describe, expect, it } from "vitest";
import { type ColourDepth, colourDepth, createPainter, MARKS, type Mark, THEMES } from "./theme.ts";

interface Screen {
  readonly back: string;
  readonly fore: string;
  /** The 16 colours. */
  readonly colours: readonly string[];
}

const XTERM =
  "000000 cd0000 00cd00 cdcd00 0000ee cd00cd 00cdcd e5e5e5 7f7f7f ff0000 00ff00 ffff00 5c5cff ff00ff 00ffff ffffff";
const VGA =
  "000000 aa0000 00aa00 aa5500 0000aa aa00aa 00aaaa aaaaaa 555555 ff5555 55ff55 ffff55 5555ff ff55ff 55ffff ffffff";
const SOLARIZED =
  "073642 dc322f 859900 b58900 268bd2 d33682 2aa198 eee8d5 002b36 cb4b16 586e75 657b83 839496 6c71c4 93a1a1 fdf6e3";
const SCREENS: Readonly<Record<string, Screen>> = {
  "xterm, dark": { back: "000000", fore: "ffffff", colours: XTERM.split(" ") },
  "xterm, light": { back: "ffffff", fore: "000000", colours: XTERM.split(" ") },
  "VGA, dark": { back: "000000", fore: "aaaaaa", colours: VGA.split(" ") },
  "VGA, light": { back: "ffffff", fore: "000000", colours: VGA.split(" ") },
  "Solarized, dark": { back: "002b36", fore: "839496", colours: SOLARIZED.split(" ") },
  "Solarized, light": { back: "fdf6e3", fore: "657b83", colours: SOLARIZED.split(" ") },
};

/** Signs whose form says the same: ✓, ›. */
const SIGNS: readonly Mark[] = ["good", "accent"];
/** Red on black in the palette of the VGA; everything else has at least 3, which WCAG asks of large and bold text. */
const LEAST = 2.7;
/** The accent's on xterm's white. */
const LEAST_OF_SIGNS = 1.9;
/** Bold in the colour that many terminals make brighter for it: pink on white, in the VGA's palette. */
const LEAST_OF_BRIGHTENED = 2.5;

/** The colours that these sequences leave behind. */
function shownBy(sequences: string, screen: Screen, brightens: boolean): readonly [string, string] {
  let fore: number | undefined;
  let back: number | undefined;
  let isBold = false;
  let isInverse = false;
  for (const code of (sequences.match(/\d+/g) ?? []).map(Number)) {
    if (code === 1) isBold = true;
    if (code === 7) isInverse = true;
    if (code >= 30 && code < 38) fore = code - 30;
    if (code >= 90 && code < 98) fore = code - 82;
    if (code >= 40 && code < 48) back = code - 40;
    if (code >= 100 && code < 108) back = code - 92;
  }
  if (brightens && isBold && fore !== undefined && fore < 8) fore += 8;
  const shown = [
    fore === undefined ? screen.fore : (screen.colours[fore] ?? ""),
    back === undefined ? screen.back : (screen.colours[back] ?? ""),
  ] as const;
  return isInverse ? [shown[1], shown[0]] : shown;
}

function brightness(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** WCAG 2.2, 1 to 21. */
function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [brightness(one), brightness(other)].toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

const DEPTHS: readonly ColourDepth[] = [8, 16, 256];

describe.each(Object.keys(SCREENS))("in the palette of %s", (name) => {
  const screen = SCREENS[name] as Screen;
  it.each(DEPTHS)("every text of the theme terminal is legible with %d colours", (depth) => {
    const paint = createPainter(THEMES.terminal, depth);
    const faint = MARKS.flatMap((mark) => {
      const sequences = paint(mark);
      const plain = contrast(...shownBy(sequences, screen, false));
      const brightened = contrast(...shownBy(sequences, screen, true));
      const least = SIGNS.includes(mark) ? LEAST_OF_SIGNS : LEAST;
      const isLegible = plain >= least && (plain === brightened || brightened >= LEAST_OF_BRIGHTENED);
      return isLegible ? [] : [`${mark}: ${plain.toFixed(2)}, brightened ${brightened.toFixed(2)}`];
    });
    expect(faint).toEqual([]);
  });

  it("a person's line and a diff's have a band that differs from the background", () => {
    const paint = createPainter(THEMES.terminal, 8);
    for (const mark of ["person", "added", "removed"] as const) {
      const [, band] = shownBy(paint(mark), screen, false);
      expect(contrast(band, screen.back), mark).toBeGreaterThan(1.9);
    }
  });
});

it("the twin: green and yellow without a background of their own are faint on white, blue on black", () => {
  const light = SCREENS["xterm, light"] as Screen;
  const dark = SCREENS["VGA, dark"] as Screen;
  expect(contrast(...shownBy("\x1b[32m", light, false))).toBeLessThan(LEAST);
  expect(contrast(...shownBy("\x1b[33m", light, false))).toBeLessThan(LEAST);
  expect(contrast(...shownBy("\x1b[34m", dark, false))).toBeLessThan(LEAST);
});

it("a terminal of 8 colours gets none of the bright ones; one without colours gets nothing", () => {
  const inEight = MARKS.map(createPainter(THEMES.terminal, 8)).join("");
  expect(inEight).not.toMatch(/[[;](?:9\d|10\d)/);
  const bright = { dim: { fore: 15, back: 9 } };
  expect(createPainter(bright, 8)("dim")).toBe("\x1b[37;41m");
  expect(createPainter(bright, 16)("dim")).toBe("\x1b[97;101m"); // the twin
  expect(MARKS.map(createPainter(THEMES.terminal, 0)).join("")).toBe("");
});

it.each([
  ["linux", 8],
  ["screen", 8],
  ["vt220", 8],
  ["xterm-color", 8],
  ["screen-16color", 16],
  ["xterm", 16],
  ["xterm-16color", 16],
  ["tmux-256color", 256],
  ["screen.xterm-256color", 256],
] as const)("TERM=%s has %d colours", (TERM, depth) => {
  expect(colourDepth({ TERM })).toBe(depth);
  expect(colourDepth({ TERM, NO_COLOR: "1" })).toBe(0);
  expect(colourDepth({ TERM, COLORTERM: "truecolor" })).toBe(16777216);
});

it("of 256 colours, a tinted grey is a grey: the band of a person's line is dark on dark, and visible on white", () => {
  expect(createPainter(THEMES.dark, 256)("person")).toBe("\x1b[1;48;5;236m"); // #303030 for #2b303b
  expect(createPainter(THEMES.light, 256)("person")).toBe("\x1b[1;48;5;255m"); // #eeeeee for #e9edf2
  expect(createPainter({ dim: { fore: "#000000", back: "#ffffff" } }, 256)("dim")).toBe(
    "\x1b[38;5;16;48;5;231m",
  );
  expect(createPainter(THEMES.dark, 256)("added")).toBe("\x1b[38;5;150;48;5;22m"); // still green
});
