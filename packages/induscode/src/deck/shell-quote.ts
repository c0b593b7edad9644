/**
 * A command line of `command` and literal words. Each word is single-quoted (POSIX sh 2.2.2), so that nothing in it is ever read as
 * shell: an argument such as `; id` stays an argument.
 */
export function commandLine(command: string, words: readonly string[]): string {
  return [command, ...words.map(quoteWord)].join(" ");
}

/** The same, without quotes where a shell needs none. */
export function asWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : quoteWord(word);
}

/** One literal word for a shell. */
function quoteWord(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** The same for a line shown on a screen: control characters as escapes, which bash, zsh and ksh read. */
export function shownWord(word: string): string {
  if (!/[\x00-\x1f\x7f]/.test(word)) return quoteWord(word);
  const escaped = word
    .replace(/[\\']/g, "\\$&")
    .replaceAll("\n", "\\n")
    .replaceAll("\t", "\\t")
    .replace(/[\x00-\x1f\x7f]/g, (each) => `\\x${each.charCodeAt(0).toString(16).padStart(2, "0")}`);
  return `$'${escaped}'`;
}
