// The one reader of JSON files: strict, or with comments and trailing commas for files that a person writes. jsonc-parser,
// loaded only when strict parsing fails, locates the mistake.

import { isUtf8 } from "node:buffer";
import { createRequire } from "node:module";
import { type BoundedRead, describeError, readBoundedFile } from "indusagi/core";
import { type Library, type Parsed, parseWith, STRICT, TOLERANT } from "./json-mistakes.ts";
import { repeatedName } from "./repeated-name.ts";
import { placeAt, TextError } from "./text-error.ts";

/** The value in a file. Throws the system's error, or a {@link TextError} when the text is not JSON. */
export function readJson(path: string, maxBytes: number, how?: BoundedRead): unknown {
  const text = readJsonText(path, maxBytes, how);
  try {
    return JSON.parse(text);
  } catch (error) {
    const { problem } = parseWith(createRequire(import.meta.url)("jsonc-parser") as Library, text, STRICT);
    if (problem instanceof TextError) throw problem;
    throw new TextError(describeError(error), { line: 1, column: 1 }); // nested too deeply for the parser
  }
}

/** The value in a file; undefined when the file is missing or damaged. */
export function readJsonIfGood(path: string, maxBytes: number): unknown {
  try {
    return JSON.parse(readJsonText(path, maxBytes));
  } catch {
    return undefined; // callers rebuild it or work without it
  }
}

/** The value of a text that may have comments and trailing commas; undefined when it is damaged. */
export function commentedJson(text: string): unknown {
  const { value, problem } = parsedWithComments(text);
  return problem === undefined ? value : undefined;
}

/** The same of a file. Throws the system's error, or a {@link TextError} when it is damaged; a repeated name is a `problem`. */
export function readCommentedJson(path: string, maxBytes: number): Parsed {
  const bytes = readBoundedFile(path, maxBytes);
  const text = textOf(bytes);
  const { value, problem = notUtf8(bytes, text) } = parsedWithComments(text);
  if (problem !== undefined) throw problem;
  return { value, problem: repeatedName(text) };
}

function parsedWithComments(text: string): Parsed {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return parseWith(createRequire(import.meta.url)("jsonc-parser") as Library, text, TOLERANT);
  }
}

/** The text of a JSON file. */
export function readJsonText(path: string, maxBytes: number, how?: BoundedRead): string {
  return textOf(readBoundedFile(path, maxBytes, how));
}

/** Editors on some systems write a byte order mark at the start. */
function textOf(bytes: Buffer): string {
  return bytes.toString("utf8").replace(/^\uFEFF/, "");
}

export interface TolerantRead extends Parsed {
  readonly text: string;
}

/** Reads a file that may have comments and trailing commas; strict JSON loads no library. Throws the system's error. */
export async function readJsonTolerantly(
  path: string,
  maxBytes: number,
  how?: BoundedRead,
): Promise<TolerantRead> {
  const bytes = readBoundedFile(path, maxBytes, how);
  const text = textOf(bytes);
  const foreign = notUtf8(bytes, text);
  if (foreign) return { text, value: undefined, problem: foreign };
  const { value, problem } = await parseTolerantly(text);
  return { text, value, problem: problem ?? repeatedName(text) };
}

function notUtf8(bytes: Buffer, text: string): TextError | undefined {
  if (isUtf8(bytes)) return undefined;
  return new TextError(
    "expected text in UTF-8, found other bytes",
    placeAt(text, Math.max(0, text.indexOf("\uFFFD"))),
  );
}

async function parseTolerantly(text: string): Promise<Parsed> {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return parseWith(await import("jsonc-parser"), text, TOLERANT);
  }
}
