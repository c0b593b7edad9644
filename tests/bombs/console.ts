// What the rich console makes of an answer: Markdown as it streams, and code in colours.

import { createHighlighter } from "../../packages/induscode/src/tui/transcript/highlight.ts";
import { createMarkdown, type Highlighter } from "../../packages/induscode/src/tui/transcript/markdown.ts";
import { around, type Bombs, each, noises, RUNS, rows, run } from "./make.ts";
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

const CODE: Bombs = {
  ...each(RUNS, (text) => `js\n${text.replaceAll("`", "'")}`),
  "strings without end": () => `js\n${run("'a\n")}`,
  "templates in templates": () => `ts\n${run("${a(")}`,
  "comments in comments": () => `swift\n${run("/*\n")}`,
  "tags in tags": () => `xml\n${run("<a b='\n")}`,
  "Markdown in Markdown": () => `markdown\n${run("> **_[a\n")}`,
  "regular expressions": () => `js\n${run("/a[/\n")}`,
  "here-documents": () => `bash\n${run("<<A $( ")}`,
  "lines as long as they may be": () => `cpp\n${rows(120, () => "(<".repeat(250))}`,
  "sums without end": () => `kotlin\n${rows(120, () => "a<".repeat(250))}`,
  "a language that is none": () => `nope\n${run("a\n")}`,
  ...each(noises("'\"`/*<>{}$()[]=;:#\\ \nab1", 20), (text) => `typescript\n${text.replaceAll("`", "'")}`),
};

let loaded: Promise<Highlighter> | undefined;

/** A highlighter that has its languages. */
function colours(): Promise<Highlighter> {
  loaded ??= new Promise((resolve) => {
    const highlight = createHighlighter(() => resolve(highlight));
    highlight("js", [], ["a"]);
  });
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
