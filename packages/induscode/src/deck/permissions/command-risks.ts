// Whether a rule with a star covers a command, by the options and words that make its program do more than its own work. Such a command
// is covered only if the rule names that option or word.

import { resolve } from "node:path";
import { isInside, matchWildcard } from "indusagi/core";
import { protectedBelow } from "../../store/protected-names.ts";
import { RISKS, type Risks } from "./risky-options.ts";

/** Programs with known risky options. */
export const KNOWN_PROGRAMS: readonly string[] = Object.keys(RISKS);

/**
 * The first risky word of a command that a rule with these words and a star would cover without naming it; undefined if there is none. A
 * rule whose program is a star covers everything. `root` is the workspace.
 */
export function unnamedRisk(
  wanted: readonly string[],
  words: readonly string[],
  root: string,
): string | undefined {
  const [program = "", ...given] = words;
  const name = program.slice(program.lastIndexOf("/") + 1);
  if (/[*?]/.test(wanted[0] ?? "*")) return undefined;
  if (!Object.hasOwn(RISKS, name)) return riskBehind(wanted, words, root);
  const own = RISKS[name] as Risks;
  const named = wanted.slice(1);
  const end = own.endsAtDashes ? given.indexOf("--") : -1;
  const looked = end < 0 ? given : given.slice(0, end);
  const before: string[] = [];
  for (const [index, word] of looked.entries()) {
    const isOption = /^-./.test(word);
    const stated = named.findIndex((each) => states(each, word));
    const [first = ""] = before;
    const more = own.after && Object.hasOwn(own.after, first) ? own.after[first] : undefined;
    if (stated >= 0)
      named.splice(stated, 1); // one mention covers one occurrence
    else if ([own, more].some((risks) => risks && isRisky(word, isOption, before, risks))) return word;
    else if (own.bundles && index === 0 && hasLetter(word, own.short)) return word;
    else if (isMisplaced(word, more?.places ?? own.places ?? "any", named, root)) return word;
    if (!isOption) before.push(word);
  }
  return undefined;
}

/** For `timeout 60 git diff --output=x` under `timeout 60 git *`: the rule names the program that is started, so its words count. */
function riskBehind(wanted: readonly string[], words: readonly string[], root: string): string | undefined {
  for (let at = 1; at < words.length; at++) {
    const word = words[at] as string;
    if (!Object.hasOwn(RISKS, word.slice(word.lastIndexOf("/") + 1))) continue;
    const stated = wanted.indexOf(word);
    if (stated > 0) return unnamedRisk(wanted.slice(stated), words.slice(at), root);
  }
  return undefined;
}

function isRisky(word: string, isOption: boolean, before: readonly string[], risks: Risks): boolean {
  return isOption
    ? isRiskyOption(word, before.length === 0, risks)
    : (risks.argument?.(word, before) ?? false);
}

/** Devices that store nothing. */
const NOWHERE: ReadonlySet<string> = new Set(["/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr"]);

/** Whether a word, or the value in an option, is a place that the command should not use unless the rule names it. */
function isMisplaced(
  word: string,
  places: NonNullable<Risks["places"]>,
  named: readonly string[],
  root: string,
): boolean {
  if (places === "any") return false;
  const readings = [word, word.slice(word.indexOf("=") + 1), ...(/^-[^-]/.test(word) ? [word.slice(2)] : [])];
  return readings.some((place) => {
    const path = resolve(root, place);
    const isOutside = place.startsWith("~") || (!isInside(root, path) && !NOWHERE.has(path));
    if (!isOutside && (places !== "written" || protectedBelow(root, path) === undefined)) return false;
    // `cp * /tmp/*` names a place and everything below it.
    return !named.some(
      (each) => /^[~/.]/.test(each) && !/\/\.\.(?:\/|$)/.test(place) && matchWildcard(each, place),
    );
  });
}

function isRiskyOption(
  word: string,
  isLeading: boolean,
  { long = "", short, leading, words = "", start }: Risks,
): boolean {
  const option = word.split(/[=.]/, 1)[0] ?? "";
  if (isLeading && start !== undefined && !word.includes("=") && !start.split(" ").includes(word))
    return true;
  const ofOneDash = option.replace(/^--/, "-");
  if (words !== "") return words.split(" ").includes(ofOneDash);
  if (word.startsWith("--"))
    return option !== "--" && long.split(" ").some((each) => `--${each}`.startsWith(option));
  const letters = word.slice(1);
  return hasLetter(letters, short) || (isLeading && hasLetter(letters, leading));
}

function hasLetter(word: string, letters = ""): boolean {
  return [...word].some((letter) => letters.includes(letter));
}

/** Whether a word of the rule is this one, or its option with any value. */
function states(wanted: string, word: string): boolean {
  if (wanted === word) return true;
  return /^-.*=.*\*/.test(wanted) && wanted.split("=", 1)[0] === word.split("=", 1)[0];
}
