// Where projects and people keep their files, in order of precedence.

import { join } from "node:path";
import { isInside } from "indusagi/core";
import { LookBudget } from "../store/look-budget.ts";
import type { MacroOrigin } from "./contract.ts";
import { findFile, realPathOf } from "./text-file.ts";
import { findWorkspaceRoot } from "./workspace-root.ts";

/** Absolute paths: the working directory, the person's home folder, and the product's own home in it. */
export interface ProductPlaces {
  readonly cwd: string;
  readonly home: string;
  /** Default `<home>/.indus`. */
  readonly indusHome?: string;
  /** Why a folder must not be read before the person accepts it; undefined for most. */
  readonly heldBack?: ((path: string) => string | undefined) | undefined;
  /** What may be looked at in the project; default: as much as one start may. */
  readonly look?: LookBudget;
}

interface ProductFolder {
  readonly dir: string;
  readonly origin: MacroOrigin;
  /** The product's folder that contains it: `.indus`, `.claude`, … */
  readonly name: string;
  /** Real folders a project's links must stay in; absent when they may lead anywhere. */
  readonly within?: readonly string[];
  readonly look: LookBudget;
}

/**
 * `folders` (such as `.claude/skills`) in the working directory, the workspace root and the home folder, in this order. The
 * home folder is never a project, even as the working directory. A project's links must lead into it or into the person's
 * own folders of the same kind, because a tool may read what is used there without a question.
 */
export function productFolders(places: ProductPlaces, folders: readonly string[]): readonly ProductFolder[] {
  const cwd = realPathOf(places.cwd);
  const home = realPathOf(places.home);
  const projects = [...new Set([cwd, findWorkspaceRoot(cwd, home)])].filter((base) => base !== home);
  const { look: projectLook = new LookBudget() } = places;
  const at = (base: string, origin: MacroOrigin): readonly ProductFolder[] =>
    folders.map((folder) => {
      const [name = "", ...inner] = folder.split("/");
      const moved = origin === "user" && name === ".indus" ? places.indusHome : undefined;
      const look = origin === "user" ? LookBudget.unlimited() : projectLook;
      return { dir: join(moved ?? join(base, name), ...inner), origin, name, look };
    });
  const own = at(home, "user");
  const within = [...projects, ...own.map(({ dir }) => realPathOf(dir))];
  const project = projects.flatMap((base) => at(base, "project").map((each) => ({ ...each, within })));
  // The code that starts the session reports what is held back.
  return [...project.filter(({ dir }) => places.heldBack?.(dir) === undefined), ...own];
}

/** Why the file at `path` is not used; undefined when it may be. A missing file is not a problem. */
export function leadsOut(path: string, within: readonly string[] | undefined): string | undefined {
  if (within === undefined) return undefined;
  const realPath = findFile(path)?.realPath;
  return realPath === undefined || within.some((root) => isInside(root, realPath))
    ? undefined
    : "it is a symlink to outside the project";
}
