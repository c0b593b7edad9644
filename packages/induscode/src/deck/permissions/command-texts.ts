// The texts of a command that may be scripts: words, input, and values of variables. A rule about a file applies to one that they mention,
// and they may open others.

import { resolve } from "node:path";
import type { ShellPart } from "../shell/contract.ts";
import { ofProcess } from "../shell/expand-word.ts";
import { programName } from "../shell/wrappers.ts";
import { type Named, readingsOf } from "./named-places.ts";
import { isPlainSed } from "./risky-options.ts";

/** Programs whose words or input can be a script. */
const SCRIPTED =
  /^(?:[gmn]?awk|sed|ed|ex|vim?|nvim|node|nodejs|deno|bun|python[\d.]*|perl|ruby|php|lua|Rscript|osascript|sqlite3|psql|gdb|at|batch)$/;
const TAKES_SCRIPT = /^-[a-zA-Z]*[ceErp]$|^--?(?:eval|print|exec|command|ex)\b|[\s"'(]/;

/** Why a script among its words, or in its input, may open files; undefined if it has none. */
export function scriptIn({ words, input }: ShellPart): string | undefined {
  const name = programName(words[0]?.value) ?? "";
  if (!SCRIPTED.test(name)) return undefined;
  const given = words.slice(1).map(({ text, value = text }) => value);
  const operands = given.filter((word) => !/^-/.test(word));
  const isGiven =
    name === "sed"
      ? !isPlainSed(operands[0] ?? "")
      : name.endsWith("awk") || given.some((word) => TAKES_SCRIPT.test(word));
  const isRead = input !== undefined && (operands.length === 0 || /^(?:at|batch|ed|ex)$/.test(name));
  return isGiven || isRead ? "a script in the line may open any file" : undefined;
}

/** Programs whose words say something to people: a file in them is not opened. */
const SAYS = /^(?:git|gh|glab|hg|jj|svn|logger|mail|notify-send)$/;
const SHELLS = /^(?:sh|bash|dash|ash|ksh|zsh)$/;

/** git's `-c alias.x='!cat .env'`. */
const SETTING = /^[\w.-]+=/;

/** Of one word with braces. */
const MAX_READINGS = 8;

/** How many characters of texts are looked through, of one line together: four times the longest line that is read. */
export const MAX_TEXT_CHARS = 65_536;

/**
 * What the texts of a command mention: scripts among its words or in its input, and the values of its variables. Compared as written, so
 * a link to a file is not seen. `budget` is how much of the line's texts may still be looked through.
 */
export function mentionedPlaces(
  { words, variables, input = "" }: ShellPart,
  folders: readonly string[],
  budget: { left: number },
): Named {
  const name = programName(words[0]?.value) ?? "";
  const mayHold = SAYS.test(name) ? SETTING : /[\s"'(]|^[\d,$]*[rRwW]/;
  const given = words.slice(1).flatMap((word) => readingsOf(word, MAX_READINGS));
  const texts = [...given.filter((text) => mayHold.test(text)), ...variables.map(({ value = "" }) => value)];
  if (SCRIPTED.test(name) || SHELLS.test(name)) texts.push(input);
  budget.left -= texts.reduce((sum, { length }) => sum + length, 0);
  if (budget.left < 0) return { places: [], isCut: true };
  const pieces = [...new Set(texts.flatMap(piecesOf))].filter(
    (piece) => piece !== "" && !piece.startsWith("-"),
  );
  return {
    places: folders.flatMap((folder) => pieces.map((piece) => resolve(folder, ofProcess(piece, folder)))),
    isCut: false,
  };
}

/** `.env` of `open(".env")`, of `r .env`, of `HEAD:.env`, and of sed's `1r.env`. */
function piecesOf(text: string): readonly string[] {
  const words = text.split(/[\s"'`()[\]{};<>|&,=!$]+/);
  return words.flatMap((word) => [
    word,
    ...(/[:@]/.test(word) ? word.split(/[:@]/) : []),
    ...(/^[\d,$]*[rRwW](.+)/.exec(word)?.slice(1) ?? []),
  ]);
}
