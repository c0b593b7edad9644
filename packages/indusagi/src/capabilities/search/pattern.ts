// What a search pattern can contain. The dialect is ripgrep's linear-time one: no look-around
// and no backreferences, because both let a pattern take exponential time.

/** An invalid pattern. Its message is the whole answer to the model. */
export class PatternError extends Error {
  override readonly name = "PatternError";
  /** True if the same text could be searched for literally. */
  readonly isSyntax: boolean;

  constructor(reason: string, { isSyntax = false }: { readonly isSyntax?: boolean } = {}) {
    super(`Could not compile the search pattern: ${reason}`);
    this.isSyntax = isSyntax;
  }
}

/** A pattern that matches `text` literally. */
export function escapePattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

export interface SearchPattern {
  readonly source: string;
  readonly ignoreCase: boolean;
  /** The text that the pattern matches, if it has no operators: then no regular expression is needed. */
  readonly literal: string | undefined;
  /**
   * It is short, and consists of plain characters, classes such as `[a-z_]` and `|`, or it is a literal. So a match is as long as
   * the pattern says: matching takes time in proportion to the text, and JavaScript reads it as ripgrep does.
   */
  readonly isBounded: boolean;
}

const KNOWN_FLAGS = "gimsuy";

/**
 * Checks a model's pattern and flags. `i` is used; `g`, `u`, `y` have no meaning in a search of lines, nor do `m` and `s`,
 * since a line contains no line break. Throws {@link PatternError}.
 */
export function parsePattern(source: string, flags = ""): SearchPattern {
  const unknown = [...flags].find((flag) => !KNOWN_FLAGS.includes(flag));
  if (unknown !== undefined) {
    throw new PatternError(`flag "${unknown}" is not one of ${[...KNOWN_FLAGS].join(", ")}.`);
  }
  refuseUnsupported(source);
  const literal = literalOf(source);
  const ignoreCase = flags.includes("i");
  return { source, ignoreCase, literal, isBounded: literal !== undefined || isBounded(source) };
}

// Character by character, because an operator outside a class is a plain character inside one.
function refuseUnsupported(source: string): void {
  if (/[\r\n]/.test(source)) throw spansLines();
  for (let at = 0; at < source.length; at++) {
    const rest = source.slice(at, at + LONGEST_OPERATOR);
    if (rest.startsWith("[")) at = classEnd(source, at);
    else if (rest.startsWith("\\")) {
      if (rest[1] === "n") throw spansLines();
      if (/^\\(?:[1-9]|k[<{'])/.test(rest)) throw unsupported("backreferences are not supported.");
      at += /^\\[pPxu]\{/.test(rest) ? Math.max(1, source.indexOf("}", at) - at) : 1;
    } else if (/^\(\?<?[=!]/.test(rest)) {
      throw unsupported("look-around, including look-ahead and look-behind, is not supported.");
    } else if (rest.startsWith("(?P=")) throw unsupported("backreferences are not supported.");
    else if (rest.startsWith("{") && !/^\{\d+(?:,\d*)?\}/.test(rest))
      throw unsupported("a { must start a repetition such as {2,3}.");
  }
}

// A repetition counts to a thousand or so.
const LONGEST_OPERATOR = 32;

/** The index of the bracket that ends the class, which can contain others; the end of the pattern if none does. */
function classEnd(source: string, start: number): number {
  if (source.startsWith("[\\n]", start)) throw spansLines();
  let depth = 0;
  for (let at = start; at < source.length; at++) {
    if (source[at] === "\\") at++;
    else if (depth > 0 && source.startsWith("[:", at)) at = Math.max(at, source.indexOf(":]", at) + 1);
    else if (source[at] === "[") {
      depth++;
      if (source[at + 1] === "^") at++;
      if (source[at + 1] === "]") at++; // a bracket that comes first is a member
    } else if (source[at] === "]" && --depth === 0) return at;
  }
  return source.length;
}

function spansLines(): PatternError {
  return new PatternError("it spans lines, but the search is line by line.");
}

function unsupported(reason: string): PatternError {
  return new PatternError(reason, { isSyntax: true });
}

const BOUNDED =
  /^(?:[^\\^$.*+?()[\]{}|]|\\[.*+?()[\]{}|^$\\/-]|\[(?:\d-\d|[a-z]-[a-z]|[A-Z]-[A-Z]|[\w ,:;"'/])+\]|(?<!^|\|)\|(?!\||$))+$/;

/** Longer patterns are slow. */
const MAX_BOUNDED = 256;
/** ripgrep cannot match a lone surrogate, nor U+FFFD where the bytes are not UTF-8. */
const NOT_ALIKE = /[\ud800-\udfff\ufffd]/u;

function isBounded(source: string): boolean {
  if (source.length > MAX_BOUNDED || NOT_ALIKE.test(source) || !BOUNDED.test(source)) return false;
  try {
    new RegExp(source, "u");
    return true;
  } catch {
    return false; // a reversed range, or an escape that only ripgrep knows: ripgrep answers
  }
}

const OPERATORS = /[.*+?()[\]{}|^$]/;

/** The text that a pattern of plain characters and escaped punctuation matches, or undefined. */
function literalOf(source: string): string | undefined {
  let text = "";
  for (let i = 0; i < source.length; i++) {
    const char = source.charAt(i);
    if (OPERATORS.test(char)) return undefined;
    if (char !== "\\") {
      text += char;
      continue;
    }
    const escaped = source.charAt(++i);
    if (!/[.*+?()[\]{}|^$\\/-]/.test(escaped)) return undefined; // \d, \b, a lone backslash, …
    text += escaped;
  }
  return text;
}
