// The TOML library behind one function, loaded when the first file needs it.

import { createRequire } from "node:module";

// A profile is flat; deeper nesting only serves to exhaust the stack.
const MAX_DEPTH = 8;

// Synchronous, because the loaders are (seed 003), and not an import, because most sessions never need it.
const require = createRequire(import.meta.url);

/** The document of a text. Throws with the library's message, in one line, where the text is no TOML. */
export function parseTomlTable(text: string): Readonly<Record<string, unknown>> {
  const { parse, TomlError } = require("smol-toml") as typeof import("smol-toml");
  try {
    return parse(text, { maxDepth: MAX_DEPTH });
  } catch (cause) {
    if (!(cause instanceof TomlError)) throw cause;
    const { line, column, message } = cause;
    // The library appends an excerpt of the source, which may be as long as the file.
    const [told = ""] = message.replace("Invalid TOML document: ", "").split("\n");
    throw new Error(`line ${line}, column ${column}: ${told}`, { cause });
  }
}
