// An object in JSON can repeat a name: parsers keep the last value and say nothing of the others.

import { brief } from "indusagi/core";
import { placeAt, TextError } from "./text-error.ts";

// A string, a comment, or a sign. An unterminated one extends to the end of the text.
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"?|\/\/[^\n\r]*|\/\*.*?(?:\*\/|$)|[{}:]/gs;

/** The first name that an object repeats in a text that is valid JSON, with comments or without. */
export function repeatedName(text: string): TextError | undefined {
  const objects: Set<string>[] = [];
  let written = '""';
  let offset = 0;
  for (const { 0: token, index } of text.matchAll(TOKENS)) {
    if (token === "{") objects.push(new Set());
    else if (token === "}") objects.pop();
    else if (token === ":") {
      const name = JSON.parse(written) as string;
      if (objects.at(-1)?.has(name)) {
        const words = `the name "${brief(name)}" appears twice, and only its last value would count: write the name once`;
        return new TextError(words, placeAt(text, offset));
      }
      objects.at(-1)?.add(name);
    } else if (token.startsWith('"')) [written, offset] = [token, index];
  }
  return undefined;
}
