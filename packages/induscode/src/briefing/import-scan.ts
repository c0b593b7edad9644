// Finds the `@path` imports of a context document, only in prose, because `@decorator` in a code sample is not a
// file. Linear in the text.

import { extname } from "node:path";
import { trimEndOf } from "indusagi/core";

/** The path of each import, in order, as written but without escapes, fragments and trailing punctuation. */
export function scanImports(text: string): readonly string[] {
  if (!text.includes("@")) return [];
  const targets: string[] = [];
  for (const [, enclosed, written = ""] of blankCode(text).matchAll(IMPORT)) {
    const [place = ""] = (enclosed?.slice(1, -1) ?? written.replaceAll("\\ ", " ")).split("#", 1);
    const target = enclosed === undefined ? trimEndOf(place, isPunctuation) : place.trim();
    if (target !== "" && isTextFile(target)) targets.push(target);
  }
  return targets;
}

// An import is `@` at a word's start, then anything but blanks; `\ ` is a blank in the path. People also write `@import`, and
// enclose a path with blanks.
const IMPORT = /(?:^|\s)@(?:import[ \t]+)?(?:("[^"\n]+"|'[^'\n]+'|<[^<>\n]+>)|((?:[^\s\\]|\\ )+))/g;
// "see @docs/style.md, and": paths do not end like this.
const isPunctuation = (character: string): boolean => ".,;:!?)]}'\"".includes(character);

/** True for names with a text file's extension, and for names without one (`LICENSE`). */
export function isTextFile(path: string): boolean {
  const extension = extname(path).slice(1).toLowerCase();
  return extension === "" || TEXT_FILE_EXTENSIONS.has(extension);
}

const TEXT_FILE_EXTENSIONS: ReadonlySet<string> = new Set(
  (
    "md mdx mdc markdown txt text rst adoc org tex csv log json jsonc json5 yaml yml toml ini cfg conf properties xml html " +
    "css scss sass less js mjs cjs jsx ts mts cts tsx vue svelte py pyi rb go rs java kt kts scala groovy gradle swift " +
    "c h cc cpp cxx hpp m mm cs fs php pl lua r jl ex exs erl hrl hs ml mli clj cljs elm dart zig nim nix tf hcl sql " +
    "graphql gql proto sh bash zsh fish ps1 bat cmd make mk cmake diff patch"
  ).split(" "),
);

/** `text` with code fences and code spans blanked out; every character keeps its position. */
export function blankCode(text: string): string {
  if (!/[`~]/.test(text)) return text;
  const kept: string[] = [];
  let prose: string[] = [];
  let fence = "";
  const endProse = (): void => {
    if (prose.length > 0) kept.push(blankSpans(prose.join("\n")));
    prose = [];
  };
  for (const line of text.split("\n")) {
    const [, mark = ""] = FENCE_LINE.exec(line) ?? [];
    if (fence === "" && mark === "") {
      prose.push(line);
      if (line.trim() === "") endProse(); // a span does not extend across a blank line
      continue;
    }
    endProse();
    kept.push(" ".repeat(line.length));
    if (fence === "") fence = mark;
    else if (mark.startsWith(fence) && line.trimEnd().endsWith(mark)) fence = "";
  }
  endProse();
  return kept.join("\n");
}

// At any indentation and in quotes: a fence in a list is indented.
const FENCE_LINE = /^[\t >]*(`{3,}(?=[^`]*$)|~{3,})/;

/** CommonMark code spans: a run of backticks up to the next run of the same length. */
function blankSpans(text: string): string {
  const runs = [...text.matchAll(/`+/g)];
  const nextOfLength = new Map<number, number>();
  const closers: (number | undefined)[] = [];
  for (let index = runs.length - 1; index >= 0; index--) {
    const length = runs[index]?.[0].length ?? 0;
    closers[index] = nextOfLength.get(length);
    nextOfLength.set(length, index);
  }
  let kept = "";
  let at = 0;
  for (let index = 0; index < runs.length; index++) {
    const closer = closers[index];
    if (closer === undefined) continue;
    const start = runs[index]?.index ?? 0;
    const end = (runs[closer]?.index ?? 0) + (runs[closer]?.[0].length ?? 0);
    kept += text.slice(at, start) + text.slice(start, end).replace(/[^\n]/g, " ");
    at = end;
    index = closer;
  }
  return kept + text.slice(at);
}
