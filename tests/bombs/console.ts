// What the rich console makes of an answer: Markdown as it streams, and code in colours.

import { createHighlighter } from "../../packages/induscode/src/tui/transcript/highlight.ts";
import { createMarkdown, type Highlighter } from "../../packages/induscode/src/tui/transcript/markdown.ts";
import { isLong } from "../support/long-form.ts";
import { around, type Bombs, each, noises, RUNS, rows, run, SIZE } from "./make.ts";
import { ofTexts, type Parser } from "./parser.ts";

const ANSWERS: Bombs = {
  ...RUNS,
  "stars without end": () => run("**a "),
  "underscores in words": () => run("_a_"),
  "links without end": () => run("[a]("),
  "links in links": () => around("[", "a", "](https://a.b)"),
  "quotes in quotes": () => run("> "),
  "lists in lists": () => rows(2_000, (at) => `${" ".repeat(at)}- a`),
  "a list of numbers": () => rows(3_000, (at) => `${at}. a`),
  "a wide table": () => `${run("| a ")}|\n${run("|---")}|\n${run("| b ")}|`,
  "a long table": () => `| a | b |\n|---|---|\n${rows(3_000, () => "| 1 | 2 |")}`,
  "a table without end": () => `| a |\n|---|\n${run("| a")}`,
  "fences in turn": () => run("```\n````\n"),
  "a fence without end": () => `\`\`\`js\n${run("a\n")}`,
  "a heading without end": () => run("# "),
  "marks within marks": () => around("**", "a", "**"),
  "code within code": () => run("`a``b"),
  "tags of HTML": () => run("<a href='"),
  ...noises("*_`[]()<>|#-+.~ \n\\a1", 10),
};

// Line by line with the lines before it: code costs a hundred times what a text costs, and a quarter shows what grows.
const LONG = SIZE / 4;
const NOISE = isLong ? 20_000 : 5_000;

const CODE: Bombs = {
  ...each(RUNS, (text) => `js\n${text.slice(-LONG).replaceAll("`", "'")}`),
  "strings without end": () => `js\n${run("'a\n", LONG)}`,
  "templates in templates": () => `ts\n${run("${a(", LONG)}`,
  "comments in comments": () => `swift\n${run("/*\n", LONG)}`,
  "tags in tags": () => `xml\n${run("<a b='\n", LONG)}`,
  "Markdown in Markdown": () => `markdown\n${run("> **_[a\n", LONG)}`,
  "regular expressions": () => `js\n${run("/a[/\n", LONG)}`,
  "here-documents": () => `bash\n${run("<<A $( ", LONG)}`,
  "lines as long as they may be": () => `cpp\n${rows(LONG / 500, () => "(<".repeat(250))}`,
  "sums without end": () => `kotlin\n${rows(LONG / 500, () => "a<".repeat(250))}`,
  "a language that is none": () => `nope\n${run("a\n", LONG)}`,
  ...each(
    noises("'\"`/*<>{}$()[]=;:#\\ \nab1", 20, NOISE),
    (text) => `typescript\n${text.replaceAll("`", "'")}`,
  ),
};

let loaded: Promise<Highlighter> | undefined;

/** A highlighter that has its languages. */
function colours(): Promise<Highlighter> {
  const { highlight, ready } = createHighlighter(() => undefined);
  loaded ??= ready().then(() => highlight);
  return loaded;
}

async function show(text: string): Promise<unknown> {
  const stream = createMarkdown(80, await colours());
  let shown = 0;
  for (let at = 0; at < text.length; at += 777) shown += stream.write(text.slice(at, at + 777)).length;
  return shown + stream.end().length <= 2 * text.length + 100 ? undefined : "a".repeat(10_000);
}

export const CONSOLE_PARSERS: readonly Parser[] = [
  ofTexts("Markdown of answers", ANSWERS, show),
  ofTexts(
    "code in answers",
    each(CODE, (text) => `\`\`\`${text}\n\`\`\`\n`),
    show,
  ),
];
