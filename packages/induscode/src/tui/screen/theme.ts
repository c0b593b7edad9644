// Colours by meaning. A theme assigns a colour to each meaning; how it is written depends on the terminal.

import type { ThemeName } from "../theme-names.ts";

/** What a piece of text can mean. */
export const MARKS = [
  "dim",
  "bold",
  "italic",
  "underline",
  "strike",
  "good",
  "bad",
  "warn",
  "accent",
  "heading",
  "code",
  "quote",
  "link",
  "person",
  "added",
  "removed",
  "addedWord",
  "removedWord",
  "keyword",
  "string",
  "number",
  "comment",
  "title",
  "type",
] as const;

export type Mark = (typeof MARKS)[number];

/** How many colours a terminal shows: none, the 8 or 16 of its own palette, 256, or all. */
export type ColourDepth = 0 | 8 | 16 | 256 | 16777216;

/** One of the terminal's own 16 colours by number, or red, green and blue as `#rrggbb`. */
export type Colour = number | `#${string}`;

export interface MarkColours {
  readonly fore?: Colour;
  readonly back?: Colour;
  readonly bold?: boolean;
  readonly dim?: boolean;
  readonly italic?: boolean;
  readonly underline?: boolean;
  readonly strike?: boolean;
  /** The two colours change places; without any, those of the terminal. */
  readonly inverse?: boolean;
}

export type Theme = Readonly<Partial<Record<Mark, MarkColours>>>;

const SHAPES: Theme = {
  dim: { dim: true },
  bold: { bold: true },
  italic: { italic: true },
  underline: { underline: true },
  strike: { strike: true },
};

/**
 * The terminal's own palette, for a background that nobody knows. Text has only those of its colours that are legible on white and on
 * black, or a background of its own: in the palettes of xterm, the VGA and Solarized (`contrast.test.ts`). Black is never bold: many
 * terminals show that as grey.
 */
const TERMINAL: Theme = {
  ...SHAPES,
  good: { fore: 2 },
  bad: { fore: 1 },
  warn: { fore: 5 },
  accent: { fore: 6 },
  heading: { fore: 5, bold: true },
  code: { fore: 5 },
  quote: { italic: true, dim: true },
  link: { underline: true },
  person: { inverse: true },
  added: { fore: 0, back: 2 },
  removed: { fore: 1, inverse: true },
  addedWord: { fore: 0, back: 2, underline: true },
  removedWord: { fore: 1, inverse: true, bold: true, underline: true },
  keyword: { fore: 5 },
  string: { fore: 1 },
  number: { fore: 1 },
  comment: { dim: true, italic: true },
  title: { bold: true },
  type: { fore: 5 },
};

const DARK: Theme = {
  ...TERMINAL,
  good: { fore: "#87c38a" },
  bad: { fore: "#f07178" },
  warn: { fore: "#e6b450" },
  accent: { fore: "#7fb4ca" },
  heading: { fore: "#7fb4ca", bold: true },
  code: { fore: "#95c7ae" },
  link: { fore: "#7aa2f7", underline: true },
  person: { bold: true, back: "#2b303b" },
  added: { fore: "#a6d189", back: "#14301c" },
  removed: { fore: "#f2a1a8", back: "#3a1a1f" },
  addedWord: { fore: "#d6f5c4", back: "#27592f", bold: true },
  removedWord: { fore: "#ffd7da", back: "#74303a", bold: true },
  keyword: { fore: "#c099ff" },
  string: { fore: "#a6d189" },
  number: { fore: "#e5a56b" },
  comment: { fore: "#7d8590", italic: true },
  title: { fore: "#7aa2f7" },
  type: { fore: "#7fd1c7" },
};

const LIGHT: Theme = {
  ...TERMINAL,
  good: { fore: "#1a7f37" },
  bad: { fore: "#b3261e" },
  warn: { fore: "#8a5a00" },
  accent: { fore: "#0b6177" },
  heading: { fore: "#0b6177", bold: true },
  code: { fore: "#1f5f4a" },
  link: { fore: "#0550ae", underline: true },
  person: { bold: true, back: "#e9edf2" },
  added: { fore: "#0f5323", back: "#dff5e3" },
  removed: { fore: "#82071e", back: "#ffe6e6" },
  addedWord: { fore: "#063813", back: "#a9e3b4", bold: true },
  removedWord: { fore: "#5f0515", back: "#ffbdbd", bold: true },
  keyword: { fore: "#7c3aad" },
  string: { fore: "#0a6640" },
  number: { fore: "#9a4a00" },
  comment: { fore: "#5f6b76", italic: true },
  title: { fore: "#0550ae" },
  type: { fore: "#0f6b6b" },
};

const HIGH_CONTRAST: Theme = {
  ...TERMINAL,
  dim: {},
  good: { fore: 10, bold: true },
  bad: { fore: 9, bold: true },
  warn: { fore: 11, bold: true },
  accent: { fore: 14, bold: true },
  heading: { bold: true, underline: true },
  code: { fore: 14 },
  quote: { italic: true },
  link: { fore: 12, underline: true, bold: true },
  added: { fore: 10 },
  removed: { fore: 9 },
  addedWord: { fore: 0, back: 10, bold: true },
  removedWord: { fore: 15, back: 1, bold: true },
  comment: { italic: true },
};

/** Blue and orange instead of green and red (the Okabe-Ito palette). */
const COLOUR_BLIND: Theme = {
  ...TERMINAL,
  good: { fore: "#0072b2" },
  bad: { fore: "#d55e00" },
  warn: { fore: "#e69f00" },
  added: { fore: "#56b4e9" },
  removed: { fore: "#e69f00" },
  addedWord: { fore: "#000000", back: "#56b4e9", bold: true },
  removedWord: { fore: "#000000", back: "#e69f00", bold: true },
  string: { fore: "#56b4e9" },
  keyword: { fore: "#cc79a7" },
  number: { fore: "#e69f00" },
};

export const THEMES = {
  terminal: TERMINAL,
  dark: DARK,
  light: LIGHT,
  "high-contrast": HIGH_CONTRAST,
  "colour-blind": COLOUR_BLIND,
} as const satisfies Readonly<Record<ThemeName, Theme>>;

/** The sequence that begins each mark; empty if the terminal shows no colours. */
export type Painter = (mark: Mark) => string;

/** Writes the colours of `theme` for a terminal of this depth. */
export function createPainter(theme: Theme, depth: ColourDepth): Painter {
  if (depth === 0) return () => "";
  const made = new Map<Mark, string>();
  return (mark) => {
    const known = made.get(mark);
    if (known !== undefined) return known;
    const sequence = sequenceOf(theme[mark] ?? {}, depth);
    made.set(mark, sequence);
    return sequence;
  };
}

function sequenceOf(colours: MarkColours, depth: ColourDepth): string {
  const { fore, back, bold, dim, italic, underline, strike, inverse } = colours;
  const codes = [
    ...(bold ? ["1"] : []),
    ...(dim ? ["2"] : []),
    ...(italic ? ["3"] : []),
    ...(underline ? ["4"] : []),
    ...(inverse ? ["7"] : []),
    ...(strike ? ["9"] : []),
    ...(fore === undefined ? [] : [colourCode(fore, 30, depth)]),
    ...(back === undefined ? [] : [colourCode(back, 40, depth)]),
  ];
  return codes.length === 0 ? "" : `\x1b[${codes.join(";")}m`;
}

function colourCode(colour: Colour, base: 30 | 40, depth: ColourDepth): string {
  if (typeof colour === "number") return paletteCode(colour, base, depth);
  const [red, green, blue] = rgb(colour);
  if (depth > 256) return `${base + 8};2;${red};${green};${blue}`;
  if (depth === 256) return `${base + 8};5;${nearest256(red, green, blue)}`;
  return paletteCode(nearest16(red, green, blue), base, depth);
}

/** Of 8 colours, the one that a bright one is the brighter form of. */
function paletteCode(colour: number, base: 30 | 40, depth: ColourDepth): string {
  return String(depth === 8 || colour < 8 ? base + (colour % 8) : base + 52 + colour);
}

function rgb(colour: string): readonly [number, number, number] {
  const value = Number.parseInt(colour.slice(1), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

/** How far apart the parts of a colour can be that passes for a grey: of those there are 24, between black and white. */
const GREY_SPREAD = 20;

function nearest256(red: number, green: number, blue: number): number {
  if (Math.max(red, green, blue) - Math.min(red, green, blue) > GREY_SPREAD)
    return 16 + 36 * step(red) + 6 * step(green) + step(blue);
  const grey = Math.round(((red + green + blue) / 3 - 8) / 10);
  return grey < 0 ? 16 : grey > 23 ? 231 : 232 + grey;
}

// The 6 x 6 x 6 cube of xterm: 0, 95, 135, 175, 215, 255.
function step(part: number): number {
  return part < 48 ? 0 : part < 115 ? 1 : Math.min(5, Math.floor((part - 35) / 40));
}

function nearest16(red: number, green: number, blue: number): number {
  const bright = Math.max(red, green, blue);
  const bit = (part: number): number => (part > bright * 0.6 ? 1 : 0);
  const hue = bit(red) + 2 * bit(green) + 4 * bit(blue);
  return bright < 64 ? 0 : bright > 200 && hue !== 7 ? hue + 8 : hue;
}

/** Terminals whose descriptions (terminfo) name 8 colours. */
const EIGHT = /^(?:ansi|cygwin|linux|rxvt|screen|tmux|vt\d+|xterm-color)(?:$|[.-](?!16color))/;

/** From what the terminal reports about itself, and what the person chose about colours (no-color.org). */
export function colourDepth(env: NodeJS.ProcessEnv): ColourDepth {
  if (env.NO_COLOR || env.TERM === "dumb") return 0;
  if (/^(?:truecolor|24bit)$/i.test(env.COLORTERM ?? "")) return 16777216;
  const { TERM = "" } = env;
  if (/(?:direct|kitty|ghostty|alacritty)/.test(TERM)) return 16777216;
  if (TERM.includes("256color")) return 256;
  return EIGHT.test(TERM) ? 8 : 16;
}
