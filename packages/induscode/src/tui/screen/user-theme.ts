// A person's own theme: colours for meanings, on top of a built-in theme. Unusable parts are reported with their line,
// and the rest applies.

import { brief, isTable, nearest } from "indusagi/core";
import { placeAt } from "../../store/text-error.ts";
import { THEME_NAMES } from "../theme-names.ts";
import { type Colour, MARKS, type Mark, type MarkColours, THEMES, type Theme } from "./theme.ts";

interface UserTheme {
  readonly theme: Theme;
  /** One line each. */
  readonly problems: readonly string[];
}

/** Further mistakes are counted but not listed. */
const MOST_PROBLEMS = 10;
const FLAGS = ["bold", "dim", "italic", "underline", "strike", "inverse"] as const;
const PARTS = ["fore", "back", ...FLAGS];

/** Reads `{ "base": "dark", "accent": "#7fb4ca", "added": { "fore": 2, "back": "#14301c", "bold": true } }`; `text` is the file that it was read from. */
export function readUserTheme(value: unknown, text = ""): UserTheme {
  const problems: string[] = [];
  const lineOf = keyLines(text);
  const report = (name: string, problem: string): void =>
    void problems.push(
      `${problems.length < MOST_PROBLEMS ? lineOf(name) : ""}"${brief(name, 40)}" ${problem}`,
    );
  if (!isTable(value))
    return {
      theme: THEMES.terminal,
      problems: ["expected an object of colours; the terminal's own colours apply"],
    };
  const { base = "terminal", ...named } = value;
  const found = THEME_NAMES.find((name) => name === base);
  if (found === undefined)
    report("base", `must be one of ${THEME_NAMES.join(", ")}; the terminal's own colours apply`);
  const theme: Partial<Record<Mark, MarkColours>> = { ...THEMES[found ?? "terminal"] };
  for (const [name, given] of Object.entries(named)) {
    const mark = MARKS.find((each) => each === name);
    if (mark === undefined) {
      const near = nearest(name, MARKS);
      const hint = near === undefined ? `; known are ${MARKS.join(", ")}` : `; did you mean "${near}"?`;
      report(name, `is not a colour of a theme${hint}`);
      continue;
    }
    const colours = coloursOf(given);
    if (typeof colours === "string") report(name, colours);
    else theme[mark] = colours;
  }
  const more = problems.length - MOST_PROBLEMS;
  return { theme, problems: more > 0 ? [...problems.slice(0, MOST_PROBLEMS), `and ${more} more`] : problems };
}

const EXPECTED =
  'must be "#rrggbb", a number from 0 to 15, or an object with "fore", "back", "bold" and the like';

function coloursOf(given: unknown): MarkColours | string {
  if (isColour(given)) return { fore: given };
  if (!isTable(given)) return EXPECTED;
  const colours: { -readonly [Key in keyof MarkColours]: MarkColours[Key] } = {};
  for (const [name, value] of Object.entries(given)) {
    const flag = FLAGS.find((each) => each === name);
    if ((name === "fore" || name === "back") && isColour(value)) colours[name] = value;
    else if (flag !== undefined && typeof value === "boolean") colours[flag] = value;
    else {
      const near = nearest(name, PARTS);
      return `${EXPECTED}${near === undefined || near === name ? "" : `; did you mean "${near}" by "${brief(name, 40)}"?`}`;
    }
  }
  return colours;
}

/** `line 3: ` for a key of the outermost object; empty if it is not found as written. */
function keyLines(text: string): (name: string) => string {
  // Keys of nested objects do not count; they are blanked out at the same length.
  const begin = text.indexOf("{") + 1;
  const outer = text.slice(begin).replace(/\{[^{}]*\}/g, (inner) => " ".repeat(inner.length));
  return (name) => {
    const quoted = JSON.stringify(name);
    for (let at = outer.indexOf(quoted); at >= 0; at = outer.indexOf(quoted, at + 1))
      if (
        outer
          .slice(at + quoted.length)
          .trimStart()
          .startsWith(":")
      )
        return `line ${placeAt(text, begin + at).line}: `;
    return "";
  };
}

function isColour(value: unknown): value is Colour {
  if (typeof value === "string") return /^#[0-9a-f]{6}$/i.test(value);
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 15;
}
