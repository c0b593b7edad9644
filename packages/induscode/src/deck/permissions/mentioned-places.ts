// The files that the texts of a command mention: scripts among its words or in its input, values of its variables, and, where one of its
// words is known only at run time, the whole line. Rules that refuse, or ask about, a file apply to them.

import type { ShellPart, ShellWord } from "../shell/contract.ts";
import { programName } from "../shell/wrappers.ts";
import { placesIn, readingsOf } from "./named-places.ts";

export interface Mentioned {
  readonly places: readonly string[];
  /** Those that a script mentions, which may write them. */
  readonly inScripts: readonly string[];
}

/** Programs whose words or input are scripts that can open files. */
const SCRIPTED =
  /^(?:[gmn]?awk|sed|ed|ex|vim?|nvim|node|nodejs|deno|bun|python[\d.]*|perl|ruby|php|lua|Rscript|osascript|sqlite3|psql|gdb|at|batch)$/;

/** Programs whose words say something to people: a file in them is not opened. */
const SAYING = /^(?:git|gh|glab|hg|jj|svn|logger|mail|notify-send)$/;

/** `line` is the whole that the command is a part of; `onlyLooks`: what it opens is known from its words. */
export function mentionedPlaces(
  part: ShellPart,
  {
    line,
    onlyLooks,
    folders,
  }: { readonly line: string; readonly onlyLooks: boolean; readonly folders: readonly string[] },
): Mentioned {
  const { words, variables, input = "" } = part;
  const name = programName(words[0]?.value) ?? "";
  const values = words.slice(1).flatMap((word) => readingsOf(word));
  const scripts = SCRIPTED.test(name) ? [...values.filter((value) => SCRIPT.test(value)), input] : [];
  const mayHold = SAYING.test(name) ? SETTING : /\s/;
  const texts = [
    ...(onlyLooks ? [] : values.filter((value) => mayHold.test(value))),
    ...variables.map(({ value = "" }) => value),
    ...(words.some(isOpen) ? [line] : []),
  ];
  const inScripts = placesIn(scripts.flatMap(piecesOf), folders);
  return { places: [...placesIn(texts.flatMap(piecesOf), folders), ...inScripts], inScripts };
}

/** Also sed's `1r.env`. */
const SCRIPT = /[\s"'(]|^[\d,$]+[rRwW]/;
/** git's `-c alias.x='!cat .env'`. */
const SETTING = /^[\w.-]+=/;

const isOpen = ({ value }: ShellWord): boolean => value === undefined;

/** `.env` of `open(".env")`, of `r .env` and of sed's `1r.env`. */
function piecesOf(text: string): readonly string[] {
  const words = text.split(/[\s"'`()[\]{};<>|&,=!$]+/);
  return words.flatMap((word) => [word, ...(/^[\d,$]*[rRwW](.+)/.exec(word)?.slice(1) ?? [])]);
}
