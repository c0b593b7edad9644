// Whether the terminal's background is dark or light: from the terminal's answer to a query, or from COLORFGBG.

export type Background = "dark" | "light";

/** Queries the background colour; most terminals answer with the same kind of sequence, some never do. */
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

/** The colour in an answer as `#rrggbb`; undefined if it answers something else. */
export function answeredColour(sequence: string): string | undefined {
  const found = sequence.startsWith(BEGIN) ? COLOUR.exec(sequence.slice(BEGIN.length)) : null;
  if (!found) return undefined;
  const parts = found.slice(1).filter((part) => part !== undefined);
  return `#${parts.map(eightBits).join("")}`;
}

/** One to four hexadecimal digits, as a fraction of the largest value with that many digits. */
function eightBits(part: string): string {
  const share = Number.parseInt(part, 16) / (16 ** part.length - 1);
  return Math.round(share * 255)
    .toString(16)
    .padStart(2, "0");
}

/** By perceived brightness. */
export function backgroundOf(colour: string): Background {
  const value = Number.parseInt(colour.slice(1), 16);
  const [red, green, blue] = [(value >> 16) & 255, (value >> 8) & 255, value & 255];
  return 0.299 * red + 0.587 * green + 0.114 * blue > 127 ? "light" : "dark";
}

/** COLORFGBG is `15;0` or `15;default;0`: the last number is the background, one of 16 colours. */
export function backgroundIn(env: NodeJS.ProcessEnv): Background | undefined {
  const number = /^\d{1,2}(?:;[a-z]{1,9})?;(\d{1,2})$/.exec(env.COLORFGBG ?? "")?.[1];
  if (number === undefined || Number(number) > 15) return undefined;
  return number === "7" || Number(number) > 8 ? "light" : "dark";
}
