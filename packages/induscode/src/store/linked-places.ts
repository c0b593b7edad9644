// Places in a working directory that act later although their names do not say so: where links of the agents' folders lead, a repository
// under another name than `.git`, and the folder that it names for its hooks.

import { type Dirent, readdirSync, readlinkSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { isInside } from "indusagi/core";
import { coreSetting, gitFile, linkedGitFolder, realPath } from "./git-links.ts";
import { type Acts, protectedName } from "./protected-names.ts";

interface LinkedPlaces {
  /** Real paths in the working directory, including everything below them. Not all of them exist. */
  readonly places: readonly string[];
  /** The same outside of it. */
  readonly outer: readonly string[];
  /** The repository, if it is in the working directory under another name: its acting parts act. */
  readonly repository?: string | undefined;
}

/** In `root`, a real path. Only links directly in these folders, and in those of skills, commands and the like, are followed. */
export function linkedPlaces(root: string): LinkedPlaces {
  const dotGit = join(root, ".git");
  const git = linkedGitFolder(dotGit) ?? realPath(dotGit);
  const common = resolve(git, gitFile(join(git, "commondir"))?.trim() ?? "");
  const hooks = coreSetting(join(common, "config"), "hooksPath");
  const found = [...targetsIn(root), ...(hooks === undefined ? [] : [realPath(resolve(root, hooks))])];
  const places = [...new Set(found)];
  return {
    places: places.filter((place) => isInside(root, place)),
    outer: places.filter((place) => !isInside(root, place)),
    repository: git !== dotGit && isInside(root, git) ? git : undefined,
  };
}

/** What a real path at or below one of the places of now does; undefined elsewhere. */
export function actsByLink(root: string, path: string): Acts | undefined {
  const { places, repository = [] } = linkedPlaces(root);
  const isOne = places.concat(repository).some((place) => isInside(place, path));
  return isOne ? "configures tools that run automatically" : undefined;
}

/** Folders whose entries agents load one by one. */
const HOLDERS = new Set(["skills", "commands", "agents", "addons", "output-styles"]);

function targetsIn(root: string): readonly string[] {
  const named = entriesOf(root).filter(({ name }) => name !== ".git" && protectedName(name, true));
  const inner = foldersOf(root, named).map((folder) => ({ folder, entries: entriesOf(folder) }));
  const held = inner.flatMap(({ folder, entries }) =>
    foldersOf(
      folder,
      entries.filter(({ name }) => HOLDERS.has(name)),
    ).map((each) => ({ folder: each, entries: entriesOf(each) })),
  );
  return [{ folder: root, entries: named }, ...inner, ...held].flatMap(({ folder, entries }) =>
    entries.flatMap((entry) => (entry.isSymbolicLink() ? targetOf(join(folder, entry.name)) : [])),
  );
}

function foldersOf(folder: string, entries: readonly Dirent[]): readonly string[] {
  return entries.flatMap((entry) => (entry.isDirectory() ? [join(folder, entry.name)] : []));
}

/** Also of a link that leads to nothing yet. */
function targetOf(link: string): readonly string[] {
  try {
    const real = realPath(link);
    return [real === link ? resolve(dirname(link), readlinkSync(link)) : real];
  } catch {
    return []; // it is gone
  }
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
