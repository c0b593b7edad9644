// The files that a command names to an otherwise unknown program: rules that refuse, or ask about, a file apply to them. It may find more
// than are meant, and what the program does with them is not known.

import type { ShellPart, ShellWord } from "../shell/contract.ts";
import { ofProcess } from "../shell/expand-word.ts";
import { leadingOptions } from "../shell/options.ts";
import { programName } from "../shell/wrappers.ts";
import { RISKS } from "./risky-options.ts";

export interface Named {
  /** Absolute, with `..` unresolved, because it continues from where a link leads. */
  readonly places: readonly string[];
  /** Its words stand for more than was looked at. */
  readonly isCut: boolean;
}

/** For one command, however many words have braces: each is a path to look up. */
const MAX_ALTERNATIVES = 1_000;

/** Every word, and each piece of one: `if=secret/a`, `@secret/a`, `HEAD:secret/a`, `-Isecret`. */
export function givenPlaces(words: readonly ShellWord[], folders: readonly string[]): Named {
  let left = MAX_ALTERNATIVES;
  const values = words.flatMap((word) => {
    const found = readingsOf(word, left);
    left -= found.length - 1;
    return found;
  });
  const pieces = values.flatMap((value) => {
    const attached = /^-[^-]./.test(value) ? [value.slice(2)] : [];
    return [value, ...attached, ...value.split(/[=@:,]/)];
  });
  const places = placesIn(
    pieces.filter((piece) => !piece.startsWith("-")),
    folders,
  );
  return { places, isCut: left <= 1 };
}

/** Why the files that a program reads are not among its words; undefined if they are. */
export function readsList({ words }: ShellPart): string | undefined {
  const name = programName(words[0]?.value) ?? "";
  const [first, ...rest] = words.slice(1).map(({ value = "" }) => value);
  const isList =
    /^(?:cpio|pax)$/.test(name) ||
    [first ?? "", ...rest].some((word) => /^--(?:files0?-from|null-files-from)\b/.test(word)) ||
    (/^(?:bsd)?tar$/.test(name) &&
      (/^-?[a-zA-Z]*T/.test(first ?? "") || rest.some((word) => /^-[a-zA-Z]*T/.test(word)))) ||
    (name === "zip" && words.some(({ value }) => value === "-@"));
  return isList ? "it takes the names of the files from a list" : undefined;
}

/** The paths that words may stand for in folders, with `..` unresolved. */
export function placesIn(paths: readonly string[], folders: readonly string[]): readonly string[] {
  const given = [...new Set(paths)].filter((path) => path !== "");
  return given.flatMap((path) => {
    const places = folders.map((folder) =>
      path.startsWith("/") ? ofProcess(path, folder) : `${folder}/${path}`,
    );
    return path.startsWith("/") && folders.length === 0 ? [path] : [...new Set(places)];
  });
}

/** What a word may stand for. One that shells read differently (`$'x'`, `{x,y}`) as the shells that know this read it. */
export function readingsOf({ text, value }: ShellWord, most = MAX_ALTERNATIVES): readonly string[] {
  if (value !== undefined) return [value];
  const quoted = text
    .replace(/\$'((?:[^'\\]|\\[\s\S])*)'/g, (_match, inside: string) => unescaped(inside))
    .replace(/\$\{\w+:?[-=+]([^{}]*)\}/g, "$1")
    .replace(/^~\+(?=\/)/, ".");
  return alternatives(quoted.replace(/\$?["']/g, "").replace(/\\([\s\S])/g, "$1"), most);
}

const ESCAPE = /\\(?:x([\da-fA-F]{1,2})|u([\da-fA-F]{1,4})|U([\da-fA-F]{1,8})|([0-7]{1,3})|([\s\S]))/g;

function unescaped(inside: string): string {
  return inside.replace(
    ESCAPE,
    (_match, x?: string, u?: string, long?: string, octal?: string, plain = "") => {
      const hex = x ?? u ?? long;
      const code = hex === undefined ? Number.parseInt(octal ?? "", 8) : Number.parseInt(hex, 16);
      return code <= 0x10ffff ? String.fromCodePoint(code) : plain;
    },
  );
}

/** `a{b,c}` unexpanded, and as `ab` and `ac`, and no more than that many. */
function alternatives(text: string, most: number): readonly string[] {
  const done = [text];
  const open = [text];
  for (let next = open.pop(); next !== undefined && done.length < most; next = open.pop()) {
    const group = /\{([^{},]*,[^{}]*)\}/.exec(next);
    if (group === null) done.push(next);
    else {
      const [before, after] = [next.slice(0, group.index), next.slice(group.index + group[0].length)];
      open.push(...(group[1] ?? "").split(",").map((each) => before + each + after));
    }
  }
  return done;
}

/** Programs that write what they are given only with such an option. */
const IN_PLACE: Readonly<Record<string, RegExp>> = {
  sed: /^(?:-[nErsuz]*i|--in-place)/,
  perl: /^-[\dalnpsw]*i/,
  ruby: /^-[\dalnpsw]*i/,
  awk: /^(?:-i|--include=?)inplace$|^inplace$/,
  gawk: /^(?:-i|--include=?)inplace$|^inplace$/,
  yq: /^(?:-[a-zA-Z]*i|--inplace)/,
  gofmt: /^-w$/,
};

/** Options of formatters. */
const FIXING = /^--(?:write|fix|in-place|inplace)$/;

/** Programs that change what they are opened with. */
const EDITORS = /^(?:ed|ex|vim?|nvim|nano|emacs|sponge|dos2unix|unix2dos|rename)$/;

/** Where a program is told to write: `-o x`, `-ox`, `-out x`, `--output=x`. */
const OUTPUT = /^(?:-[oO]|--?out(?:-?file|put|put-document)?)(?:=(.*))?$/;

/** The files that a program is told to write, whatever else it is given. */
export function outputsOf({ words }: ShellPart): readonly string[] {
  const values = words.slice(1).map((word) => readingsOf(word, 1)[0] ?? "");
  const isUniq = programName(words[0]?.value) === "uniq";
  const given = isUniq ? values.filter((value) => !value.startsWith("-")).slice(1) : [];
  const said = values.flatMap((value, at) => {
    const [option, file = values[at + 1] ?? ""] = OUTPUT.exec(value) ?? [];
    if (option !== undefined) return [file];
    return /^-[oO]./.test(value) ? [value.slice(2)] : [];
  });
  return [...given, ...said];
}

const WRITING_GIT = /^(?:apply|checkout|clean|mv|restore|rm)$/;

function writesByGit(words: readonly string[]): boolean {
  const isOfIndex = words.some((word) => /^(?:--staged|--cached|-S)$/.test(word));
  const isOfTree = words.some((word) => /^(?:--worktree|-W)$/.test(word));
  return WRITING_GIT.test(words[leadingOptions(words)] ?? "") && (!isOfIndex || isOfTree);
}

/** Whether the program writes to what it is given. */
export function writesNamed({ words }: ShellPart): boolean {
  const name = programName(words[0]?.value) ?? "";
  if (EDITORS.test(name) || words.some(({ value = "" }) => FIXING.test(value))) return true;
  if (Object.hasOwn(IN_PLACE, name))
    return words.slice(1).some(({ value = "" }) => IN_PLACE[name]?.test(value) === true);
  if (name === "git") return writesByGit(words.slice(1).map(({ value = "" }) => value));
  return Object.hasOwn(RISKS, name) && RISKS[name]?.places === "written";
}
