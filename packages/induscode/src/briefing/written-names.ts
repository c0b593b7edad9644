// Names as people write them in headers and settings: several in one text, and one in the form that names have here.

const BETWEEN = /[\s,"'[\]]/;

/**
 * What stands in brackets belongs to the name before it, in whatever depth: `Bash(git log --format=%(refname))` is one name. One whose
 * brackets do not close is everything to the end, as its beginning alone, `Bash`, would mean more than what was written.
 */
export function splitNames(text: string): readonly string[] {
  const names: string[] = [];
  let name = "";
  let depth = 0;
  const end = (): void => {
    const last = names.at(-1);
    if (name.startsWith("(") && last !== undefined) names[names.length - 1] = `${last} ${name}`;
    else if (name !== "") names.push(name);
    name = "";
  };
  for (const char of text) {
    if (depth === 0 && BETWEEN.test(char)) {
      end();
      continue;
    }
    if (char === "(") depth++;
    if (char === ")") depth = Math.max(0, depth - 1);
    name += char;
  }
  end();
  return names;
}

/** Lower-case letters, digits and single hyphens; a name without any of them stays as it is, and is refused. */
export function plainName(written: string): string {
  const letters = written.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const words = letters.match(/[a-z0-9]+/g) ?? [];
  return words.length === 0 ? written : words.join("-");
}
