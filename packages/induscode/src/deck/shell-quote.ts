/**
 * A command line of `command` and literal words. Each word is single-quoted (POSIX sh 2.2.2), so that nothing in it is
 * ever read as shell: an argument such as `; id` stays an argument.
 */
export function commandLine(command: string, words: readonly string[]): string {
  return [command, ...words.map(quoteWord)].join(" ");
}

/** The same, without quotes where a shell needs none. */
export function asWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : quoteWord(word);
}

/** One literal word for a shell. */
export function quoteWord(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
