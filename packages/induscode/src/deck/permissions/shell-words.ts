// Reads shell commands for the permission check. Comparable products were bypassed by deciding on parsed shell text, so the two questions
// are answered in opposite directions: an allow rule needs a command that is understood completely, a deny rule is tried on every part of
// the text, however odd it is.

/**
 * The words of a command that is one program with literal arguments; undefined for anything else (operators,
 * redirections, expansions, globs, assignments, escapes, newlines), which no allow rule may cover.
 */
export function simpleCommandWords(command: string): readonly string[] | undefined {
  const words: string[] = [];
  let rest = withoutBlankEnds(command);
  if (/[\n\r\0]/.test(rest)) return undefined;
  while (rest !== "") {
    let word = "";
    let match = nextPiece(rest);
    if (!match) return undefined;
    while (match) {
      word += match.literal;
      rest = rest.slice(match.length);
      match = nextPiece(rest);
    }
    if (rest !== "" && !/^[ \t]/.test(rest)) return undefined;
    rest = rest.replace(/^[ \t]+/, "");
    words.push(word);
  }
  const [program] = words;
  if (program === undefined || program === "" || program.includes("=")) return undefined;
  return words;
}

// Only what sh treats as blank: String.trim would also drop a no-break space, which to sh is part of the name.
function withoutBlankEnds(command: string): string {
  const isBlank = (at: number): boolean => " \t\n".includes(command.charAt(at));
  let start = 0;
  let end = command.length;
  while (start < end && isBlank(start)) start++;
  while (end > start && isBlank(end - 1)) end--;
  return command.slice(start, end);
}

// A run of harmless characters, a single-quoted text, or a double-quoted text without expansion.
const PIECE = /^(?:([A-Za-z0-9_@%+=:,./^-]+)|'([^']*)'|"([^"$`\\!]*)")/;

function nextPiece(text: string): { readonly literal: string; readonly length: number } | undefined {
  const match = PIECE.exec(text);
  if (!match) return undefined;
  return { literal: match[1] ?? match[2] ?? match[3] ?? "", length: match[0].length };
}

/**
 * The words of every part of `command`: split at all operators, quotes and escapes removed. Everything that runs is somewhere in them
 * (`sudo rm`, `env X=1 rm` and `sh -c "rm"` all show `rm`), and much that does not run: a deny rule that matches an argument by accident
 * is the safe mistake.
 */
export function commandParts(command: string): readonly (readonly string[])[] {
  const text = withoutContinuations(command);
  // `rm {-rf,x}` and `rm <in -rf x` are `rm -rf x` with something between its words.
  const plain = text.replace(/\d{0,2}[<>]{1,2}&?\s*[^\s;&|()<>`]*/g, " ").replace(/[{},]/g, " ");
  return (plain === text ? [text] : [text, plain])
    .flatMap((each) => each.split(/[;&|()<>{}`\n\r]|\$\(/))
    .map((part) =>
      part
        .replace(/["'\\]/g, "")
        .split(/\s+/)
        .filter(Boolean),
    );
}

/** A backslash at a line's end joins the lines before the shell reads a word. */
export function withoutContinuations(command: string): string {
  return command.replaceAll("\\\n", "");
}
