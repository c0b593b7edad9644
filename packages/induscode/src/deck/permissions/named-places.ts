// The files that a command names to a program of which nothing more is known: rules that refuse, or ask about, a file are about them.
// More than are meant may be found, and what the program makes of them is not known.

import { resolve } from "node:path";
import type { ShellPart } from "../shell/contract.ts";
import { programName } from "../shell/wrappers.ts";
import { RISKS } from "./risky-options.ts";

/** Every word behind the program, and each piece of one: `if=secret/a`, `@secret/a`, `HEAD:secret/a`, `-Isecret`. */
export function namedPlaces({ words, folders = [] }: ShellPart): readonly string[] {
  const pieces = words.slice(1).flatMap(({ value = "" }) => {
    const attached = /^-[^-]./.test(value) ? [value.slice(2)] : [];
    return [value, ...attached, ...value.split(/[=@:,]/)];
  });
  const named = [...new Set(pieces)].filter((piece) => piece !== "" && !piece.startsWith("-"));
  return named.flatMap((piece) => folders.map((folder) => resolve(folder, piece)));
}

/** Whether the program writes what it is given. */
export function writesNamed({ words }: ShellPart): boolean {
  const name = programName(words[0]?.value) ?? "";
  return Object.hasOwn(RISKS, name) && RISKS[name]?.places === "written";
}
