// What a search pattern may say. The dialect is a linear-time one, ripgrep's (seed 001 used the same engine): no
// look-around and no backreference, because both let a pattern take exponential time.

/** A pattern that cannot be searched for. Its message is the whole answer to the model. */
export class PatternError extends Error {
  override readonly name = "PatternError";
  constructor(reason: string) {
    super(`Could not compile the search pattern: ${reason}`);
  }
}

export interface SearchPattern {
  readonly source: string;
  readonly ignoreCase: boolean;
  /** The text that the pattern stands for, when it has no operator: then no regular expression is needed. */
  readonly literal: string | undefined;
}

const KNOWN_FLAGS = "gimsuy";

/**
 * Checks a model's pattern and flags. `i` counts; `g`, `u`, `y` have no meaning for a search of lines, nor `m` and
 * `s`, since a line has no line break inside. Throws {@link PatternError}.
 */
export function parsePattern(source: string, flags = ""): SearchPattern {
  const unknown = [...flags].find((flag) => !KNOWN_FLAGS.includes(flag));
  if (unknown !== undefined) {
    throw new PatternError(`flag "${unknown}" is not one of ${[...KNOWN_FLAGS].join(", ")}.`);
  }
  refuseUnsupported(source);
  return { source, ignoreCase: flags.includes("i"), literal: literalOf(source) };
}

function refuseUnsupported(source: string): void {
  if (/[\r\n]/.test(source)) throw new PatternError("it spans lines, and the search goes line by line.");
  const bare = source.replaceAll("\\\\", ""); // what is left of a backslash escapes something
  if (/\\n/.test(bare)) throw new PatternError("it spans lines, and the search goes line by line.");
  if (/\\[1-9]|\\k[<{']|\(\?P=/.test(bare)) throw new PatternError("backreferences are not supported.");
  if (/(?<!\\)\(\?<?[=!]/.test(bare)) {
    throw new PatternError("look-around, including look-ahead and look-behind, is not supported.");
  }
}

const OPERATORS = /[.*+?()[\]{}|^$]/;

/** The text a pattern of plain characters and escaped punctuation stands for, or undefined. */
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
