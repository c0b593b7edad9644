// Where a project and a person keep what is theirs, in the order in which it counts.

import { join } from "node:path";
import { isInside } from "indusagi/core";
import type { MacroOrigin } from "./contract.ts";
import { findFile, realPathOf } from "./text-file.ts";
import { findWorkspaceRoot } from "./workspace-root.ts";

/** Absolute paths: the working directory, the person's home folder, and the product's own in it. */
export interface ProductPlaces {
  readonly cwd: string;
  readonly home: string;
  /** Default `<home>/.indus`. */
  readonly indusHome?: string;
  /** Why a folder is not to be read until the person accepts it; undefined for most. */
  readonly heldBack?: (path: string) => string | undefined;
}

interface ProductFolder {
  readonly dir: string;
  readonly origin: MacroOrigin;
  /** The product's folder it lies in: `.indus`, `.claude`, … */
  readonly name: string;
  /** Real folders that a project's links must stay in; absent where they may lead anywhere. */
  readonly within?: readonly string[];
}

/**
 * `folders` (such as `.claude/skills`) of the working directory, of the workspace's root, and of the home folder, in this
 * order. The home folder is nobody's project, also when it is the working directory. What a project links to must lie in it,
 * or in the person's own folders of the same kind: from what is used there, a tool may read without a question.
 */
export function productFolders(places: ProductPlaces, folders: readonly string[]): readonly ProductFolder[] {
  const cwd = realPathOf(places.cwd);
  const home = realPathOf(places.home);
  const projects = [...new Set([cwd, findWorkspaceRoot(cwd, home)])].filter((base) => base !== home);
  const at = (base: string, origin: MacroOrigin): readonly ProductFolder[] =>
    folders.map((folder) => {
      const [name = "", ...inner] = folder.split("/");
      const moved = origin === "user" && name === ".indus" ? places.indusHome : undefined;
      return { dir: join(moved ?? join(base, name), ...inner), origin, name };
    });
  const own = at(home, "user");
  const within = [...projects, ...own.map(({ dir }) => realPathOf(dir))];
  const project = projects.flatMap((base) => at(base, "project").map((each) => ({ ...each, within })));
  // Whoever starts the session says what is held.
  return [...project.filter(({ dir }) => places.heldBack?.(dir) === undefined), ...own];
}

/** Why what lies at `path` is not used; undefined where it may be. Nothing is wrong with what is not there. */
export function leadsOut(path: string, within: readonly string[] | undefined): string | undefined {
  if (within === undefined) return undefined;
  const realPath = findFile(path)?.realPath;
  return realPath === undefined || within.some((root) => isInside(root, realPath))
    ? undefined
    : "it is a link that leads out of the project";
}
