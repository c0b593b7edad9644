// Splits what a person typed after a command into words. They reach the program as separate arguments, never as part of a
// shell line: `/deploy ; id` deploys to the targets ";" and "id".

export type ArgumentWords =
  | { readonly ok: true; readonly words: readonly string[] }
  | { readonly ok: false; readonly problem: string };

/**
 * Splits at blanks. '…' keeps everything, "…" lets a backslash escape `"` and `\`, and outside of quotes a backslash
 * escapes any character. Nothing is expanded.
 */
export function argumentWords(text: string): ArgumentWords {
  const words: string[] = [];
  let word: string | undefined;
  let quote = "";
  for (let i = 0; i < text.length; i++) {
    const character = text.charAt(i);
    const next = text.charAt(i + 1);
    if (character === "\\" && quote !== "'" && (quote === "" || next === '"' || next === "\\")) {
      if (next === "") return { ok: false, problem: "a backslash at the end escapes nothing" };
      word = (word ?? "") + next;
      i++;
    } else if (quote !== "") {
      if (character === quote) quote = "";
      else word = (word ?? "") + character;
    } else if (character === "'" || character === '"') {
      quote = character;
      word ??= "";
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? "") + character;
  }
  if (quote !== "") return { ok: false, problem: `the quote ${quote} is not closed` };
  if (word !== undefined) words.push(word);
  return { ok: true, words };
}
