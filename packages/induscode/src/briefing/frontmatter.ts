// The `---` header of Markdown files: macros, skills, agents. Read as YAML if it is YAML, or becomes it once values with a colon are
// quoted, otherwise by the flat reader: half of the headers in the wild contain an unquoted colon (agentskills.io).

import { describeError } from "indusagi/core";
import { LookBudget } from "../store/look-budget.ts";
import type { FrontmatterValue } from "./contract.ts";
import { splitNames } from "./written-names.ts";
import { parseYaml } from "./yaml.ts";

/** A longer header is only read by the flat reader: YAML takes quadratic time for hostile texts. */
export const MAX_YAML_CHARS = 4_096;

export interface FlatFrontmatter {
  /** Keys in order of first appearance, each with its last value. */
  readonly entries: readonly (readonly [string, string])[];
  readonly body: string;
}

export interface Frontmatter {
  readonly fields: ReadonlyMap<string, FrontmatterValue>;
  readonly body: string;
  /** False when the text has no header. */
  readonly present: boolean;
  /** Why only the header's flat lines were read, when it has others. */
  readonly problem?: string | undefined;
  /** There is a first fence, and nothing ends the header. */
  readonly isOpen?: boolean | undefined;
}

/** The flat reader: each unindented `key: value` line is an entry. Linear, never throws. */
export function splitFrontmatter(text: string): FlatFrontmatter {
  const { header, body } = splitHeader(text, STRICT);
  return { entries: [...readFlat(header ?? "", unquote)], body };
}

/**
 * The header as YAML with every scalar kept as text, or as flat lines if YAML refuses it; `look` pays for the YAML. Its fences may have
 * blanks behind them and blank lines before them. Never throws.
 */
export function readFrontmatter(text: string, look: LookBudget = LookBudget.unlimited()): Frontmatter {
  const { header, body, isOpen } = splitHeader(text, LENIENT);
  if (header === undefined) return { fields: new Map(), body, present: false, isOpen: isOpen || undefined };
  const lines = header.split("\n");
  // Both readers agree on such a header, so most files never load the YAML library (25 ms).
  if (lines.every(isPlain))
    return { fields: readFlat(header, (value) => simpleList(value) ?? unquote(value)), body, present: true };
  // When the flat reader takes every line whole, nothing is lost if YAML fails: `argument-hint: [a] "b`.
  const isWhole = lines.every(isFlat);
  const failed = (why: string): Frontmatter => ({
    fields: readFlat(header, (value) => meantBy(value, look)),
    body,
    present: true,
    problem: isWhole ? undefined : `its header ${why}`,
  });
  if (header.length > MAX_YAML_CHARS) return failed(`is longer than ${MAX_YAML_CHARS} characters`);
  if (!look.takeYaml(header))
    return failed("is beyond the limit of YAML that indus parses from a repository at a start");
  try {
    return { fields: asFields(parseYaml(header)), body, present: true };
  } catch (error) {
    const mended = isWhole ? undefined : lines.map(quoted).join("\n");
    try {
      if (mended !== undefined && look.takeYaml(mended))
        return { fields: asFields(parseYaml(mended)), body, present: true };
    } catch {
      // the first error is about the text as it was written
    }
    return failed(`is not valid YAML (${describeError(error)})`);
  }
}

/** `text` without the blank lines around it; what is indented stays so. */
export function withoutBlankEnds(text: string): string {
  return text.replace(BLANK_LINES, "").trimEnd();
}

const BLANK_LINES = /^(?:[ \t]*\n)+/;

/** About a {@link Frontmatter.isOpen}. */
export const OPEN_HEADER = "its header has no end: expected a line of ---";

/** What to do about a {@link Frontmatter.problem}. */
export const MEND_HEADER = "write values that contain a colon, brackets or quotes in quotes";

/** A field's text; undefined when it is absent, blank or not a string. */
export function textField(fields: Frontmatter["fields"], key: string): string | undefined {
  const value = fields.get(key);
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}

/** Tool names: a list, or a string of names, perhaps in quotes, separated by blanks or commas. `Bash(git add:*)` is one name. */
export function nameList(value: FrontmatterValue | undefined): readonly string[] | undefined {
  if (typeof value === "string") return splitNames(value);
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : undefined;
}

interface Fences {
  readonly begin: RegExp;
  /** With the flags `g` and `m`. */
  readonly end: RegExp;
}

/** The first line and a later one are exactly `---`. */
const STRICT: Fences = { begin: /^---\n/, end: /^---$/gm };
/** As people write them; `...` ends a document of YAML. */
const LENIENT: Fences = { begin: /^(?:[ \t]*\n)*---[ \t]*\n/, end: /^(?:---|\.\.\.)[ \t]*$/gm };

/** The text between two fences. */
function splitHeader(
  text: string,
  { begin, end }: Fences,
): { readonly header?: string; readonly body: string; readonly isOpen?: boolean } {
  const plain = text.replace(/^\ufeff/, "").replaceAll("\r\n", "\n");
  const [opening] = begin.exec(plain) ?? [];
  if (opening === undefined) return { body: plain };
  end.lastIndex = opening.length;
  const found = end.exec(plain);
  if (found === null) return { body: plain, isOpen: true };
  return {
    header: plain.slice(opening.length, found.index),
    body: plain.slice(found.index + found[0].length + 1),
  };
}

function readFlat<Value>(header: string, read: (value: string) => Value): Map<string, Value> {
  const entries = new Map<string, Value>();
  for (const line of header.split("\n")) {
    const colon = line.indexOf(":");
    if (colon <= 0 || /^[\s#]/.test(line)) continue;
    const key = line.slice(0, colon).trim();
    if (key !== "") entries.set(key, read(line.slice(colon + 1).trim()));
  }
  return entries;
}

/** A value of a line as YAML means it, if it is a list or in quotes: `["Read", "Grep"]`. */
function meantBy(value: string, look: LookBudget): FrontmatterValue {
  const isSyntax = /^[["']/.test(value) && value.length <= MAX_YAML_CHARS;
  if (!isSyntax || !look.takeYaml(value)) return unquote(value);
  try {
    const read = parseYaml(value);
    const isSimple = [read].flat().every((item) => typeof item === "string");
    return isSimple ? read : unquote(value);
  } catch {
    return unquote(value); // text behind a list, a quote within quotes
  }
}

function unquote(value: string): string {
  const [first] = value;
  const isQuoted = value.length >= 2 && (first === '"' || first === "'") && value.endsWith(first);
  return isQuoted ? value.slice(1, -1) : value;
}

const COMMENT_OR_BLANK = /^\s*(?:#|$)/;

/** True when the flat reader takes the whole line. */
function isFlat(line: string): boolean {
  return COMMENT_OR_BLANK.test(line) || /^[^\s:#][^:]*:/.test(line);
}

/** The line with its value in quotes, if YAML would take a part of the value for syntax. */
function quoted(line: string): string {
  const [, key = "", rest = ""] = /^([A-Za-z_][\w-]*):\s(.*)$/.exec(line) ?? [];
  const value = rest.trim();
  const hasColon = /^[^"'|>{]/.test(value) && /:(?:\s|$)/.test(value);
  if (!hasColon && (!/^[[@`%*&!]/.test(value) || simpleList(value) !== undefined)) return line;
  return `${key}: '${value.replaceAll("'", "''")}'`;
}

// A value that does not start with YAML syntax and has no comment is the same text for both readers. One that YAML refuses,
// because of a colon or text after a list, leaves the whole header to the flat reader.
const PLAIN_LINE =
  /^[A-Za-z_][\w-]*:(?: *| +[^\s\][{}>|*&!%#`@,'"?:-][^\0-\x1f]*| +"[^"\\\0-\x1f]*" *| +'[^'\0-\x1f]*' *| +\[[\w ./-]*\] +[<[A-Za-z][^\0-\x1f]*)$/;

function isPlain(line: string): boolean {
  if (COMMENT_OR_BLANK.test(line)) return true;
  if (line.includes(" #")) return false;
  return PLAIN_LINE.test(line) || simpleList(/^[A-Za-z_][\w-]*: (.*)$/.exec(line)?.[1]?.trim()) !== undefined;
}

/** `[a, b c]`, if YAML could not read it differently. */
function simpleList(value = ""): readonly string[] | undefined {
  if (!value.startsWith("[") || !value.endsWith("]")) return undefined;
  const items = value
    .slice(1, -1)
    .split(",")
    .map((item) => item.trim());
  return items.every((item) => /^[A-Za-z_][\w./ -]*$/.test(item)) ? items : undefined;
}

function asFields(value: FrontmatterValue): Frontmatter["fields"] {
  if (typeof value === "string" || Array.isArray(value)) throw new Error("it is not a mapping");
  return new Map(Object.entries(value));
}
