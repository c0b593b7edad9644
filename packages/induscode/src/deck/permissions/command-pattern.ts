// The pattern of a rule on commands. An allow rule covers a command that is understood completely; an ask or deny rule is tried on every
// reading of the text.

import { matchSequence, matchWildcard } from "indusagi/core";
import type { Spelling } from "./path-pattern.ts";
import type { RiskOf } from "./resolved-access.ts";
import { commandParts, simpleCommandWords, withoutContinuations } from "./shell-words.ts";

interface CommandPattern {
  readonly covers: (command: string, riskOf: RiskOf) => boolean;
  /** The option that keeps a command from being covered although its words match; undefined if there is none. */
  readonly risk: (command: string, riskOf: RiskOf) => string | undefined;
  readonly touches: (command: string) => boolean;
  /** The same for the words of one command that was understood. */
  readonly coversWords: (words: readonly string[], riskOf: RiskOf) => boolean;
  readonly riskIn: (words: readonly string[], riskOf: RiskOf) => string | undefined;
  /** For words of which some may be unknown: whether the pattern matches them, may match them, or does not. */
  readonly touchesWords: (words: readonly (string | undefined)[]) => "yes" | "maybe" | "no";
}

/**
 * `npm test` is exactly that command; `npm run *` and `npm run:*` any with that beginning. Elsewhere a `*` matches within one word in our
 * spelling, and across words in Claude's. `root` is the workspace.
 */
export function commandPattern(pattern: string, spelling: Spelling, root: string): CommandPattern {
  const start = /^(.*?)(?:(?:^|:| )\*)$/s.exec(pattern)?.[1];
  // `test:*` can also be meant as a prefix of a name.
  const readings = start === undefined ? [pattern] : pattern.endsWith(":*") ? [start, pattern] : [start];
  const wanted = readings.map(wantedWords);
  const fits = spelling === "own" ? fitsWords : fitsText;
  const named = (start ?? pattern).split(/\s+/).filter(Boolean);
  // A rule without a star spells out the command word by word.
  const riskBeside: CommandPattern["riskIn"] = (words, riskOf) =>
    /[*?]/.test(pattern) ? riskOf(named, words, root) : undefined;
  const coversWords: CommandPattern["coversWords"] = (words, riskOf) =>
    fits(pattern, start, words) && riskBeside(words, riskOf) === undefined;
  const riskIn: CommandPattern["riskIn"] = (words, riskOf) =>
    fits(pattern, start, words) ? riskBeside(words, riskOf) : undefined;
  return {
    coversWords,
    riskIn,
    covers(command, riskOf) {
      if (pattern === command) return true;
      const words = simpleCommandWords(command);
      return words !== undefined && coversWords(words, riskOf);
    },
    risk(command, riskOf) {
      const words = pattern === command ? undefined : simpleCommandWords(command);
      return words && riskIn(words, riskOf);
    },
    touchesWords(words) {
      const known = words.every((word) => word !== undefined);
      if (known) return wanted.some((each) => matchSequence(each, words, ANY, isWanted)) ? "yes" : "no";
      return wanted.some((each) => mayMatch(each.slice(1), words)) ? "maybe" : "no";
    },
    touches(command) {
      const text = withoutContinuations(command);
      const parts = commandParts(text);
      return (
        wanted.some((each) => parts.some((words) => matchSequence(each, words, ANY, isWanted))) ||
        readings.some((reading) => isWritten(reading, text))
      );
    },
  };
}

/** Why a pattern cannot match as intended; undefined if it can. */
export function commandPatternProblem(pattern: string): string | undefined {
  if (/:\*[\s,]/.test(pattern))
    return '":*" is valid only at the end, e.g. Bash(git push:*); write one rule for each command';
  if (/^\/.*[^/]\/$/.test(pattern))
    return "a pattern is not a regular expression, and a folder is not a command";
  if (/^domain:/.test(pattern)) return "a command rule takes a command, e.g. Bash(curl:*)";
  return undefined;
}

/** Whether an allow rule with this pattern can ever cover a command. */
export function canCover(pattern: string): boolean {
  return !/[*?]/.test(pattern) || simpleCommandWords(pattern.replace(/[*?]/g, "x")) !== undefined;
}

function fitsWords(pattern: string, start: string | undefined, words: readonly string[]): boolean {
  const wanted = (start ?? pattern).split(/\s+/).filter(Boolean);
  const fits = start === undefined ? words.length === wanted.length : words.length >= wanted.length;
  return fits && wanted.every((each, index) => matchWildcard(each, words[index] as string));
}

/** A blank in a quoted argument does not match a blank between words. */
function fitsText(pattern: string, start: string | undefined, words: readonly string[]): boolean {
  const text = words.map((word) => word.replace(/\s/g, "\0")).join(" ");
  const tidy = (part: string): string => part.trim().replace(/\s+/g, " ");
  if (start === undefined) return matchWildcard(tidy(pattern), text);
  return matchWildcard(tidy(start), text) || matchWildcard(`${tidy(start)} *`, text);
}

/** One word of a deny rule: the first also matches with its folder and ignoring case. */
interface WantedWord {
  readonly text: string;
  readonly isProgram: boolean;
}

const ANY: WantedWord = { text: "*", isProgram: false };

/** Any words before and after: neither `sudo` nor an extra argument evades a deny rule. */
function wantedWords(pattern: string): readonly WantedWord[] {
  const words = pattern
    .replace(/["'\\]/g, "")
    .split(/\s+/)
    .filter(Boolean);
  return [ANY, ...words.map((text, index) => (text === "*" ? ANY : { text, isProgram: index === 0 })), ANY];
}

function isWanted({ text, isProgram }: WantedWord, word: string): boolean {
  if (!isProgram) return matchWildcard(text, word);
  const [wanted, found] = [text.toLowerCase(), word.toLowerCase()];
  return matchWildcard(wanted, found) || matchWildcard(wanted, found.slice(found.lastIndexOf("/") + 1));
}

/** Whether words, some of them unknown (none, one or several each), can match the wanted ones. Takes wanted × words steps. */
function mayMatch(wanted: readonly WantedWord[], words: readonly (string | undefined)[]): boolean {
  let reached = new Set([0]);
  const skipStars = (): void => {
    for (const at of reached) if (wanted[at] === ANY) reached.add(at + 1);
  };
  for (const word of words) {
    skipStars();
    const next = new Set<number>();
    for (const at of reached) {
      const each = wanted[at];
      if (word === undefined) for (let to = at; to <= wanted.length; to++) next.add(to);
      else if (each === ANY) next.add(at);
      else if (each && isWanted(each, word)) next.add(at + 1);
    }
    reached = next;
  }
  skipStars();
  return reached.has(wanted.length);
}

/** Whether the text contains the pattern as written: in an assignment, between operators, in an argument. */
function isWritten(pattern: string, text: string): boolean {
  if (pattern === "") return true;
  if (/[*?]/.test(pattern)) return /[;&|()<>{}`$]/.test(pattern) && matchWildcard(`*${pattern}*`, text);
  for (let at = text.indexOf(pattern); at >= 0; at = text.indexOf(pattern, at + 1))
    if (!isWordPart(text[at - 1]) && !isWordPart(text[at + pattern.length])) return true;
  return false;
}

function isWordPart(character: string | undefined): boolean {
  return character !== undefined && /[\w.-]/.test(character);
}
