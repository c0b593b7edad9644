// The `---` header of Markdown files: macros, skills, agents. Read as YAML if it is YAML, or becomes it once values with a colon are
// quoted, otherwise by the seed's flat reader: half of the headers in the wild contain an unquoted colon (seed 003; agentskills.io).

import { describeError } from "indusagi/core";
import type { FrontmatterValue } from "./contract.ts";
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
  readonly problem?: string;
}

/** The seed's flat reader: each unindented `key: value` line is an entry. Linear, never throws. */
export function splitFrontmatter(text: string): FlatFrontmatter {
  const { header, body } = splitHeader(text);
  return { entries: [...readFlat(header ?? "")], body };
}

/** The header as YAML with every scalar kept as text, or as flat lines if YAML refuses it. Never throws. */
export function readFrontmatter(text: string): Frontmatter {
  const { header, body } = splitHeader(text);
  if (header === undefined) return { fields: new Map(), body, present: false };
  const lines = header.split("\n");
  const flat = new Map([...readFlat(header)].map(([key, value]) => [key, simpleList(value) ?? value]));
  const fallback = { fields: flat, body, present: true };
  // Both readers agree on such a header, so most files never load the YAML library (25 ms).
  if (lines.every(isPlain)) return fallback;
  // When the flat reader takes every line whole, nothing is lost if YAML fails: `argument-hint: [a] "b`.
  const failed = (why: string): Frontmatter =>
    lines.every(isFlat) ? fallback : { ...fallback, problem: `its header ${why}` };
  if (header.length > MAX_YAML_CHARS) return failed(`is longer than ${MAX_YAML_CHARS} characters`);
  try {
    return { fields: asFields(parseYaml(header)), body, present: true };
  } catch (error) {
    if (lines.every(isFlat)) return fallback;
    try {
      return { fields: asFields(parseYaml(lines.map(quoted).join("\n"))), body, present: true };
    } catch {
      return failed(`is not valid YAML (${describeError(error)})`);
    }
  }
}

/** What to do about a {@link Frontmatter.problem}. */
export const MEND_HEADER = "write values that contain a colon, brackets or quotes in quotes";

/** A field's text; undefined when it is absent, blank or not a string. */
export function textField(fields: Frontmatter["fields"], key: string): string | undefined {
  const value = fields.get(key);
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}

/** Tool names: a list, or a string of names separated by blanks or commas. `Bash(git add:*)` is one name. */
export function nameList(value: FrontmatterValue | undefined): readonly string[] | undefined {
  if (typeof value === "string") return value.match(/[^\s,(]+(?:\([^()]*\))?/g) ?? [];
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : undefined;
}

const FENCE = "---";

/** The text between two `---` lines; the first must be the file's first line. */
function splitHeader(text: string): { readonly header?: string; readonly body: string } {
  const plain = text.replace(/^\ufeff/, "").replaceAll("\r\n", "\n");
  if (!plain.startsWith(`${FENCE}\n`)) return { body: plain };
  const end = /^---$/gm;
  end.lastIndex = FENCE.length + 1;
  const found = end.exec(plain);
  if (found === null) return { body: plain };
  return {
    header: plain.slice(FENCE.length + 1, found.index),
    body: plain.slice(found.index + FENCE.length + 1),
  };
}

function readFlat(header: string): Map<string, string> {
  const entries = new Map<string, string>();
  for (const line of header.split("\n")) {
    const colon = line.indexOf(":");
    if (colon <= 0 || /^[\s#]/.test(line)) continue;
    const key = line.slice(0, colon).trim();
    if (key !== "") entries.set(key, unquote(line.slice(colon + 1).trim()));
  }
  return entries;
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
