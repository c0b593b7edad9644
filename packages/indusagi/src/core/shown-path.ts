// How a path is shown in a list, one path per line, and how to read such a path back.

// Controls and line separators, characters that reorder text, are invisible or look like a space, and lone surrogates. Made
// when it is first asked for: such a class takes V8 half a millisecond.
let unsafePattern: RegExp | undefined;
const unsafe = (): RegExp =>
  (unsafePattern ??=
    /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u00a0\u1680\u2000-\u200a\u202f\u205f]/gu);

/**
 * `path` on one line, in a form that `resolvePath` accepts. A name is quoted as a JSON string if it contains a character that
 * is invisible or has an effect (a line feed, ESC, a character that reorders text), starts or ends with a space, or starts with
 * a quotation mark, so that a quoted name is never literal.
 */
export function shownPath(path: string): string {
  const isOfHome = path === "~" || path.startsWith("~/");
  return (isOfHome ? "./" : "") + (needsQuotes(path) ? path.split("/").map(shownName).join("/") : path);
}

/** The path that a text means: quoted names, and a path quoted as a whole, are read as JSON strings. */
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
  return needsQuotes(name) ? JSON.stringify(name).replaceAll(unsafe(), escaped) : name;
}

function escaped(char: string): string {
  const units = char.split("");
  return units.map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`).join("");
}

function needsQuotes(path: string): boolean {
  return path.search(unsafe()) >= 0 || /(?:^|\/)[ "]| (?:\/|$)/.test(path);
}

/** Undefined if the text is not a JSON string, or is one that would not be shown in quotes: `"a"` is a name of three characters. */
function unquoted(text: string): string | undefined {
  if (text.length < 2 || !text.startsWith('"') || !text.endsWith('"')) return undefined;
  try {
    const name: unknown = JSON.parse(text);
    return typeof name === "string" && needsQuotes(name) ? name : undefined;
  } catch {
    return undefined;
  }
}
