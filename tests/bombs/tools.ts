// What the model's tools are handed and what they find: patterns, names, edits, encodings, pages, compressed bodies, ripgrep's output.

import { Readable } from "node:stream";
import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { makeLocalContext } from "../../packages/indusagi/src/capabilities/backends/local.ts";
import { makeMemoryContext } from "../../packages/indusagi/src/capabilities/backends/memory.ts";
import { MessageReader } from "../../packages/indusagi/src/capabilities/backends/ripgrep-messages.ts";
import { RecordParser } from "../../packages/indusagi/src/capabilities/backends/ripgrep-records.ts";
import { editTool } from "../../packages/indusagi/src/capabilities/files/edit.ts";
import { pagesOf } from "../../packages/indusagi/src/capabilities/files/pdf-pages.ts";
import { readTool } from "../../packages/indusagi/src/capabilities/files/read.ts";
import { grepTool } from "../../packages/indusagi/src/capabilities/search/grep.ts";
import { parseNameQuery, QueryError } from "../../packages/indusagi/src/capabilities/search/name-query.ts";
import { PatternError, parsePattern } from "../../packages/indusagi/src/capabilities/search/pattern.ts";
import type { WebPage } from "../../packages/indusagi/src/capabilities/web/contract.ts";
import { decodeBody } from "../../packages/indusagi/src/capabilities/web/decode-body.ts";
import { htmlConverter } from "../../packages/indusagi/src/capabilities/web/html-markdown.ts";
import { htmlToText } from "../../packages/indusagi/src/capabilities/web/html-to-text.ts";
import { pageText } from "../../packages/indusagi/src/capabilities/web/page-text.ts";
import { plainHtmlText } from "../../packages/indusagi/src/capabilities/web/plain-html-text.ts";
import { apiProvider, SEARCH_APIS } from "../../packages/indusagi/src/capabilities/web/search-apis.ts";
import { duckduckgoProvider } from "../../packages/indusagi/src/capabilities/web/search-duckduckgo.ts";
import { createPrintable } from "../../packages/indusagi/src/core/printable.ts";
import { createSecretMask } from "../../packages/indusagi/src/core/secret-mask.ts";
import { wrapColumns } from "../../packages/induscode/src/console/columns.ts";
import { around, type Bombs, each, JSONS, MANY, noises, RUNS, rows, run, SIZE } from "./make.ts";
import { ofTexts, type Parser } from "./parser.ts";
import { put, scratch } from "./scratch.ts";

const isLong = process.env.INDUS_TESTS === "all";

const REGEXPS: Bombs = {
  "a group that repeats a repetition": () => "(a+)+$",
  "a choice that repeats": () => "(a|a)*$",
  "a choice that overlaps": () => "(a|aa)+$",
  "three in a row": () => "a*a*a*a*a*b",
  "a hundred in a row": () => `${"a*".repeat(100)}b`,
  "optional letters": () => `${"a?".repeat(30)}${"a".repeat(30)}`,
  "a dot again and again": () => `${".*".repeat(30)}b`,
  "a large count": () => "a{1000}",
  "a larger count": () => "a{100000}",
  "counts of counts": () => "((a{100}){100}){100}",
  "counts without end": () => "(((a{1,}){1,}){1,}){1,}",
  "a count beyond all": () => "a{99999999999999999999}",
  "a count that turns back": () => "a{5,1}",
  "nested groups": () => around("(", "a", ")", 2_000),
  "nested groups without end": () => "(".repeat(2_000),
  "deeply nested groups": () => around("(", "a", ")"),
  "nested classes": () => around("[", "a", "]", 2_000),
  "deeply nested classes": () => around("[", "a", "]"),
  "a wide class": () => `[${rows(2_000, (at) => String.fromCodePoint(0x4e00 + at), "")}]`,
  "a wide choice": () => rows(2_000, (at) => `a${at}`, "|"),
  "a very wide choice": () => rows(MANY, (at) => `a${at}`, "|"),
  "many empty choices": () => run("|"),
  "stars in a row": () => run("*"),
  "plus signs in a row": () => run("+"),
  "looking ahead": () => "(?=a)b",
  "looking behind": () => "(?<=a)b",
  "looking ahead for nothing": () => "(?!a)b",
  "what was found before": () => "(a)\\1",
  "what was found before, by name": () => "(?<a>a)\\k<a>",
  "lines at once": () => "a\\nb",
  "names of characters": () => "\\p{L}+\\p{Greek}*",
  "names that are none": () => "\\p{Nothing}",
  "an escape at the end": () => "a\\",
  "an escape beyond Unicode": () => "\\u{ffffffff}",
  "half a character": () => "\ud800",
  "a NUL": () => "a\0b",
  "flags of its own": () => "(?i)a(?-i)b",
  "flags in a group": () => "(?imsx-imsx:a)",
  "a comment": () => `(?x)a #${"b".repeat(1_000)}`,
  "a recursion": () => "(?R)",
  "an atomic group": () => "(?>a+)+$",
  "a possessive count": () => "a++b",
  "a condition": () => "(?(1)a|b)",
  "an anchor again and again": () => run("^"),
  "an end again and again": () => run("$"),
  "word borders": () => run("\\b"),
  "every sign": () => ".^$*+?()[]{}|\\/",
  nothing: () => "",
  ...each(RUNS, (text) => text.slice(0, 2_000)),
  ...noises("()[]{}*+?|\\.^$a,-1", 10, 200),
};
/** In the short form, the few of which each engine has its own opinion; the others are only read. */
const SEARCHED = 12;
let searched = 0;

async function search(pattern: string): Promise<unknown> {
  let said: string | undefined;
  try {
    parsePattern(pattern);
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    said = error.message.slice(0, 1_000);
  }
  if (!isLong && ++searched > SEARCHED) return said;
  put(`${"a".repeat(2_000)}!\nabc\n`, "searched", "a.txt");
  const context = makeLocalContext(scratch("searched"));
  const { output } = await grepTool().invoke({ id: "c", name: "grep", input: { pattern } }, context);
  return `${said ?? ""}${JSON.stringify(output).slice(0, 1_000)}`;
}

const QUERIES: Bombs = {
  ...RUNS,
  alternatives: () => run("{a,b}"),
  "a wide alternative": () => `{${run("a,")}b}`,
  "alternatives in alternatives": () => `${run("{a,")}b${run("}")}`,
  "alternatives of stars": () => run("{*,**}"),
  "folders of any depth": () => run("**/"),
  "a few folders of any depth": () => `${"**/a/".repeat(20)}b`,
  "stars between letters": () => run("*a"),
  "classes without end": () => run("[a"),
  "classes in a row": () => run("[a]"),
  "a class of ranges": () => `[${run("a-z")}]`,
  "folders above": () => run("../"),
  "brackets within a query's length": () => `a*${"[".repeat(60_000)}`,
  "from here": () => run("./"),
  "home again and again": () => run("~/"),
  ...noises("*?[]{}!,/\\~.ab-", 12),
};
const NAMES = ["a", `${"ab".repeat(120)}.txt`, "[a]{b}"];

function ask(query: string): unknown {
  try {
    const { matches } = parseNameQuery(query);
    for (const name of NAMES)
      matches({ name: () => name, path: () => `a/b/${name}`, absolutePath: () => `/w/a/b/${name}` });
    return undefined;
  } catch (error) {
    if (error instanceof QueryError) return error.message;
    throw error;
  }
}

/** File, old text and new text. */
type Edit = readonly [text: string, oldText: string, newText: string];
const edit = (...parts: Edit): string => JSON.stringify(parts);
const EDITS: Bombs = {
  ...each(RUNS, (text) => edit(text, "b", "c"), "the end of "),
  ...each(RUNS, (text) => edit(text, text.slice(1), "c"), "all of "),
  "a text that is nearly everywhere": () => edit(run("a"), `${"a".repeat(5_000)}b`, "c"),
  "a text that is everywhere": () => edit(run("a"), "a".repeat(5_000), "c"),
  "a text that is nearly everywhere, but for blanks": () => edit(run("a "), `${"a  ".repeat(2_000)}b`, "c"),
  "blanks that match blanks": () => edit(run(" \n"), `x${" \n".repeat(5_000)}y`, "c"),
  "lines that all differ": () =>
    edit(
      rows(MANY, (at) => `a${at}`),
      rows(MANY, (at) => `a${at}`),
      rows(MANY, (at) => `b${at}`),
    ),
  "lines that turned around": () =>
    edit(
      rows(MANY, (at) => `a${at}`),
      rows(MANY, (at) => `a${at}`),
      rows(MANY, (at) => `a${MANY - at}`),
    ),
  "lines of two kinds": () =>
    edit(
      rows(MANY, (at) => `${at % 2}`),
      rows(MANY, (at) => `${at % 2}`),
      rows(MANY, (at) => `${at % 3 === 0 ? 1 : 0}`),
    ),
  "one line of everything": () => edit(run("a"), run("a"), run("b")),
  "a place in each line": () =>
    edit(
      rows(MANY, () => "a b"),
      "b",
      "c",
    ),
  "line ends of two kinds": () =>
    edit(
      rows(MANY, (at) => (at % 2 ? "a\r" : "a")),
      "a\na\na",
      "b",
    ),
  "half a character": () => edit(run("😀"), "\ud83d", "c"),
  "no text at all": () => edit("", "a", "b"),
  ...each(
    noises("ab \n\t", 14),
    (text) => edit(text, text.slice(5_000, 9_000), text.slice(100, 3_000)),
    "within ",
  ),
  ...each(
    noises("ab \n\t", 8),
    (text) => edit(text, text.slice(5_000, 9_000).replaceAll(" ", "  "), "c"),
    "but for blanks, within ",
  ),
};

async function change(json: string): Promise<unknown> {
  const [text, oldText, newText] = JSON.parse(json) as Edit;
  const said: string[] = [];
  for (const replaceAll of [false, true]) {
    const context = await makeMemoryContext("/w", { files: { "/w/a.txt": text } });
    await readTool().invoke({ id: "r", name: "read", input: { path: "a.txt" } }, context);
    const input = { path: "a.txt", oldText, newText, replaceAll };
    const { output } = await editTool().invoke({ id: "c", name: "edit", input }, context);
    said.push(JSON.stringify(output));
  }
  // A diff has its own budget.
  return said.every((each) => each.length < 250_000) ? undefined : said.join("\n");
}

const bytesOf = (...parts: readonly (readonly number[] | Uint8Array)[]): Uint8Array =>
  Buffer.concat(parts.map((part) => Buffer.from(part)));
const many = (part: readonly number[], size = SIZE): Uint8Array =>
  Uint8Array.from({ length: size }, (_, at) => part[at % part.length] as number);
const FILES: Bombs<Uint8Array> = {
  ...Object.fromEntries(
    [
      0x00, 0x0a, 0x0d, 0x1b, 0x20, 0x7f, 0x80, 0x9f, 0xa0, 0xc0, 0xc3, 0xe2, 0xed, 0xef, 0xf0, 0xf4, 0xf8,
      0xfe, 0xff,
    ].flatMap((byte) => [
      [`bytes ${byte.toString(16)}`, () => many([byte])],
      [
        `letters and bytes ${byte.toString(16)}`,
        () => bytesOf(many([0x61, 0x62], 5_000), many([byte, 0x61])),
      ],
    ]),
  ),
  "a mark of UTF-16 and an odd number of bytes": () => bytesOf([0xff, 0xfe], many([0x61]), [0x61]),
  "a mark of UTF-16 and half characters": () => bytesOf([0xff, 0xfe], many([0x00, 0xd8])),
  "a mark of UTF-16, the other way": () => bytesOf([0xfe, 0xff], many([0xd8, 0x00])),
  "a mark of UTF-32": () => bytesOf([0xff, 0xfe, 0, 0], many([0x61, 0, 0, 0])),
  "many marks": () => many([0xef, 0xbb, 0xbf]),
  "a mark alone": () => Uint8Array.from([0xff, 0xfe]),
  "overlong NULs": () => many([0xc0, 0x80]),
  "surrogates in UTF-8": () => many([0xed, 0xa0, 0x80]),
  "beyond Unicode": () => many([0xf4, 0x90, 0x80, 0x80]),
  "half a character at the end": () => bytesOf(many([0x61]), [0xf0, 0x9f, 0x98]),
  "one line": () => many([0x61], 4 * SIZE),
  "one line of characters of four bytes": () => many([0xf0, 0x9f, 0x98, 0x80]),
  "empty lines": () => many([0x0a]),
  "empty lines of Windows": () => many([0x0d, 0x0a]),
  "a NUL at the end": () => bytesOf(many([0x61]), [0]),
  "a picture's head": () => bytesOf([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a], many([0xff])),
  "an archive's head": () => bytesOf([0x50, 0x4b, 0x03, 0x04], many([0x00, 0xff])),
  "a compressed file": () => gzipSync(Buffer.alloc(SIZE)),
  nothing: () => new Uint8Array(0),
  ...Object.fromEntries(
    [1, 2, 3, 4, 5, 6].map((seed) => [
      `noise ${seed}`,
      () => Uint8Array.from({ length: 20_000 }, (_, at) => Math.imul(at + seed, 2_654_435_761) >>> 24),
    ]),
  ),
};

async function readFile(bytes: Uint8Array): Promise<unknown> {
  const context = await makeMemoryContext("/w", { files: { "/w/a.txt": bytes } });
  const { output } = await readTool().invoke({ id: "r", name: "read", input: { path: "a.txt" } }, context);
  const input = { path: "a.txt", oldText: "ab", newText: "cd" };
  await editTool().invoke({ id: "c", name: "edit", input }, context);
  return JSON.stringify(output).length < 8 * context.budget.maxBytes
    ? undefined
    : "more than a result may have";
}

const tag = (name: string, times: number, close = true): string =>
  `<${name}>`.repeat(times) + (close ? `</${name}>`.repeat(times) : "");
const H = isLong ? 20_000 : 1_500;
const PAGES: Bombs = {
  ...Object.fromEntries(
    ["div", "b", "table", "ul", "blockquote", "pre", "svg", "select", "form", "a", "template"].flatMap(
      (name) => [
        [`nested ${name}`, () => tag(name, H)],
        [`${name} without end`, () => tag(name, H, false)],
      ],
    ),
  ),
  "closings without beginnings": () => "</div>".repeat(H),
  "formats that overlap": () => "<b><i>".repeat(H / 4) + "</b></i>".repeat(H / 4),
  "links in links": () => '<a href="/">a'.repeat(H / 4),
  "cells without tables": () => "<td>a".repeat(H / 4),
  "a wide table": () => `<table><tr>${"<td>a</td>".repeat(H)}</tr></table>`,
  "a cell of many columns": () => `<table><tr><td colspan="999999999">a</td></tr></table>`,
  "a list that begins late": () => '<ol start="99999999999"><li>a</ol>',
  "many attributes": () => `<div ${rows(H, (at) => `a${at}="b"`, " ")}>a</div>`,
  "one attribute again": () => `<div ${'a="b" '.repeat(H)}>a</div>`,
  "a long attribute": () => `<div title="${"a".repeat(10 * H)}">a</div>`,
  "an attribute without end": () => `<div title="${"a".repeat(10 * H)}`,
  "a comment without end": () => `<!--${"-".repeat(10 * H)}`,
  comments: () => "<!-- a -->".repeat(H),
  "beginnings of comments": () => "<!--".repeat(H),
  "a script without end": () => `<script>${"</scrip".repeat(H)}`,
  scripts: () => "<script>a</script>".repeat(H),
  "a style without end": () => `<style>${"<".repeat(H)}`,
  "processing instructions": () => "<?a".repeat(H),
  "sections of data": () => "<![CDATA[".repeat(H),
  "a type of document": () => `<!DOCTYPE ${"a".repeat(10 * H)}>a`,
  entities: () => "&amp;".repeat(H),
  "entities without end": () => "&amp".repeat(H),
  "entities that are none": () => "&aaaaaaaaaa;".repeat(H),
  "numbers of characters": () => "&#9999999;&#xffffff;&#0;".repeat(H / 4),
  "entities of entities": () => `<!DOCTYPE a [<!ENTITY a "aa"><!ENTITY b "&a;&a;"><!ENTITY c "&b;&b;">]>&c;`,
  "less-than signs": () => "<".repeat(10 * H),
  "less-than signs and letters": () => "<a".repeat(5 * H),
  "greater-than signs": () => ">".repeat(10 * H),
  "one word": () => "a".repeat(10 * H),
  blanks: () => ` ${" ".repeat(10 * H)}a`,
  "line breaks": () => "<br>".repeat(H),
  "rules across": () => "<hr>".repeat(H),
  headings: () => "<h1>a</h1>".repeat(H / 2),
  "titles again": () => "<title>a</title>".repeat(H / 2),
  "bases again": () => '<base href="http://a/">'.repeat(H / 2),
  "a base that is a script": () => '<base href="javascript:alert(1)"><a href="b">c</a>',
  "pictures of data": () => `<img src="data:image/png;base64,${"A".repeat(10 * H)}">`,
  "a link that is long": () => `<a href="/${"a".repeat(10 * H)}">b</a>`,
  "a link of data": () => `<a href="data:text/html,${"a".repeat(H)}">b</a>`,
  "sources of pictures": () => `<img srcset="${"a 1x,".repeat(H)}">`,
  "frames in frames": () => '<iframe srcdoc="<iframe>">'.repeat(H / 4),
  "declared again": () => '<meta charset="a">'.repeat(H),
  "a refresh": () => '<meta http-equiv="refresh" content="0;url=http://127.0.0.1/">',
  "NULs in names": () => "<d\0iv>".repeat(H),
  "names in capitals": () => "<DIV><dIV>".repeat(H / 8),
  "many articles": () => `<article><p>${"words, and words. ".repeat(20)}</p></article>`.repeat(H / 100),
  "many commas in paragraphs": () => `<div>${`<p>${"a,".repeat(60)}</p>`.repeat(H / 50)}</div>`,
  ...Object.fromEntries(
    Object.entries(noises("<>/ab=\"' &;!-\n", 6, 2 * H)).map(([name, make]) => [name, make]),
  ),
};
/** In the short form, the worst few on a thread of their own as in the product; the others on this one, which is as good. */
const ON_THREAD: ReadonlySet<string> = new Set(["nested div", "less-than signs", "a wide table"]);
const pageNames = new Map<string, string>();

async function convert(html: string): Promise<unknown> {
  const isOnThread =
    isLong || [...ON_THREAD].some((name) => pageNames.get(name) === undefined && PAGES[name]?.() === html);
  plainHtmlText(html, "http://a.example/");
  if (isOnThread) {
    const page = await htmlToText(html, {
      pageUrl: "http://a.example/",
      signal: new AbortController().signal,
    });
    return page.note;
  }
  try {
    const { markdown } = await htmlConverter.pageToMarkdown(
      { html, pageUrl: "http://a.example/" },
      () => undefined,
    );
    return markdown.length <= 20 * html.length + 1_000 ? undefined : "a".repeat(10_000);
  } catch (error) {
    // The thread's errors are its answer; the plain reader's text stands for the page then.
    return error instanceof Error && !(error instanceof RangeError) ? error.message : Promise.reject(error);
  }
}

const pageOf = (body: Uint8Array, contentType: string): WebPage =>
  ({
    kind: "answered",
    status: 200,
    url: "http://a.example/",
    body,
    contentType,
    redirects: 0,
    isClipped: false,
  }) as unknown as WebPage;

const HITS: Bombs = {
  ...PAGES,
  ...each(JSONS, (json) => json, "JSON: "),
  ...each(JSONS, (json) => `{"results":${json},"web":{"results":${json}}}`, "results: "),
  "many hits": () =>
    rows(H, (at) => `<a class="result__a" href="//duckduckgo.com/l/?uddg=http%3A%2F%2Fa${at}">b</a>`),
  "many results": () =>
    `{"results":[${rows(MANY, () => '{"title":"<b>","url":"http://a/","content":"&lt;"}', ",")}]}`,
  "titles without end": () => '<a class="result__a" href="http://a/">'.repeat(H),
};

async function findHits(body: string): Promise<unknown> {
  const fetch = async (): Promise<WebPage> => pageOf(Buffer.from(body), "text/html");
  const signal = new AbortController().signal;
  const providers = [
    duckduckgoProvider(),
    ...SEARCH_APIS.map((api) => apiProvider(api, api.isAddress ? "http://a.example" : "key-5f3a9c")),
  ];
  const said = await Promise.all(
    providers.map((provider) => provider.search("q", { limit: 10, fetch, signal } as never)),
  );
  return said
    .map((each) => (each.kind === "failed" ? each.message : ""))
    .reduce((kept, each) => (each.length > kept.length ? each : kept));
}

/** What it is packed by, and what was packed. */
const packed = (encoding: string, bytes: Uint8Array): Uint8Array =>
  bytesOf([encoding.length], Buffer.from(encoding), bytes);
const zeros = (): Buffer => Buffer.alloc(8 * 1024 * 1024);
const PACKERS = {
  gzip: (bytes: Uint8Array) => gzipSync(bytes),
  deflate: (bytes: Uint8Array) => deflateSync(bytes),
  br: (bytes: Uint8Array) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } }),
  zstd: (bytes: Uint8Array) => zstdCompressSync(bytes),
};
const BODIES: Bombs<Uint8Array> = Object.fromEntries(
  Object.entries(PACKERS).flatMap(([name, pack]) => {
    const small = (): Buffer => pack(Buffer.from("a".repeat(1_000)));
    return Object.entries<() => Uint8Array>({
      zeros: () => packed(name, pack(zeros())),
      "zeros twice over": () => packed(`${name}, ${name}`, pack(pack(zeros()))),
      "three times over": () => packed(`${name}, ${name}, ${name}`, pack(Buffer.from("a"))),
      "twice over but once": () => packed(`${name}, ${name}`, pack(Buffer.from("a"))),
      "cut short": () => packed(name, small().subarray(0, -4)),
      "cut at its head": () => packed(name, small().subarray(0, 3)),
      nothing: () => packed(name, new Uint8Array(0)),
      "what is not packed": () => packed(name, Buffer.from("a".repeat(10_000))),
      "a wrong sum": () => packed(name, bytesOf(small().subarray(0, -1), [0x55])),
      "more behind it": () => packed(name, bytesOf(small(), many([0xff], 10_000))),
      "many members": () => packed(name, Buffer.concat(Array.from({ length: 500 }, small))),
      "another name": () => packed(name === "gzip" ? "br" : "gzip", small()),
      "its name in capitals": () => packed(name.toUpperCase(), small()),
      "a name of methods": () => packed("constructor", small()),
      "names of nothing": () => packed(`${name}${",identity".repeat(20)}`, small()),
      noise: () => packed(name, bytesOf(small().subarray(0, 12), many([0x93, 0x17, 0xe5], 10_000))),
    }).map(([how, make]) => [`${name}: ${how}`, make]);
  }),
);
const MOST = 1024 * 1024;

async function unpack(bytes: Uint8Array): Promise<unknown> {
  const length = bytes[0] as number;
  const encoding = Buffer.from(bytes.subarray(1, 1 + length)).toString();
  const body = bytes.subarray(1 + length);
  const pieces = Array.from({ length: Math.ceil(body.length / 1_400) }, (_, at) =>
    Buffer.from(body.subarray(at * 1_400, at * 1_400 + 1_400)),
  );
  const decoded = decodeBody(Readable.from(pieces), encoding);
  if (typeof decoded === "string") return decoded;
  const kept: Buffer[] = [];
  let size = 0;
  try {
    for await (const piece of decoded) {
      size += piece.length;
      kept.push(piece);
      if (size > MOST) break;
    }
  } catch (error) {
    return (error as Error).message; // webfetch says it with the address
  }
  const types = ["text/html", "text/plain; charset=utf-16", "", `text/html; charset=${"a".repeat(1_000)}`];
  return types
    .map((type) => pageText(Buffer.concat(kept).subarray(0, MOST), type))
    .map((page) => ("note" in page ? (page.note ?? "") : ""))
    .join("")
    .slice(0, 4_000);
}

const RECORDS: Bombs = {
  ...RUNS,
  ...each(RUNS, (text) => `a.txt\0${text}`, "behind a name: "),
  ...each(RUNS, (text) => `a.txt\x001:${text}\n`, "in a line: "),
  ...each(RUNS, (text) => `rg: ${text}\n`, "a message: "),
  "many records": () => rows(MANY, (at) => `a.txt\0${at}:b`),
  "a number of many digits": () => `a.txt\0${run("9")}:b\n`,
  "a number without end": () => `a.txt\0${run("9")}`,
  "lines without numbers": () => rows(MANY, () => "a.txt\0:b"),
  warnings: () => rows(MANY, () => "a.txt: WARNING: stopped searching binary file after match (found NUL)"),
  "messages without end": () => run("rg: "),
  "messages of files": () => rows(MANY / 4, (at) => `rg: /w/a${at}: b (os error 13)`),
  "messages of what was passed over": () =>
    rows(MANY / 4, () => "rg: DEBUG|grep_printer::a: ignoring b: found binary data at offset 9"),
  "a message of many lines": () => `rg: ${run("a\n")}`,
  ...noises("a\0:1\nrg WARNING", 6),
};

function readSearch(text: string): unknown {
  const bytes = Buffer.from(text);
  const records = new RecordParser(1_000);
  const messages = new MessageReader("/w");
  for (let at = 0; at < bytes.length; at += 4_096) {
    records.write(bytes.subarray(at, at + 4_096));
    messages.write(bytes.subarray(at, at + 4_096));
  }
  if (records.hits.length > 1_000) throw new Error("more hits than asked for");
  return messages.read().patternProblem?.slice(0, 16_400) === undefined ? undefined : "it says why";
}

const SCREENS: Bombs = {
  ...RUNS,
  "beginnings of sequences": () => run("\u001b["),
  "a sequence without end": () => `\u001b[${run("9;")}`,
  "a title without end": () => `\u001b]0;${run("a")}`,
  "sequences in sequences": () => run("\u001b[\u001b]"),
  colours: () => run("\u001b[31ma\u001b[0m"),
  "a string of the terminal": () => `\u001bP${run("q")}`,
  "eight-bit introducers": () => run("\u009b9"),
  "marks on one letter": () => `a${run("\u0301")}`,
  "wide letters": () => run("界"),
  "families of emoji": () => run("👩‍👩‍👧"),
  "flags of letters": () => run("🇩🇪"),
  "text that turns around": () => run("\u202ea"),
  tags: () => run("\u{e0041}"),
  "pieces of a secret": () => run("canary-key-5f3a9"),
  "the secret's beginning": () => run("canary-"),
  "the secret again and again": () => run("canary-key-5f3a9c"),
  "the secret's halves": () => run("5f3a9c canary-key-"),
  ...noises("\u001b[]m;09aP\\\u0007\u009b\n\u0301界", 10),
};

function show(text: string): unknown {
  const mask = createSecretMask();
  mask.add("KEY", "canary-key-5f3a9c-and-more-of-it");
  const masked = mask.stream();
  const screen = createPrintable();
  let shown = "";
  for (let at = 0; at < text.length; at += 777) shown += screen.write(masked.write(text.slice(at, at + 777)));
  shown += screen.write(masked.end()) + screen.end();
  wrapColumns(shown.slice(0, 100_000), 80);
  mask.value({ a: [text] });
  return shown.length <= 12 * text.length + 100 ? undefined : "a".repeat(10_000);
}

const objects = (packed: Uint8Array): Uint8Array =>
  bytesOf(Buffer.from("%PDF-1.7\n<< /Type /ObjStm >>\nstream\n"), packed, Buffer.from("\nendstream\n"));
const DOCUMENTS: Bombs<Uint8Array> = {
  ...each(RUNS, (text) => Buffer.from(`%PDF-1.7\n${text}`)),
  "pages without end": () => Buffer.from(run("/Type /Page ")),
  "types without end": () => Buffer.from(run("/Type ")),
  "blanks behind a type": () => Buffer.from(run(`/Type${" ".repeat(20)}`)),
  "streams that begin": () => Buffer.from(run("/ObjStm stream\n")),
  "streams that end": () => Buffer.from(run("endstream\n")),
  "streams that do not end": () => Buffer.from(run("/ObjStm ")),
  "empty streams": () => Buffer.from(run("/ObjStm stream\nendstream\n")),
  "a stream that unpacks to much": () => objects(deflateSync(Buffer.alloc(64 * SIZE))),
  "streams that unpack to much": () =>
    bytesOf(...Array(200).fill(objects(deflateSync(Buffer.alloc(1_200_000))))),
  "streams that unpack to all that is allowed": () =>
    bytesOf(...Array(200).fill(objects(deflateSync(Buffer.alloc(1_000_000))))),
  "a stream of pages": () => objects(deflateSync(Buffer.from(run("/Type/Page")))),
  "a stream that breaks off": () => objects(deflateSync(Buffer.alloc(SIZE)).subarray(0, 40)),
  "a stream packed otherwise": () => objects(gzipSync(Buffer.alloc(SIZE))),
  "a stream packed twice": () => objects(deflateSync(objects(deflateSync(Buffer.alloc(SIZE))))),
  "a stream in UTF-16": () => objects(many([0x00, 0x2f])),
  nothing: () => new Uint8Array(0),
  ...each(noises("/TypeObjStm strad\n\0<>x", 20), (text) => Buffer.from(text)),
};

export const TOOL_PARSERS: readonly Parser[] = [
  ofTexts("search patterns", REGEXPS, search),
  ofTexts("names to find", QUERIES, ask),
  ofTexts("edits and diffs", EDITS, change),
  {
    name: "pages of documents",
    bombs: DOCUMENTS,
    read: (bytes) => (pagesOf(bytes as Uint8Array) > 0 ? "it has pages" : undefined),
  },
  { name: "files of any encoding", bombs: FILES, read: (bytes) => readFile(bytes as Uint8Array) },
  ofTexts("web pages", PAGES, convert),
  ofTexts("answers of search services", HITS, findHits),
  { name: "compressed bodies", bombs: BODIES, read: (bytes) => unpack(bytes as Uint8Array) },
  ofTexts("ripgrep's output", RECORDS, readSearch),
  ofTexts("text for the screen", SCREENS, show),
];
