// What git shows, lists or throws away without being given its name: the files that the index of the repository has, as far as rules name
// them. What only its history has is not looked through.

import { join, resolve } from "node:path";
import { isInside, matchWildcard } from "indusagi/core";
import type { ShellPart } from "../shell/contract.ts";
import type { GitFiles } from "../shell/git-place.ts";
import { filesInIndex } from "../shell/git-settings.ts";
import { leadingOptions } from "../shell/options.ts";
import { programName } from "../shell/wrappers.ts";

export interface Tracked {
  readonly files: readonly string[];
  /** Why they are not known; absent if they are. */
  readonly hidden?: string;
}

/** What is done with them. */
export type TrackedUse = "read" | "write" | "list";

const NONE: Tracked = { files: [] };

const PATCH = /^(?:-[pucW]|-[UL].*|--(?:patch|cc|unified|function-context)\b.*)$/;
const NO_PATCH =
  /^(?:-s|--(?:stat|shortstat|numstat|name-only|name-status|summary|quiet|no-patch|compact-summary|dirstat|check|raw)\b.*)$/;

/** Whether it uses all files that it is not limited from; `paths`: only with a path. */
const USES: Readonly<
  Record<TrackedUse, Readonly<Record<string, (words: readonly string[]) => boolean | "paths">>>
> = {
  read: {
    show: (words) => showsPatch(words) && !words.some((word) => word.includes(":")),
    diff: showsPatch,
    "format-patch": () => true,
    archive: () => true,
    log: (words) => words.some((word) => PATCH.test(word)),
    stash: (words) => words.includes("show") && words.some((word) => PATCH.test(word)),
  },
  write: {
    reset: (words) => words.includes("--hard"),
    checkout: (words) => words.some((word) => /^(?:-f|--force)$/.test(word)) || "paths",
    restore: (words) =>
      words.some((word) => /^(?:-S|--staged)$/.test(word)) &&
      !words.some((word) => /^(?:-W|--worktree)$/.test(word))
        ? false
        : "paths",
    rm: (words) => (words.includes("--cached") ? false : "paths"),
  },
  list: {
    "ls-files": () => true,
    diff: (words) => words.includes("--name-only"),
    show: (words) => words.includes("--name-only"),
    grep: (words) => words.some((word) => /^(?:-[a-zA-Z]*[lL]|--files-with(?:out)?-match(?:es)?)/.test(word)),
  },
};

function showsPatch(words: readonly string[]): boolean {
  return !words.some((word) => NO_PATCH.test(word)) || words.some((word) => PATCH.test(word));
}

/** Those that `isRuled` is about; undefined for a command that uses none by itself. */
export async function trackedFiles(
  part: ShellPart,
  use: TrackedUse,
  { files, isRuled }: { readonly files: GitFiles; readonly isRuled: (path: string) => boolean },
): Promise<Tracked | undefined> {
  if (programName(part.words[0]?.value) !== "git") return undefined;
  const words = part.words.slice(1).map(({ text, value = text }) => value);
  const at = leadingOptions(words);
  const [verb = "", ...rest] = words.slice(at);
  const uses = Object.hasOwn(USES[use], verb) ? USES[use][verb]?.(rest) : undefined;
  if (!uses) return undefined;
  const moved = words.slice(0, at).flatMap((word, index) => (word === "-C" ? [words[index + 1] ?? "."] : []));
  const found = await Promise.all(
    (part.folders ?? []).map(async (from): Promise<Tracked> => {
      const folder = resolve(from, ...moved);
      const tracked = await filesInIndex(folder, files);
      if (typeof tracked === "string") return { files: [], hidden: tracked };
      const paths = tracked.names.map((name) => join(tracked.top, name));
      const isMeant = limitOf(rest, verb, { folder, paths });
      if (isMeant === undefined && uses === "paths") return NONE;
      return { files: paths.filter((path) => isMeant?.(path) !== false && isRuled(path)) };
    }),
  );
  const hidden = found.find((each) => each.hidden !== undefined)?.hidden;
  return { files: found.flatMap((each) => each.files), ...(hidden === undefined ? {} : { hidden }) };
}

/** Which files its words limit it to; undefined if they limit it to none. */
function limitOf(
  words: readonly string[],
  verb: string,
  { folder, paths }: { readonly folder: string; readonly paths: readonly string[] },
): ((path: string) => boolean) | undefined {
  const dashes = words.indexOf("--");
  const isPath = (word: string, at: number): boolean =>
    (dashes >= 0 && at > dashes) || verb === "ls-files" || word.includes("*") || paths.some(isBelow(word));
  const isBelow = (word: string): ((path: string) => boolean) => {
    const wanted = resolve(folder, word);
    return (path) => isInside(wanted, path) || (word.includes("*") && matchWildcard(wanted, path));
  };
  const given = words
    .filter((word, at) => !/^[-:]/.test(word) && word !== "" && isPath(word, at))
    .map(isBelow);
  return given.length === 0 ? undefined : (path) => given.some((isMeant) => isMeant(path));
}
