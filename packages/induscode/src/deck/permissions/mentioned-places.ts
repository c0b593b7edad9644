// The files that the texts of a command mention: scripts among its words or in its input, values of its variables, what lies in a folder
// that an option changes to, and, where a word is known only at run time, the whole line. Rules that refuse, or ask about, a file apply to
// them. Nothing is looked up, so a link to such a file is not seen; each text is split once for a line, however many commands have it.

import { resolve } from "node:path";
import type { ShellPart, ShellWord } from "../shell/contract.ts";
import { ofProcess } from "../shell/expand-word.ts";
import { programName } from "../shell/wrappers.ts";
import { readingsOf } from "./named-places.ts";

export interface Mentioned {
  readonly places: readonly string[];
  /** Those that a script mentions, which may write them. */
  readonly inScripts: readonly string[];
  /** There is more text than is looked through. */
  readonly isCut: boolean;
}

const NOTHING: Mentioned = { places: [], inScripts: [], isCut: false };

/** Programs whose words or input are scripts that can open files. */
const SCRIPTED =
  /^(?:[gmn]?awk|sed|ed|ex|vim?|nvim|node|nodejs|deno|bun|python[\d.]*|perl|ruby|php|lua|Rscript|osascript|sqlite3|psql|gdb|at|batch)$/;
const SHELLS = /^(?:sh|bash|dash|ash|ksh|zsh)$/;

/** Programs whose words say something to people: a file in them is not opened. */
const SAYING = /^(?:git|gh|glab|hg|jj|svn|logger|mail|notify-send)$/;

/** Programs with an option for the folder that they work in. */
const MOVING = /^(?:git|g?make|(?:bsd)?tar|ninja|env|sudo)$/;
const MOVE = /^(?:-[CD]|--(?:chdir|directory))(?:=(.*))?$/;
const MAX_MOVES = 4;

/** Of all texts of one line together: four times the longest line that is read. */
const MAX_CHARS = 65_536;

export interface MentionFacts {
  /** What the command opens is known from its words. */
  readonly onlyLooks: boolean;
  readonly folders: readonly string[];
  /** It writes what is named. */
  readonly writes: boolean;
}

/** For the commands of one line, in order. A text is split for the first of those that rules treat alike, and not for the others. */
export function createMentions(line: string): (part: ShellPart, facts: MentionFacts) => Mentioned {
  const done = new Set<string>();
  let chars = 0;
  return (part, { onlyLooks, folders, writes }) => {
    const { scripts, texts, moved } = textsOf(part, line, onlyLooks);
    if (scripts.length + texts.length + moved.length === 0) return NOTHING;
    let isCut = false;
    const placesOf = (
      use: "text" | "script",
      all: readonly string[],
      from: readonly string[] = folders,
    ): readonly string[] =>
      all.flatMap((text) => {
        const key = [use, writes, ...from, text].join("\0");
        if (text === "" || done.has(key)) return [];
        if (chars + text.length > MAX_CHARS) {
          isCut = true;
          return [];
        }
        done.add(key);
        chars += text.length;
        const pieces = [...new Set(piecesOf(text))].filter((piece) => piece !== "" && !piece.startsWith("-"));
        return from.flatMap((folder) => pieces.map((piece) => resolve(folder, ofProcess(piece, folder))));
      });
    const inScripts = placesOf("script", scripts);
    const below = moved.flatMap((folder) => folders.map((from) => resolve(from, folder)));
    const words = below.length === 0 ? "" : part.words.map(({ text, value = text }) => value).join("\n");
    const places = [...placesOf("text", texts), ...placesOf("text", [words], below), ...inScripts];
    return { places, inScripts, isCut };
  };
}

function textsOf(
  { words, variables, input = "" }: ShellPart,
  line: string,
  onlyLooks: boolean,
): {
  readonly scripts: readonly string[];
  readonly texts: readonly string[];
  /** The folders of `-C`. */
  readonly moved: readonly string[];
} {
  const name = programName(words[0]?.value) ?? "";
  const given = words.slice(1);
  const settings = variables.map(({ value = "" }) => value);
  const moved = MOVING.test(name)
    ? given
        .flatMap(({ value = "" }, at) => {
          const [move, folder = given[at + 1]?.value ?? ""] = MOVE.exec(value) ?? [];
          return move === undefined ? [] : [folder];
        })
        .slice(0, MAX_MOVES)
    : [];
  const isSaying = SAYING.test(name);
  const mayHold = isSaying ? SETTING : /\s/;
  const values = onlyLooks ? [] : given.flatMap((word) => readingsOf(word, MAX_READINGS));
  const scripts = SCRIPTED.test(name)
    ? [...given.map(textIn).filter((text) => SCRIPT.test(text)), input]
    : [];
  const texts = [
    ...values.filter((value) => mayHold.test(value)),
    ...settings,
    ...(SHELLS.test(name) ? [input] : []),
    ...(!onlyLooks && !isSaying && words.some(isOpen) ? [line] : []),
  ];
  return { scripts: scripts.filter(Boolean), texts: texts.filter(Boolean), moved };
}

const MAX_READINGS = 8;

/** Also sed's `1r.env` and `r.env`. */
const SCRIPT = /[\s"'(]|^[\d,$]+[rRwW]|^[rRwW]\./;
/** git's `-c alias.x='!cat .env'`. */
const SETTING = /^[\w.-]+=/;

const isOpen = ({ value }: ShellWord): boolean => value === undefined;
const textIn = ({ text, value = text }: ShellWord): string => value;

/** `.env` of `open(".env")`, of `r .env`, of `HEAD:.env`, and of sed's `1r.env`. */
function piecesOf(text: string): readonly string[] {
  const words = text.split(/[\s"'`()[\]{};<>|&,=!$]+/);
  return words.flatMap((word) => [
    word,
    ...(word.includes(":") || word.includes("@") ? word.split(/[:@]/) : []),
    ...(/^[\d,$]*[rRwW](.+)/.exec(word)?.slice(1) ?? []),
  ]);
}
