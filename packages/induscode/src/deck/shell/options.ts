// Reads the options of a command against a list of known ones. Anything not on the list is not understood: a program may have options
// that run others or write files, and new versions add more.

import type { ShellWord } from "./contract.ts";

export interface OptionList {
  /** Letters that stand alone or together after one dash. */
  readonly short?: string;
  /** Letters that take the rest of the word, or the next word, as their value. */
  readonly shortValued?: string;
  /** Names after two dashes (after one, with `oneDash`), separated by blanks. */
  readonly long?: string;
  /** The same, with a value after `=` or as the next word. */
  readonly longValued?: string;
  /** The same, with a value only after `=`, or none. */
  readonly longMaybe?: string;
  /** `-5` is a number. */
  readonly digits?: boolean;
  /** `-name` is one option, not many letters. */
  readonly oneDash?: boolean;
}

export interface ReadOptions {
  readonly operands: readonly ShellWord[];
  /** Names as written, with the value if they have one. */
  readonly options: readonly (readonly [name: string, value?: string])[];
}

/**
 * The options and operands after the program's name. `isFirst`: they end at the first operand, which begins another command. Undefined if
 * a word is not understood.
 */
export function readOptions(
  words: readonly ShellWord[],
  list: OptionList,
  isFirst = false,
): ReadOptions | undefined {
  const operands: ShellWord[] = [];
  const options: [string, string?][] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as ShellWord;
    if (word.value === undefined) return undefined; // it may turn out to be an option
    if (word.value === "--") {
      operands.push(...words.slice(at + 1));
      break;
    }
    if (!/^-./.test(word.value)) {
      if (isFirst) return { operands: words.slice(at), options };
      operands.push(word);
      continue;
    }
    const takesNext = readOption(word.value, list, options);
    if (takesNext === undefined) return undefined;
    if (!takesNext) continue;
    const value = words[++at]?.value;
    if (value === undefined) return undefined;
    options.push([options.pop()?.[0] ?? "", value]);
  }
  return { operands, options };
}

const has = (names: string | undefined, name: string): boolean => names?.split(" ").includes(name) ?? false;

/** Whether the next word is the value; undefined if the option is not known. */
function readOption(word: string, list: OptionList, options: [string, string?][]): boolean | undefined {
  if (word.startsWith("--") || list.oneDash) {
    const [, name = "", value] = /^--?([^=]*)(?:=([\s\S]*))?$/.exec(word) ?? [];
    if (has(list.long, name) && value === undefined) options.push([name]);
    else if (has(list.longMaybe, name)) options.push(value === undefined ? [name] : [name, value]);
    else if (has(list.longValued, name)) options.push(value === undefined ? [name] : [name, value]);
    else return undefined;
    return has(list.longValued, name) && value === undefined;
  }
  if (list.digits && /^-\d+$/.test(word)) return false;
  const letters = word.slice(1);
  for (const [at, letter] of [...letters].entries()) {
    if (list.shortValued?.includes(letter)) {
      const value = letters.slice(at + 1);
      options.push(value === "" ? [letter] : [letter, value]);
      return value === "";
    }
    if (!list.short?.includes(letter)) return undefined;
    options.push([letter]);
  }
  return false;
}

/** How many words are options before a subcommand: 2 in `git -c x=y push`, 1 in `npm --silent publish`. Words after the program's name. */
export function leadingOptions(words: readonly (string | undefined)[]): number {
  let at = 0;
  while (words[at]?.startsWith("-"))
    at += /^(?:-[cC]|--(?:git-dir|work-tree|namespace|prefix|cwd))$/.test(words[at] ?? "") ? 2 : 1;
  return at;
}
