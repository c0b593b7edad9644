// Where a text is not JSON, and why, in words. Not loaded by a start whose files are right.

import type { ParseError, ParseOptions } from "jsonc-parser";
import { placeAt, TextError } from "./text-error.ts";

export type Library = typeof import("jsonc-parser");

export interface Parsed {
  /** What could be read; undefined when nothing could. */
  readonly value: unknown;
  /** The first mistake, because of which a part of the file may not be in `value`. */
  readonly problem?: Error | undefined;
}

export const STRICT: ParseOptions = { disallowComments: true };
export const TOLERANT: ParseOptions = { allowTrailingComma: true };

export function parseWith({ parse, printParseErrorCode }: Library, text: string, how: ParseOptions): Parsed {
  const errors: ParseError[] = [];
  let value: unknown;
  try {
    value = parse(text, errors, how);
  } catch (error) {
    return { value: undefined, problem: error as Error }; // nested too deeply for the parser
  }
  const [first] = errors;
  if (first === undefined) return { value };
  const words = WORDS[printParseErrorCode(first.error)] ?? "invalid JSON";
  return { value, problem: new TextError(words, placeAt(text, first.offset)) };
}

// jsonc-parser's error names, in words.
const WORDS: Readonly<Record<string, string>> = {
  InvalidSymbol: "an unquoted word or a character that JSON does not allow",
  InvalidNumberFormat: "invalid number",
  PropertyNameExpected: "expected a name in double quotes",
  ValueExpected: "expected a value",
  ColonExpected: 'expected ":" after the name',
  CommaExpected: 'expected ","',
  CloseBraceExpected: 'expected "}"',
  CloseBracketExpected: 'expected "]"',
  EndOfFileExpected: "unexpected text after the end",
  InvalidCommentToken: "comments are not allowed in this file",
  UnexpectedEndOfComment: "unterminated comment",
  UnexpectedEndOfString: "unterminated string",
  UnexpectedEndOfNumber: "incomplete number",
  InvalidUnicode: "invalid \\u escape: expected four hexadecimal digits",
  InvalidEscapeCharacter: "invalid escape: JSON does not allow this character after a backslash",
  InvalidCharacter: "unescaped control character in a string",
};
