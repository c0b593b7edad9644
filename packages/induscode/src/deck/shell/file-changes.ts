// Commands that change nothing but the files that they name: where editing passes without a question, so do they. As with commands that
// only look, a row lists every allowed option, and any other makes the command ask.

import { isHarmlessVariable } from "../../feature/variables.ts";
import type { ShellPart } from "./contract.ts";
import { type OptionList, readOptions } from "./options.ts";

/** What such a command does. Paths as written. */
export interface FileChange {
  /** Regular files that it copies or moves; links and folders can bring more than their name says. */
  readonly sources: readonly string[];
  readonly isMove?: boolean;
  /** Where it puts them: a folder that exists, or the new name of the only source. */
  readonly target?: string;
  /** What else it writes. */
  readonly writes: readonly string[];
  /** What it removes: files, and folders with all that is in them where `isDeep`. */
  readonly removes?: readonly string[];
  readonly isDeep?: boolean | undefined;
  /** It asks git, whose settings can run programs. */
  readonly isGit?: boolean;
}

const COPY: OptionList = { short: "fnvp", long: "force no-clobber verbose" };
const REMOVE: OptionList = { short: "fvrR", long: "force verbose recursive" };
const ADD: OptionList = { short: "AuvnN", long: "all update verbose dry-run intent-to-add" };

/** Undefined if it may do more. */
export function changeOf({ words, variables, unclear, inner }: ShellPart): FileChange | undefined {
  if (unclear !== undefined || inner !== undefined) return undefined;
  if (!variables.every(({ name, value }) => value !== undefined && isHarmlessVariable("", name, value)))
    return undefined;
  const [first, ...rest] = words;
  const program = first?.value?.replace(/^\/(?:usr\/)?bin\//, "");
  const operandsOf = (options: OptionList, from = 0): readonly string[] | undefined => {
    const read = readOptions(rest.slice(from), options);
    const operands = read?.operands.flatMap(({ value }) => value ?? []);
    return operands?.length === read?.operands.length ? operands : undefined;
  };
  if (program === "mkdir") {
    const folders = operandsOf({ short: "pv", long: "parents verbose" });
    return folders && folders.length > 0 ? { sources: [], writes: folders } : undefined;
  }
  if (program === "touch") {
    const files = operandsOf({ short: "acm", long: "no-create" });
    return files && files.length > 0 ? { sources: [], writes: files } : undefined;
  }
  if (program === "rm") {
    const removes = operandsOf(REMOVE);
    const isDeep = readOptions(rest, REMOVE)?.options.some(([name]) => /^(?:[rR]|recursive)$/.test(name));
    return removes && removes.length > 0 ? { sources: [], writes: [], removes, isDeep } : undefined;
  }
  if (program === "cp" || program === "mv") {
    const operands = operandsOf(program === "cp" ? COPY : { ...COPY, short: "fnv" });
    const target = operands?.at(-1);
    if (operands === undefined || target === undefined || operands.length < 2) return undefined;
    return { sources: operands.slice(0, -1), isMove: program === "mv", target, writes: [] };
  }
  if (program !== "git" || rest[0]?.value !== "add") return undefined;
  return operandsOf(ADD, 1) && { sources: [], writes: ["."], isGit: true };
}
