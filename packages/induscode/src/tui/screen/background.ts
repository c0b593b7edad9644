// Whether the terminal's background is dark or light: what the terminal answers when it is asked, or what COLORFGBG says.

export type Background = "dark" | "light";

/** Asks for the background's colour; most terminals answer with one of their own sequences, some never. */
export const ASK_BACKGROUND = "\x1b]11;?\x1b\\";

const BEGIN = "\x1b]11;";
const COLOUR =
  /^(?:rgba?:([0-9a-f]{1,4})\/([0-9a-f]{1,4})\/([0-9a-f]{1,4})|#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2}))/i;
/** Longer than any colour. */
const MAX_COLOUR = 40;

/** Whether `text`, which begins with Esc, may be the beginning of an answer. */
export function beginsAnswer(text: string): boolean {
  if (text.length <= BEGIN.length) return BEGIN.startsWith(text);
  const colour = text.slice(BEGIN.length).replace(/\x1b$/, "");
  return text.startsWith(BEGIN) && colour.length <= MAX_COLOUR && /^[rgba:#0-9a-f/]*$/i.test(colour);
}

/** The colour in an answer as `#rrggbb`; undefined where it is another answer. */
export function answeredColour(sequence: string): string | undefined {
  const found = sequence.startsWith(BEGIN) ? COLOUR.exec(sequence.slice(BEGIN.length)) : null;
  if (!found) return undefined;
  const parts = found.slice(1).filter((part) => part !== undefined);
  return `#${parts.map(eightBits).join("")}`;
}

/** One to four hexadecimal digits are a share of the most that so many can say. */
function eightBits(part: string): string {
  const share = Number.parseInt(part, 16) / (16 ** part.length - 1);
  return Math.round(share * 255)
    .toString(16)
    .padStart(2, "0");
}

/** By how bright it looks. */
export function backgroundOf(colour: string): Background {
  const value = Number.parseInt(colour.slice(1), 16);
  const [red, green, blue] = [(value >> 16) & 255, (value >> 8) & 255, value & 255];
  return 0.299 * red + 0.587 * green + 0.114 * blue > 127 ? "light" : "dark";
}

/** COLORFGBG is `15;0`, or `15;default;0`: the last is the background, one of 16 colours. */
export function backgroundIn(env: NodeJS.ProcessEnv): Background | undefined {
  const number = /^\d{1,2}(?:;[a-z]{1,9})?;(\d{1,2})$/.exec(env.COLORFGBG ?? "")?.[1];
  if (number === undefined || Number(number) > 15) return undefined;
  return number === "7" || Number(number) > 8 ? "light" : "dark";
}
