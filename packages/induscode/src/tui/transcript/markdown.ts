// Streaming Markdown, line by line: a line is laid out when complete, and only what may still change its look (a table, the
// line being written) waits. Linear in the length of any text.

import { printable } from "indusagi/core";
import { type Line, linkTarget, type Span, span, widthOf, wrap } from "../screen/spans.ts";
import type { Mark } from "../screen/theme.ts";
import { characterAt, decodeCharacters } from "./entities.ts";

/** Colours lines of code; returns none if it cannot. `before` are earlier lines of the same block, for elements that began there. */
export type Highlighter = (language: string, before: readonly string[], lines: readonly string[]) => Line[];

export interface MarkdownStream {
  /** The rows that are now final. */
  readonly write: (text: string) => Line[];
  /** The remaining rows as they look for now; `begun` continues what was written. */
  readonly tail: (begun?: string) => Line[];
  /** The final rows of the remainder. */
  readonly end: () => Line[];
}

interface Fence {
  readonly mark: string;
  readonly length: number;
  readonly language: string;
  readonly indent: number;
  lines: string[];
}

const FENCE = /^( {0,12})(`{3,}|~{3,})[ \t]*([\w+#.-]{0,40})[^`]*$/;
const HEADING = /^ {0,3}(#{1,6})[ \t]+(.*)$/;
const RULE = /^ {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const ITEM = /^([ \t]*)([-*+]|\d{1,9}[.)])[ \t]+(?:\[([ xX])\][ \t]+)?(.*)$/;
const QUOTE = /^ {0,3}>[ \t]?(.*)$/;
const TABLE_ROW = /^[ \t]*\|.*\|?[ \t]*$/;
const TABLE_RULE = /^[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;

const MAX_TABLE_ROWS = 300;
/** How many preceding lines of code are read again to colour a line. */
const CODE_CONTEXT = 24;
/** A longer line is laid out in parts. */
const MAX_LINE = 4096;
/** How many quotes can be within each other, and the columns that another one needs. */
const MAX_QUOTES = 5;
const MIN_QUOTE = 12;
const BAR = span("│ ", "dim");

interface Look {
  readonly columns: number;
  /** Whether the terminal shows links; otherwise addresses are shown. */
  readonly hasLinks: boolean;
  /** How many quotes the text is within. */
  readonly quotes: number;
}

/** Rows at most `columns` wide. Without `highlight` code has one colour. */
export function createMarkdown(columns: number, highlight?: Highlighter, hasLinks = true): MarkdownStream {
  return createStream({ columns, hasLinks, quotes: 0 }, highlight);
}

function createStream(look: Look, highlight: Highlighter | undefined): MarkdownStream {
  const { columns, quotes } = look;
  let rest = "";
  let fence: Fence | undefined;
  let table: string[] = [];
  /** What an open quote contains. */
  let quote: MarkdownStream | undefined;
  /** May be the head of a table without outer edges, or end with a line break (`\`): the next line decides. */
  let undecided: string | undefined;
  let isEmptyBefore = true;
  /** The current line is the rest of one that was too long. */
  let isCut = false;

  function blank(): Line[] {
    if (isEmptyBefore) return [];
    isEmptyBefore = true;
    return [[]];
  }

  function shown(rows: Line[]): Line[] {
    if (rows.length > 0) isEmptyBefore = false;
    return rows;
  }

  // One line, without its line break; the beginning of one if it is not whole.
  function take(line: string, isWhole: boolean): Line[] {
    if (fence) return inFence(line, fence);
    if (undecided !== undefined) {
      const head = undecided;
      undecided = undefined;
      if (line.includes("|") && TABLE_RULE.test(line) && !isCut) {
        table = [head, line];
        return [];
      }
      return [...takeBlock(line.trim() === "" ? head : withoutBreak(head)), ...take(line, isWhole)];
    }
    const said = quotedIn(line);
    if (said !== undefined) {
      const before = endTable();
      quote ??= createStream(withinQuote(look), highlight);
      return [...before, ...shown(barred(quote.write(isWhole ? `${said}\n` : said)))];
    }
    return [...endQuote(), ...takeOwn(line)];
  }

  /** What the line says within a quote. */
  function quotedIn(line: string): string | undefined {
    if (isCut) return quote && line;
    return quotes < MAX_QUOTES && columns >= MIN_QUOTE ? QUOTE.exec(line)?.[1] : undefined;
  }

  function endQuote(): Line[] {
    if (!quote) return [];
    const rows = barred(quote.end());
    quote = undefined;
    return shown(rows);
  }

  function takeOwn(line: string): Line[] {
    // Once begun, a table continues with each line that has cells.
    const isRow = TABLE_ROW.test(line) || (table.length >= 2 && CELLS.test(line) && isTable(table));
    if (isRow && line.trim() !== "" && !isCut) {
      table.push(line);
      return table.length >= MAX_TABLE_ROWS ? endTable() : [];
    }
    const before = endTable();
    if (!isCut && (CELLS.test(line) || BREAK.test(line)) && !FENCE.test(line)) {
      undecided = line;
      return before;
    }
    return [...before, ...takeBlock(line)];
  }

  function takeBlock(line: string): Line[] {
    if (line.trim() === "") return isCut ? [] : blank();
    const opened = isCut ? null : FENCE.exec(line);
    if (opened) {
      const [, indent = "", mark = "", language = ""] = opened;
      fence = {
        mark: mark[0] ?? "`",
        length: mark.length,
        language: language.toLowerCase(),
        indent: indent.length,
        lines: [],
      };
      return shown(language === "" ? [] : [[span(codeLead(fence, columns) + language, "dim")]]);
    }
    return shown(rowsOf(line));
  }

  function inFence(line: string, open: Fence): Line[] {
    const bare = line.trim();
    const closes = bare.length >= open.length && bare === open.mark.repeat(bare.length);
    if (closes) {
      fence = undefined;
      return [];
    }
    const text = withoutIndent(line, open.indent);
    const rows = codeRows(open, [text], columns, highlight);
    open.lines.push(text);
    if (open.lines.length > 2 * CODE_CONTEXT) open.lines = open.lines.slice(-CODE_CONTEXT);
    return shown(rows);
  }

  function rowsOf(line: string): Line[] {
    return isCut ? wrap(inline(line, look, ...marksIn(look)), columns) : blockRows(line, look);
  }

  function endTable(): Line[] {
    if (table.length === 0) return [];
    const lines = table;
    table = [];
    return shown(tableRows(lines, look));
  }

  return {
    write: (text) => {
      const rows: Line[] = [];
      rest += text;
      for (let at = rest.indexOf("\n"); at >= 0 || rest.length > MAX_LINE; at = rest.indexOf("\n")) {
        const end = at >= 0 && at <= MAX_LINE ? at : lineBreakBefore(rest, MAX_LINE);
        const isWhole = end === at;
        rows.push(...take(rest.slice(0, end), isWhole));
        isCut = !isWhole;
        rest = rest.slice(isWhole ? end + 1 : end);
      }
      return rows;
    },
    tail: (begun = "") => {
      const line = rest + begun;
      const said = fence || line === "" ? undefined : quotedIn(line);
      if (quote && said !== undefined) return barred(quote.tail(said));
      const waits = undecided === undefined ? [] : blockRows(undecided, look);
      const open = table.length > 0 ? tableRows(table, look) : waits;
      const under = quote ? barred(quote.tail()) : open;
      if (line === "") return under;
      if (fence)
        return [...under, ...codeRows(fence, [withoutIndent(line, fence.indent)], columns, highlight)];
      if (/^[ \t]*\|/.test(line) && !isCut) return [...under, ...wrap([span(line, "dim")], columns)];
      return [...under, ...rowsOf(line)];
    },
    end: () => {
      const rows = rest === "" ? [] : take(rest, true);
      rest = "";
      isCut = false;
      if (undecided !== undefined) rows.push(...takeBlock(undecided));
      undecided = undefined;
      rows.push(...endTable(), ...endQuote());
      fence = undefined;
      return rows;
    },
  };
}

function lineBreakBefore(text: string, most: number): number {
  const at = text.lastIndexOf(" ", most);
  if (at > most / 2) return at + 1;
  const last = text.charCodeAt(most - 1);
  return last >= 0xd800 && last <= 0xdbff ? most - 1 : most;
}

function withoutIndent(line: string, indent: number): string {
  let at = 0;
  while (at < indent && line[at] === " ") at += 1;
  return line.slice(at);
}

/** A line break within a paragraph. */
const BREAK = /(?<!\\)(?:\\\\)*\\$/;

function withoutBreak(line: string): string {
  return BREAK.test(line) ? line.slice(0, -1) : line;
}

function withinQuote({ columns, quotes, ...more }: Look): Look {
  return { ...more, columns: columns - 2, quotes: quotes + 1 };
}

function marksIn({ quotes }: Look): readonly Mark[] {
  return quotes > 0 ? ["quote"] : [];
}

function barred(rows: readonly Line[]): Line[] {
  return rows.map((row) => [BAR, ...row]);
}

function blockRows(line: string, look: Look): Line[] {
  const { columns, quotes } = look;
  const marks = marksIn(look);
  const heading = HEADING.exec(line);
  if (heading)
    return wrap(inline(heading[2]?.replace(/[ \t]+#{1,100}$/, "") ?? "", look, ...marks, "heading"), columns);
  if (RULE.test(line)) return [[span("─".repeat(Math.min(columns, 40)), "dim")]];
  const quote = QUOTE.exec(line);
  if (quote) {
    const said = quote[1] ?? "";
    const isNested = quotes < MAX_QUOTES && columns >= MIN_QUOTE;
    return barred(
      isNested ? blockRows(said, withinQuote(look)) : wrap(inline(said, look, "quote"), columns - 2),
    );
  }
  const item = ITEM.exec(line);
  if (item) {
    const [, indent = "", bullet = "", tick, text = ""] = item;
    const depth = Math.min(8, Math.floor(indent.replaceAll("\t", "    ").length / 2));
    const box = tick === undefined ? "" : tick === " " ? "☐ " : "☑ ";
    const mark = `${"  ".repeat(depth)}${/^[-*+]$/.test(bullet) ? "•" : bullet} ${box}`;
    const blank = " ".repeat(widthOf([span(mark)]));
    return wrap(inline(text, look, ...marks), columns, {
      first: [span(mark, "accent")],
      rest: [span(blank)],
    });
  }
  const indent = /^[ \t]*/.exec(line)?.[0].replaceAll("\t", "    ").length ?? 0;
  const lead = [span(" ".repeat(Math.min(indent, 16, Math.floor(columns / 2))))];
  return wrap(inline(line.trim(), look, ...marks), columns, { first: lead });
}

function codeRows(open: Fence, lines: readonly string[], columns: number, highlight?: Highlighter): Line[] {
  const clean = lines.map((line) => printable(line));
  const coloured = highlight?.(open.language, open.lines.slice(-CODE_CONTEXT), clean);
  const lead = codeLead(open, columns);
  return clean.flatMap((line, i) => wrapCode(coloured?.[i] ?? [span(line, "code")], columns, lead));
}

/** Code of a list item is below its text. */
function codeLead({ indent }: Fence, columns: number): string {
  return " ".repeat(2 + Math.min(indent, Math.floor(columns / 4)));
}

// Code is cut where the row ends, not between words: every blank of it can matter.
function wrapCode(line: Line, columns: number, lead: string): Line[] {
  const rest = [span(`${lead}↪ `, "dim")];
  return wrap(line, columns, { first: [span(lead)], rest, cutsWords: true });
}

const CELLS = /(?<!\\)\|/;

function cellsOf(line: string): string[] {
  return line
    .trim()
    .replace(/^\|/, "")
    .replace(/\|$/, "")
    .split(CELLS)
    .map((cell) => cell.trim().replaceAll("\\|", "|"));
}

const MAX_TABLE_COLUMNS = 30;

function isTable([, rule = ""]: readonly string[]): boolean {
  return rule.includes("-") && TABLE_RULE.test(rule);
}

/** A table that fits, its cells wrapped; if a column would be too narrow, each row as a list of its cells. */
function tableRows(lines: readonly string[], look: Look): Line[] {
  const { columns } = look;
  if (!isTable(lines)) return lines.flatMap((line) => blockRows(line, look));
  const [head = [], rule = [], ...body] = lines.map((line) => cellsOf(line).slice(0, MAX_TABLE_COLUMNS));
  const count = head.length;
  const rows = body.map((cells) => Array.from({ length: count }, (_, i) => inline(cells[i] ?? "", look)));
  const heads = head.map((cell) => inline(cell, look, "bold"));
  const natural = heads.map((cell, i) =>
    Math.max(3, widthOf(cell), ...rows.map((row) => widthOf(row[i] ?? []))),
  );
  const widths = fitted(natural, columns - 3 * (count - 1));
  if (widths === undefined) return rows.flatMap((row) => asList(heads, row, columns));
  const separator = [span(widths.map((width) => "─".repeat(width)).join("─┼─"), "dim")];
  const sides = rule.map(sideOf);
  return [heads, ...rows].flatMap((row, i) => [
    ...tableRow(row, widths, sides),
    ...(i === 0 ? [separator] : []),
  ]);
}

function fitted(natural: readonly number[], room: number): readonly number[] | undefined {
  const total = natural.reduce((sum, width) => sum + width, 0);
  if (total <= room) return natural;
  const least = 6;
  if (room < natural.length * least) return undefined;
  // Narrow columns keep their width; the wide ones share the rest.
  const widths = [...natural];
  for (let over = total - room; over > 0; over--) {
    const widest = widths.indexOf(Math.max(...widths));
    widths[widest] = (widths[widest] ?? 1) - 1;
  }
  return widths.some((width) => width < 3) ? undefined : widths;
}

type Side = "left" | "right" | "middle";

function sideOf(mark: string): Side {
  if (!mark.endsWith(":")) return "left";
  return mark.startsWith(":") ? "middle" : "right";
}

function tableRow(cells: readonly Line[], widths: readonly number[], sides: readonly Side[]): Line[] {
  const wrapped = cells.map((cell, i) => wrap(cell, widths[i] ?? 1));
  const height = Math.max(1, ...wrapped.map((rows) => rows.length));
  return Array.from({ length: height }, (_, row) =>
    wrapped.flatMap((rows, i): Span[] => {
      const cell = rows[row] ?? [];
      const isLast = i === wrapped.length - 1;
      const room = Math.max(0, (widths[i] ?? 0) - widthOf(cell));
      const before = { left: 0, right: room, middle: Math.floor(room / 2) }[sides[i] ?? "left"];
      const lead = before > 0 ? [span(" ".repeat(before))] : [];
      return [...lead, ...cell, ...(isLast ? [] : [span(" ".repeat(room - before)), span(" │ ", "dim")])];
    }),
  );
}

function asList(heads: readonly Line[], row: readonly Line[], columns: number): Line[] {
  return row.flatMap((cell, i) =>
    wrap([...(heads[i] ?? []), span(": "), ...cell], columns, {
      first: [span(i === 0 ? "• " : "  ", "accent")],
      rest: [span("  ")],
    }),
  );
}

const MARKERS: readonly { readonly token: string; readonly adds: readonly Mark[] }[] = [
  { token: "***", adds: ["bold", "italic"] },
  { token: "___", adds: ["bold", "italic"] },
  { token: "**", adds: ["bold"] },
  { token: "__", adds: ["bold"] },
  { token: "~~", adds: ["strike"] },
  { token: "*", adds: ["italic"] },
  { token: "_", adds: ["italic"] },
];
const SPECIAL = /[`*_~[\\h<!&]/;
const ADDRESS = /https?:\/\/[^\s<>"'`|\\^{}]{1,2000}/y;
const LINK = /!?\[([^\]\n]{0,1000})\]\(<?([^)\s>]{0,2000})>?(?:[ \t]+"[^"\n]{0,300}")?\)/y;
const CODE = /(`{1,10})(?!`)/y;
const MAX_NESTED = 4;

/** The marks, links and code within a line. Unclosed marks are shown literally. */
function inline(text: string, { hasLinks }: Look, ...marks: readonly Mark[]): Span[] {
  const spans = inlineAt(printable(text), marks, 0);
  return hasLinks ? spans : spans.flatMap((each, i) => addressed(each, spans[i + 1]));
}

/** A link as text, with its address unless that is shown anyway. */
function addressed({ link, ...each }: Span, next: Span | undefined): Span[] {
  const isShown =
    link === undefined || isSameAddress(each.text, link) || next?.text.startsWith(` (${link})`) === true;
  return isShown ? [each] : [each, span(` (${link})`, "dim")];
}

function inlineAt(text: string, marks: readonly Mark[], depth: number): Span[] {
  const spans: Span[] = [];
  let plain = "";
  /** Closing tokens that were searched for without success: no later search for them can succeed. */
  const unclosed = new Set<string>();
  const flush = (): void => {
    if (plain !== "") spans.push(span(plain, ...marks));
    plain = "";
  };
  for (let at = 0; at < text.length; ) {
    const from = text.slice(at, at + 1);
    if (!SPECIAL.test(from)) {
      plain += from;
      at += 1;
      continue;
    }
    const found = special(text, at, { marks, depth, unclosed });
    if (found === undefined) {
      plain += from;
      at += 1;
      continue;
    }
    if (found.spans.length === 0) plain += found.plain ?? "";
    else {
      flush();
      spans.push(...found.spans);
    }
    at = found.end;
  }
  flush();
  return spans;
}

interface Found {
  readonly spans: readonly Span[];
  readonly plain?: string;
  readonly end: number;
}

interface Inside {
  readonly marks: readonly Mark[];
  readonly depth: number;
  readonly unclosed: Set<string>;
}

function special(text: string, at: number, { marks, depth, unclosed }: Inside): Found | undefined {
  const first = text[at];
  if (first === "\\") {
    const next = text[at + 1];
    return next !== undefined && /[!-/:-@[-`{-~]/.test(next)
      ? { spans: [], plain: next, end: at + 2 }
      : undefined;
  }
  if (first === "&") {
    const character = characterAt(text, at);
    return character && { spans: [], ...character };
  }
  if (first === "`") {
    CODE.lastIndex = at;
    const ticks = CODE.exec(text)?.[1];
    if (ticks === undefined) {
      const run = /^`+/.exec(text.slice(at, at + 4096))?.[0] ?? "`";
      return { spans: [], plain: run, end: at + run.length };
    }
    if (unclosed.has(ticks)) return { spans: [], plain: ticks, end: at + ticks.length };
    const end = closingTicks(text, at + ticks.length, ticks);
    if (end < 0) {
      unclosed.add(ticks);
      return { spans: [], plain: ticks, end: at + ticks.length };
    }
    return { spans: [span(text.slice(at + ticks.length, end), ...marks, "code")], end: end + ticks.length };
  }
  if (first === "h" || first === "<") {
    ADDRESS.lastIndex = first === "<" ? at + 1 : at;
    const address = ADDRESS.exec(text)?.[0]?.replace(/[.,;:!?)\]*_]{1,20}$/, "");
    if (address === undefined) return undefined;
    const closes = first === "<" && text[at + 1 + address.length] === ">";
    const skipped = first === "<" ? (closes ? 2 : 1) : 0;
    return {
      spans: [linked([span(address, ...marks, "link")], address)].flat(),
      end: at + address.length + skipped,
    };
  }
  if (first === "[" || first === "!") {
    if (unclosed.has("](")) return undefined;
    if (text.indexOf("](", at) < 0) unclosed.add("](");
    LINK.lastIndex = at;
    const link = LINK.exec(text);
    if (!link) return undefined;
    const whole = link[0];
    const [label = "", address = ""] = link.slice(1).map(decodeCharacters);
    const inner = inlinePlain(label === "" ? address : label, [...marks, "link"]);
    const target = linkTarget(address);
    // An address that cannot be a terminal link is shown, and so is one whose label looks like another address.
    const isHonest = target !== undefined && (!ADDRESS_LIKE.test(label) || isSameAddress(label, target));
    const spans = [
      ...(target === undefined ? inner : linked(inner, target)),
      ...(isHonest ? [] : [span(` (${address})`, ...marks, "dim")]),
    ];
    return { spans, end: at + whole.length };
  }
  for (const { token, adds } of MARKERS) {
    if (!text.startsWith(token, at) || unclosed.has(token) || depth >= MAX_NESTED) continue;
    const inner = at + token.length;
    const before = text[at - 1] ?? " ";
    if (/\s/.test(text[inner] ?? " ") || (token.startsWith("_") && /\w/.test(before))) continue;
    const end = closing(text, inner, token);
    if (end < 0) {
      unclosed.add(token);
      continue;
    }
    return {
      spans: inlineAt(text.slice(inner, end), [...marks, ...adds], depth + 1),
      end: end + token.length,
    };
  }
  const run =
    first === "*" || first === "_" || first === "~"
      ? (/^[*_~]{1,100}/.exec(text.slice(at, at + 100))?.[0] ?? "")
      : "";
  return run === "" ? undefined : { spans: [], plain: run, end: at + run.length };
}

/** A label that a person would take for the address itself. */
const ADDRESS_LIKE = /[a-z]:\/\/|\w\.[a-z]{2}/i;

function isSameAddress(label: string, address: string): boolean {
  const bare = (text: string): string =>
    text
      .trim()
      .replace(/^https?:\/\//i, "")
      .replace(/\/$/, "");
  return bare(label) === bare(address);
}

function inlinePlain(text: string, marks: readonly Mark[]): Span[] {
  return [span(text.replaceAll("`", ""), ...marks)];
}

function linked(spans: readonly Span[], address: string): Span[] {
  const target = linkTarget(address);
  return spans.map((each) => (target === undefined ? each : { ...each, link: target }));
}

function closingTicks(text: string, from: number, ticks: string): number {
  for (let at = text.indexOf(ticks, from); at >= 0; at = text.indexOf(ticks, at + 1)) {
    let end = at + ticks.length;
    if (text[end] !== "`" && text[at - 1] !== "`") return at;
    while (text[end] === "`") end += 1;
    at = end - 1;
  }
  return -1;
}

function closing(text: string, from: number, token: string): number {
  for (let at = text.indexOf(token, from); at >= 0; at = text.indexOf(token, at + 1)) {
    if (at === from || /\s/.test(text[at - 1] ?? " ")) continue;
    if (token.length === 1 && (text[at + 1] === token || text[at - 1] === token)) continue;
    if (token.startsWith("_") && /\w/.test(text[at + token.length] ?? " ")) continue;
    return at;
  }
  return -1;
}
