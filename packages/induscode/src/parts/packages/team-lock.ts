// The lock file of a repository: what a team has. Whoever works there brings it with `indus add`; nothing in it acts by itself.

import { realpathSync } from "node:fs";
import { isAbsolute, join, relative, sep } from "node:path";
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

/** What a row names, as it is in the repository's lock file. Throws a {@link Problem} for what nobody else could fetch. */
export function sharedRow(
  { base, provenance: _, options: { unconfined: __, ...options } = {}, ...row }: LockedPackage, // of this machine, checked anew elsewhere, or for each to say
  { cwd }: Place,
): LockedPackage {
  if (base !== undefined && base !== cwd && isAbsolute(row.resolved))
    throw new Problem(
      `${row.source} is relative to ${base}, and your team reads .indus/packages.lock in ${cwd}: add it there; now it is added only for you`,
    );
  return { ...row, options, source: shared(row.source, cwd), resolved: shared(row.resolved, cwd) };
}

/** A path of this machine says nothing elsewhere, unless it is below the repository. */
function shared(text: string, cwd: string): string {
  if (text.startsWith("mcp:")) return text.replaceAll(`${cwd}${sep}`, `.${sep}`);
  const [, scheme = "", path = ""] = /^(file:(?=\/))?(.*)$/s.exec(text) ?? [];
  if (isAbsolute(path) && isInside(cwd, path)) return `${scheme}./${relative(cwd, path)}`;
  if (!OF_THIS_MACHINE.test(text)) return text;
  throw new Problem(
    `${text} is not in ${cwd}, so your team could not fetch it, and .indus/packages.lock does not name it: it is added only for you`,
  );
}
