// The files that a command names to an otherwise unknown program: rules that refuse, or ask about, a file apply to them. It may find more
// than are meant, and what the program does with them is not known.

import { resolve } from "node:path";
import type { ShellPart } from "../shell/contract.ts";
import { programName } from "../shell/wrappers.ts";
import { RISKS } from "./risky-options.ts";

/** Every word after the program, and each piece of one: `if=secret/a`, `@secret/a`, `HEAD:secret/a`, `-Isecret`. */
export function namedPlaces({ words, folders = [] }: ShellPart): readonly string[] {
  const pieces = words.slice(1).flatMap(({ value = "" }) => {
    const attached = /^-[^-]./.test(value) ? [value.slice(2)] : [];
    return [value, ...attached, ...value.split(/[=@:,]/)];
  });
  const named = [...new Set(pieces)].filter((piece) => piece !== "" && !piece.startsWith("-"));
  return named.flatMap((piece) => folders.map((folder) => resolve(folder, piece)));
}

/** Whether the program writes to what it is given. */
export function writesNamed({ words }: ShellPart): boolean {
  const name = programName(words[0]?.value) ?? "";
  return Object.hasOwn(RISKS, name) && RISKS[name]?.places === "written";
}
