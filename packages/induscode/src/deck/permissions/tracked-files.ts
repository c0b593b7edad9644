// What git shows, lists or throws away without being given its name: the files that the index of the repository has, as far as rules name
// them. What only its history has is not looked through.

import { dirname, join, resolve } from "node:path";
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

const PATCH = /^(?:-[pucW]|-[UL].*|--(?:patch|cc|unified|function-context)\b.*)$/;
const NO_PATCH =
  /^(?:-s|--(?:stat|shortstat|numstat|name-only|name-status|summary|quiet|no-patch|compact-summary|dirstat|check|raw)\b.*)$/;

/** Whether it uses all files that it is not limited from; `paths`: only with a path. */
const USES: Readonly<
  Record<TrackedUse, Readonly<Record<string, (words: readonly string[]) => boolean | "paths">>>
> = {
  read: {
    show: (words) => showsPatch(words) && !isOfBlobs(words),
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

/** `HEAD:src/a.ts`, whose file is named. */
function isOfBlobs(words: readonly string[]): boolean {
  const operands = words.filter((word) => !word.startsWith("-"));
  return operands.length > 0 && operands.every((word) => /^[^:]*:[^!^(/]/.test(word));
}

/** The files of a repository. */
interface Known {
  /** Those that a rule is about. */
  readonly ruled: readonly string[];
  /** All of them, and their folders. */
  readonly places: ReadonlySet<string>;
}

export interface TrackedFiles {
  /** What a command uses; undefined for one that uses none by itself. */
  readonly usedBy: (part: ShellPart, use: TrackedUse) => Promise<Tracked | undefined>;
  /** All in the repository of a folder; none if they cannot be told. */
  readonly all: (folder: string) => Promise<ReadonlySet<string>>;
}

/** For the commands of one line: each index is read once. */
export function createTrackedFiles(files: GitFiles, isRuled: (path: string) => boolean): TrackedFiles {
  const indexes = new Map<string, Promise<Known | string>>();
  const known = (folder: string): Promise<Known | string> => {
    const found = indexes.get(folder) ?? lookUp(folder);
    indexes.set(folder, found);
    return found;
  };
  return { usedBy, all };

  async function lookUp(folder: string): Promise<Known | string> {
    const tracked = await filesInIndex(folder, files);
    if (typeof tracked === "string") return tracked;
    const paths = tracked.names.map((name) => join(tracked.top, name));
    const places = new Set(paths);
    for (const path of paths)
      for (
        let above = dirname(path);
        !places.has(above) && isInside(tracked.top, above);
        above = dirname(above)
      )
        places.add(above);
    return { ruled: paths.filter(isRuled), places };
  }

  async function all(folder: string): Promise<ReadonlySet<string>> {
    const found = await known(folder);
    return typeof found === "string" ? new Set() : found.places;
  }

  async function usedBy(part: ShellPart, use: TrackedUse): Promise<Tracked | undefined> {
    if (programName(part.words[0]?.value) !== "git") return undefined;
    const words = part.words.slice(1).map(({ text, value = text }) => value);
    const at = leadingOptions(words);
    const [verb = "", ...rest] = words.slice(at);
    const uses = Object.hasOwn(USES[use], verb) ? USES[use][verb]?.(rest) : undefined;
    if (!uses) return undefined;
    const moved = words
      .slice(0, at)
      .flatMap((word, index) => (word === "-C" ? [words[index + 1] ?? "."] : []));
    const found: string[] = [];
    for (const from of part.folders ?? []) {
      const folder = resolve(from, ...moved);
      const tracked = await known(folder);
      if (typeof tracked === "string") return { files: [], hidden: tracked };
      const paths = pathsIn(rest, { isList: verb === "ls-files", folder, places: tracked.places });
      if (paths.length === 0 && uses === "paths") continue;
      const left = rest
        .flatMap((word) => LEFT_OUT.exec(word)?.slice(1) ?? [])
        .map((word) => resolve(folder, word));
      found.push(
        ...tracked.ruled
          .filter((path) => paths.length === 0 || paths.some((isMeant) => isMeant(path)))
          .filter((path) => !left.some((each) => isInside(each, path))),
      );
    }
    return { files: found };
  }
}

/** `:!secrets` */
const LEFT_OUT = /^:(?:[!^]|\(exclude\))([^:].*)$/;

/** The words that limit a command to files. */
function pathsIn(
  words: readonly string[],
  {
    isList,
    folder,
    places,
  }: { readonly isList: boolean; readonly folder: string; readonly places: Known["places"] },
): readonly ((path: string) => boolean)[] {
  const dashes = words.indexOf("--");
  return words.flatMap((word, at) => {
    const wanted = resolve(folder, word);
    const isPath = isList || (dashes >= 0 && at > dashes) || word.includes("*") || places.has(wanted);
    if (!isPath || word === "" || /^[-:]/.test(word)) return [];
    return [(path: string) => isInside(wanted, path) || (word.includes("*") && matchWildcard(wanted, path))];
  });
}
