// An addon's TOML as plain data, with a bound on its nesting. Errors name the file and the place.

import { TextError } from "../../store/text-error.ts";
import { parseToml as parse } from "../../store/toml.ts";
import { LoaderError } from "../contract.ts";

// A manifest needs three levels; deeper nesting only serves to exhaust the stack.
const MAX_DEPTH = 64;

/** The document of a text. Rejects only with a {@link LoaderError} of kind `toml`. */
export async function parseToml(text: string, path: string): Promise<unknown> {
  try {
    return await parse(text, MAX_DEPTH);
  } catch (cause) {
    if (!(cause instanceof TextError)) throw new LoaderError({ kind: "toml", path }, "not TOML", { cause });
    const { line, column, words } = cause;
    throw new LoaderError({ kind: "toml", path }, words, { line, column, cause });
  }
}
