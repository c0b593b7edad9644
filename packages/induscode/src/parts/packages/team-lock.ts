// The lock file of a repository: what a team has. Whoever works there brings it with `indus add`; nothing in it acts by itself.

import { realpathSync } from "node:fs";
import { isAbsolute, join, relative } from "node:path";
import { isInside } from "indusagi/core";
import { Problem } from "../../cli/problem.ts";
import type { LockedPackage } from "./package-lock.ts";
import type { PackageSource } from "./package-source.ts";
import { type Place, parsed } from "./packages-here.ts";
import type { FetchOptions } from "./staged-package.ts";

/** In a repository, for everybody who works in it. */
export function teamLock({ cwd }: Place): string {
  return join(cwd, ".indus", "packages.lock");
}

/** What of a repository's lock file is fetched. */
interface TeamSource {
  readonly source: PackageSource;
  /** Exactly this of what the source may stand for, for what has a checksum or a commit. */
  readonly pinned: FetchOptions["pinned"];
}

/** What a repository names is fetched before it is asked about, so of this machine it can name only what is in the repository. */
export function teamSource(
  { source: text, resolved, integrity }: Pick<LockedPackage, "source" | "resolved" | "integrity">,
  { cwd }: Place,
): TeamSource {
  const source = parsed(text, cwd);
  const isPinned = integrity !== undefined || source.kind === "git" || isCommit(source, resolved);
  const addresses = ["spec" in source ? source.spec : "", isPinned ? resolved : ""];
  const place =
    "path" in source
      ? [source.path].find((path) => !isInside(cwd, realpathSync(path)))
      : addresses.find((each) => OF_THIS_MACHINE.test(each));
  if (place === undefined) return { source, pinned: isPinned ? { resolved, integrity } : undefined };
  throw new Problem(
    `${place} is not in ${cwd}: .indus/packages.lock can name only what is in the repository`,
  );
}

/** A plugin whose list has it in a repository: the list can say another commit tomorrow, and a tag can be moved. */
function isCommit({ kind }: PackageSource, resolved: string): boolean {
  return kind === "plugin" && /^git\+[^#]+#[0-9a-f]{40}/.test(resolved);
}

/** What npm reads from the disk, in any spelling. */
const OF_THIS_MACHINE = /^(?:(?:git\+)?file:|link:|[./~]|[A-Za-z]:[\\/])/;

/** A path of this machine says nothing elsewhere, unless it is below the repository. */
export function sharedSource(source: string, { cwd }: Place): string {
  if (!isAbsolute(source)) return source;
  if (isInside(cwd, source)) return `./${relative(cwd, source)}`;
  throw new Problem(
    `${source} is not in ${cwd}, so .indus/packages.lock cannot name it: it is added only for you`,
  );
}
