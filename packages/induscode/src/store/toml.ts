// The one reader of TOML, in two ways: the loaders of a session's texts cannot wait, and what can wait finds the library in
// the bundle, where it loads in half the time.

import { createRequire } from "node:module";
import { TextError } from "./text-error.ts";

type Library = typeof import("smol-toml");

// Kept, because even a repeated import takes as long as parsing a manifest.
let bundled: Promise<Library> | undefined;

/** The document of a text, nested no deeper than `maxDepth`. Rejects with a {@link TextError} where it is not TOML. */
export async function parseToml(text: string, maxDepth: number): Promise<Readonly<Record<string, unknown>>> {
  bundled ??= import("smol-toml");
  return parseWith(await bundled, text, maxDepth);
}

/** As {@link parseToml}, at once. Throws a {@link TextError}. */
export function parseTomlNow(text: string, maxDepth: number): Readonly<Record<string, unknown>> {
  return parseWith(createRequire(import.meta.url)("smol-toml") as Library, text, maxDepth);
}

function parseWith({ parse, TomlError }: Library, text: string, maxDepth: number): Record<string, unknown> {
  try {
    return parse(text, { maxDepth });
  } catch (cause) {
    if (!(cause instanceof TomlError)) throw cause;
    // The library appends an excerpt of the source, which may be as long as the file.
    const [words = ""] = cause.message.replace("Invalid TOML document: ", "").split("\n");
    throw new TextError(words, cause, { cause });
  }
}
