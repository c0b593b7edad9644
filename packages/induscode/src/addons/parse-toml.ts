// TOML of an addon, as plain data with a bound on its nesting. The errors name the file and the place.

import { LoaderError } from "./contract.ts";

// A manifest needs three levels; deeper nesting only serves to exhaust the stack.
const MAX_DEPTH = 64;

// Kept, because even a repeated import takes as long as parsing a manifest.
let toml: Promise<typeof import("smol-toml")> | undefined;

/** The document of a text. Rejects with a {@link LoaderError} of kind `toml`, and nothing else. */
export async function parseToml(text: string, path: string): Promise<unknown> {
  toml ??= import("smol-toml");
  const { parse, TomlError } = await toml;
  try {
    return parse(text, { maxDepth: MAX_DEPTH });
  } catch (cause) {
    if (!(cause instanceof TomlError)) throw new LoaderError({ kind: "toml", path }, "not TOML", { cause });
    const { line, column, message } = cause;
    // The library appends an excerpt of the source, which may be as long as the file.
    const [told = ""] = message.replace("Invalid TOML document: ", "").split("\n");
    throw new LoaderError({ kind: "toml", path }, told, { line, column, cause });
  }
}
