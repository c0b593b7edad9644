// Where a project and a person keep what is theirs, in the order in which it counts.

import { join } from "node:path";
import type { MacroOrigin } from "./contract.ts";
import { realPathOf } from "./text-file.ts";
import { findWorkspaceRoot } from "./workspace-root.ts";

/** Absolute paths: the working directory, the person's home folder, and the product's own in it. */
export interface ProductPlaces {
  readonly cwd: string;
  readonly home: string;
  /** Default `<home>/.indus`. */
  readonly indusHome?: string;
}

export interface ProductFolder {
  readonly dir: string;
  readonly origin: MacroOrigin;
  /** The product's folder it lies in: `.indus`, `.claude`, … */
  readonly name: string;
}

/**
 * `folders` (such as `.claude/skills`) of the working directory, of the workspace's root, and of the home folder, in this
 * order. The home folder is nobody's project, also when it is the working directory.
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
  return [...projects.flatMap((base) => at(base, "project")), ...at(home, "user")];
}
