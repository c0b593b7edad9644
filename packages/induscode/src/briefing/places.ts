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
  readonly look?: LookBudget | undefined;
  /** Names that the person gave to models. */
  readonly aliases?: ReadonlySet<string> | undefined;
  /** Texts that came with the person's packages. */
  readonly packages?: readonly PackageTexts[] | undefined;
}

export type TextKind = "skills" | "commands" | "agents" | "outputStyles";

/** A package that brings texts, and where: absolute folders or files in its own. */
export interface PackageTexts extends Readonly<Record<TextKind, readonly string[]>> {
  readonly name: string;
  readonly root: string;
}

interface ProductFolder {
  readonly dir: string;
  readonly origin: MacroOrigin;
  /** The product's folder that contains it: `.indus`, `.claude`, … */
  readonly name: string;
  /** Real folders a project's links must stay in; absent when they may lead anywhere. */
  readonly within?: readonly string[];
  readonly look: LookBudget;
  /** The package that it came with: what has a name of another's is called `package:name`. */
  readonly packageName?: string;
}

/**
 * `folders` (such as `.claude/skills`) in the working directory, the workspace root and the home folder, in this order. The
 * home folder is never a project, even as the working directory. A project's links must lead into it or into the person's
 * own folders of the same kind, because a tool may read what is used there without a question.
 * Last come the packages' own of that kind, which nothing may lead out of.
 */
export function productFolders(
  places: ProductPlaces,
  folders: readonly string[],
  kind?: TextKind,
): readonly ProductFolder[] {
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
  return [
    ...project.filter(({ dir }) => places.heldBack?.(dir) === undefined),
    ...own,
    ...(kind === undefined ? [] : packageFolders(places, kind)),
  ];
}

function packageFolders({ packages = [] }: ProductPlaces, kind: TextKind): readonly ProductFolder[] {
  return packages.flatMap((each) =>
    each[kind].map((dir) => ({
      ...{ dir, origin: "user" as const, name: "", packageName: each.name },
      ...{ within: [realPathOf(each.root)], look: LookBudget.unlimited() },
    })),
  );
}

/** What a text of a package is called: by its own name, or with the package's before it where that name is another's. */
export function freeName(name: string, packageName: string | undefined, isTaken: boolean): string {
  return isTaken && packageName !== undefined ? `${packageName}:${name}` : name;
}

/** Why the file at `path` is not used; undefined when it may be. A missing file is not a problem. */
export function leadsOut(path: string, within: readonly string[] | undefined): string | undefined {
  if (within === undefined) return undefined;
  const realPath = findFile(path)?.realPath;
  return realPath === undefined || within.some((root) => isInside(root, realPath))
    ? undefined
    : "it is a symlink to outside the project";
}
