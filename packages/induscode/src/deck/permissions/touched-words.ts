// Which of its words a command reads, writes and removes, as far as its line shows that for certain.

import type { ShellPart } from "../shell/contract.ts";
import { programName } from "../shell/wrappers.ts";
import { outputsOf, writesNamed } from "./named-places.ts";

/** Words as written; `.` is the folder that it runs in. */
export interface TouchedWords {
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  /** Removed or moved, which writes the folder around them. */
  readonly removes: readonly string[];
}

const WRITES_ALL = /^(?:tee|touch|mkdir|mkfifo|truncate|shred|chmod|chown|chgrp)$/;
const REMOVES_ALL = /^(?:rm|rmdir|unlink)$/;
const COPIES = /^(?:cp|mv|ln|install)$/;
/** Options with which the last word is not the target. */
const OTHER_TARGET = /^(?:-[a-zA-Z]*t|--target)/;
const EDITS =
  /^(?:sed|perl|ruby|g?awk|yq|gofmt|prettier|eslint|ed|ex|n?vim?|nano|emacs|sponge|dos2unix|unix2dos)$/;
/** Of git, what changes a repository that is there, without a network. */
const GIT_WRITES =
  /^(?:add|am|apply|branch|checkout|cherry-pick|clean|commit|gc|merge|mv|notes|rebase|reset|restore|revert|rm|stash|switch|tag)$/;

/** Undefined if it writes something that it is given, and not for certain which. */
export function touchedWords(part: ShellPart, onlyLooks: boolean): TouchedWords | undefined {
  const [first, ...words] = part.words.map(({ value = "" }) => value);
  const program = programName(first) ?? "";
  const operands = operandsOf(words);
  const outputs = outputsOf(part);
  if (onlyLooks) return touched({ reads: operands, writes: outputs });
  if (WRITES_ALL.test(program)) return touched({ writes: operands });
  if (REMOVES_ALL.test(program)) return touched({ removes: operands });
  if (COPIES.test(program)) return copied(program, words, operands);
  if (program === "tar") return packed(words);
  if (program === "git") return inGit(words);
  if (!writesNamed(part)) return touched({ reads: operands, writes: outputs });
  return EDITS.test(program) ? touched({ writes: operands }) : undefined;
}

function touched({ reads = [], writes = [], removes = [] }: Partial<TouchedWords>): TouchedWords {
  return { reads, writes, removes };
}

function operandsOf(words: readonly string[]): readonly string[] {
  const end = words.indexOf("--");
  const before = end === -1 ? words : words.slice(0, end);
  return [...before.filter((word) => !word.startsWith("-")), ...(end === -1 ? [] : words.slice(end + 1))];
}

function copied(
  program: string,
  words: readonly string[],
  operands: readonly string[],
): TouchedWords | undefined {
  if (words.some((word) => OTHER_TARGET.test(word))) return undefined;
  if (program === "install" && words.some((word) => /^(?:-[a-zA-Z]*d|--directory)/.test(word)))
    return touched({ writes: operands });
  const target = operands.at(-1);
  if (target === undefined || operands.length < 2) return undefined;
  const sources = operands.slice(0, -1);
  return program === "mv"
    ? touched({ removes: sources, writes: [target] })
    : touched({ reads: sources, writes: [target] });
}

/** By the letters of its first word: `xzf`, `-czf`. */
function packed([letters = "", ...words]: readonly string[]): TouchedWords | undefined {
  if (!/^-?[a-zA-Z]+$/.test(letters)) return undefined;
  const at = words.findIndex((word) => /^(?:-C|--directory)$/.test(word));
  const folder = at === -1 ? "." : (words[at + 1] ?? ".");
  const others = operandsOf(words.filter((_word, index) => at === -1 || (index !== at && index !== at + 1)));
  if (letters.includes("x")) return touched({ reads: others, writes: [folder] });
  if (letters.includes("t")) return touched({ reads: others });
  if (!letters.includes("c") || !letters.endsWith("f")) return undefined;
  return touched({ reads: [folder, ...others.slice(1)], writes: others.slice(0, 1) });
}

/** A change of its repository is one of the folder that it is told to go to. */
function inGit(words: readonly string[]): TouchedWords | undefined {
  let folder: string | undefined;
  let at = 0;
  for (; words[at]?.startsWith("-"); at++) {
    const [option, value] = [words[at], words[at + 1]];
    if (option === "-C" && folder === undefined && value !== undefined) folder = value;
    else if (option !== "-c" && option !== "--no-pager") return undefined;
    if (option !== "--no-pager") at++;
  }
  const [command = "", ...rest] = words.slice(at);
  const operands = operandsOf(rest);
  if (command === "clone") return operands.length === 1 ? touched({ reads: operands }) : undefined;
  if (/^(?:init|worktree)$/.test(command)) return undefined;
  const isUp = operands.some((word) => word.split("/").includes(".."));
  if (folder !== undefined && isUp) return undefined; // from there
  const reads = [...(folder === undefined ? operands : []), folder ?? "."];
  return GIT_WRITES.test(command) ? touched({ reads, writes: [folder ?? "."] }) : touched({ reads });
}
