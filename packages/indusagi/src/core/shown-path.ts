// How a path is shown in a list, one path a line, and what a path means that comes back from there.

// Controls and line separators, what reorders text, what is invisible or passes for a blank, half characters.
const UNSAFE =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u00a0\u1680\u2000-\u200a\u202f\u205f]/u;
const UNSAFE_EACH = new RegExp(UNSAFE, "gu");

/**
 * `path` on one line, as `resolvePath` takes it back. A name is a JSON string when it holds something that is not seen
 * or acts (a line feed, ESC, a character that reorders text), when it begins or ends with a blank, and when it begins
 * with a quotation mark, so that what stands in quotes is never the name itself.
 */
export function shownPath(path: string): string {
  const isOfHome = path === "~" || path.startsWith("~/");
  return (isOfHome ? "./" : "") + (needsQuotes(path) ? path.split("/").map(shownName).join("/") : path);
}

/** The path that a text means: names in quotes, and a path in quotes as a whole, are read as JSON strings. */
export function pathOfShown(text: string): string {
  if (!text.includes('"')) return text;
  return (
    unquoted(text) ??
    text
      .split("/")
      .map((name) => unquoted(name) ?? name)
      .join("/")
  );
}

function shownName(name: string): string {
  return needsQuotes(name) ? JSON.stringify(name).replaceAll(UNSAFE_EACH, escaped) : name;
}

function escaped(char: string): string {
  const units = char.split("");
  return units.map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`).join("");
}

function needsQuotes(path: string): boolean {
  return UNSAFE.test(path) || /(?:^|\/)[ "]| (?:\/|$)/.test(path);
}

/** Undefined for what is not a JSON string, or one that would not be shown in quotes: `"a"` is a name of three letters. */
function unquoted(text: string): string | undefined {
  if (text.length < 2 || !text.startsWith('"') || !text.endsWith('"')) return undefined;
  try {
    const name: unknown = JSON.parse(text);
    return typeof name === "string" && needsQuotes(name) ? name : undefined;
  } catch {
    return undefined;
  }
}
