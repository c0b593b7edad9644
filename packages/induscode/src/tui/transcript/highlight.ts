// Syntax highlighting. Until the languages are loaded, and for unknown ones, code has one colour.

import { type Line, type Span, span } from "../screen/spans.ts";
import type { Mark } from "../screen/theme.ts";
import type { Highlighter } from "./markdown.ts";

type Colourer = (code: string, language: string) => string | undefined;

/** A longer line is not code that somebody reads. */
const MAX_LINE = 500;

export interface LoadedHighlighter {
  readonly highlight: Highlighter;
  /** Resolves once the languages are loaded, or cannot be, for what is laid out only once. */
  readonly ready: () => Promise<void>;
}

/** Loads the languages with the first code block that names one; `onLoad` is called once they are loaded. */
export function createHighlighter(onLoad: () => void): LoadedHighlighter {
  let colour: Colourer | undefined;
  let loading: Promise<void> | undefined;
  const ready = (): Promise<void> => {
    loading ??= import("./highlight-js.ts").then(
      (loaded) => {
        colour = loaded.highlighted;
        onLoad();
      },
      () => undefined, // an installation that lacks it shows code in one colour
    );
    return loading;
  };
  const highlight: Highlighter = (language, before, lines) => {
    if (language === "" || language === "text" || lines.some((line) => line.length > MAX_LINE)) return [];
    if (!colour) {
      void ready();
      return [];
    }
    const known = before.filter((line) => line.length <= MAX_LINE);
    const html = colour([...known, ...lines].join("\n"), language);
    return html === undefined ? [] : linesOf(html).slice(known.length);
  };
  return { highlight, ready };
}

const PIECE = /<span class="([^"<>]{0,200})">|<\/span>|([^<]{1,100000})/g;
const ENTITIES: Readonly<Record<string, string>> = {
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#x27;": "'",
  "&amp;": "&",
};

const MARKS: Readonly<Record<string, Mark>> = {
  keyword: "keyword",
  built_in: "type",
  type: "type",
  literal: "number",
  number: "number",
  string: "string",
  regexp: "string",
  symbol: "string",
  comment: "comment",
  doctag: "comment",
  meta: "comment",
  title: "title",
  section: "title",
  attr: "title",
  attribute: "title",
  name: "keyword",
  tag: "keyword",
  selector: "keyword",
  variable: "type",
  addition: "added",
  deletion: "removed",
};

/** The rows of highlighted code; elements open at the end of a row continue in the next. */
function linesOf(html: string): Line[] {
  const lines: Span[][] = [[]];
  const open: (readonly Mark[])[] = [];
  for (const [, names, text] of html.matchAll(PIECE)) {
    if (names !== undefined) {
      const name = /hljs-([a-z_]{1,40})/.exec(names)?.[1] ?? "";
      const mark = MARKS[name];
      open.push(mark === undefined ? (open.at(-1) ?? []) : [mark]);
    } else if (text === undefined) open.pop();
    else {
      const marks = open.at(-1) ?? [];
      const rows = text
        .replace(/&(?:lt|gt|quot|#x27|amp);/g, (found) => ENTITIES[found] ?? found)
        .split("\n");
      rows.forEach((row, i) => {
        if (i > 0) lines.push([]);
        if (row !== "") lines.at(-1)?.push(span(row, ...marks));
      });
    }
  }
  return lines;
}
