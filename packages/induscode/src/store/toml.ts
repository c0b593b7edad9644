// The one reader of TOML, in two forms: the loaders of a session's texts are synchronous; callers that can wait use the
// bundled library, which loads in half the time.

import { createRequire } from "node:module";
import { TextError } from "./text-error.ts";

type Library = typeof import("smol-toml");

// Cached, because even a repeated import takes as long as parsing a manifest.
let bundled: Promise<Library> | undefined;

/** Parses a document, nested at most `maxDepth` deep. Rejects with a {@link TextError} when it is not TOML. */
export async function parseToml(text: string, maxDepth: number): Promise<Readonly<Record<string, unknown>>> {
  bundled ??= import("smol-toml");
  return parseWith(await bundled, text, maxDepth);
}

/** Like {@link parseToml}, but synchronous. Throws a {@link TextError}. */
export function parseTomlNow(text: string, maxDepth: number): Readonly<Record<string, unknown>> {
  return parseWith(createRequire(import.meta.url)("smol-toml") as Library, text, maxDepth);
}

function parseWith({ parse, TomlError }: Library, text: string, maxDepth: number): Record<string, unknown> {
  try {
    return parse(text, { maxDepth });
  } catch (cause) {
    if (!(cause instanceof TomlError)) throw cause;
    // The library appends an excerpt of the source, which can be as long as the file.
    const [words = ""] = cause.message.replace("Invalid TOML document: ", "").split("\n");
    throw new TextError(words, cause, { cause });
  }
}
