// Where packages are, for the person who typed the command, and how they are told about them.

import { nearest, printable } from "indusagi/core";
import type { AddonDescription } from "../../addons/contract.ts";
import { createTieredLoader } from "../../addons/kinds/tiered-loader.ts";
import { hashAddon } from "../../addons/source/content-hash.ts";
import { usesColour } from "../../cli/colour.ts";
import { type Invocation, workingDirectory } from "../../cli/invocation.ts";
import { EXIT_OK, Problem } from "../../cli/problem.ts";
import { createStyle } from "../../console/style.ts";
import type { LineLook } from "../../console/transcript-lines.ts";
import { indusHome } from "../../store/home.ts";
import { homePath } from "../../store/home-files.ts";
import { withLock } from "../../store/lock.ts";
import { type LockedPackage, readLock } from "./package-lock.ts";
import { type PackageSource, parseSource } from "./package-source.ts";
import { createPackageStore, sourceIn } from "./package-store.ts";
import type { FetchedPackage } from "./staged-package.ts";

export type PackagesLine = Invocation<{
  readonly yes?: boolean | undefined;
  readonly name?: string | undefined;
  readonly files?: string | undefined;
  readonly host?: readonly string[] | undefined;
  readonly secret?: readonly string[] | undefined;
  readonly team?: boolean | undefined;
  readonly ask?: boolean | undefined;
  readonly browser?: boolean | undefined;
  readonly sampling?: boolean | undefined;
  readonly unconfined?: boolean | undefined;
  readonly env?: readonly string[] | undefined;
  readonly "start-seconds"?: string | undefined;
  readonly from?: string | undefined;
  readonly json?: boolean | undefined;
}>;

export interface Place {
  readonly home: string;
  readonly cwd: string;
  readonly lock: string;
  readonly store: ReturnType<typeof createPackageStore>;
}

export function placeOf(line: PackagesLine): Place {
  const home = indusHome(line.env);
  return {
    home,
    cwd: workingDirectory(line),
    lock: homePath(home, "packagesLock"),
    store: createPackageStore({ home }),
  };
}

/**
 * Ends an update that was stopped: the folder that stays is the one whose content the lock file has. Nothing to do in nearly every case. Throws a
 * {@link Problem} if the lock file is damaged.
 */
export async function settle({ store, lock }: Pick<Place, "store" | "lock">): Promise<void> {
  if (!store.isUnsettled()) return;
  await withLock(`${lock}.lock`, () =>
    store.settle((folder, name) => hashAddon(folder) === readLock(lock).get(name)?.content),
  );
}

export function parsed(given: string, base: string): PackageSource {
  const source = parseSource(given, base);
  if ("problem" in source) throw new Problem(source.problem);
  return source;
}

export function known(name: string, locked: ReadonlyMap<string, LockedPackage>): LockedPackage {
  const row = locked.get(name);
  if (row) return row;
  const meant = nearest(name, [...locked.keys()]);
  throw new Problem(
    `there is no package called "${name}"${meant === undefined ? "" : `; did you mean "${meant}"?`}`,
  );
}

export function describe(
  fetched: Pick<FetchedPackage, "folder">,
  line: PackagesLine,
  { cwd, home }: Place,
): Promise<AddonDescription> {
  const loader = createTieredLoader({ workspace: cwd, home, env: line.env, requireSandbox: false });
  return loader.describe(sourceIn(fetched.folder));
}

/** Lines that are printable already. */
export function tell(lines: readonly string[]): void {
  if (lines.length > 0) process.stdout.write(`${lines.join("\n")}\n`);
}

export function lookHere({ env }: PackagesLine): LineLook {
  const { stdout } = process;
  const columns = stdout.isTTY ? stdout.columns : Number.MAX_SAFE_INTEGER; // whoever reads a pipe wants whole lines
  return { style: createStyle(usesColour(stdout, env)), columns };
}

/** Anything printed here can quote a package, so it is made printable here, in one place. */
export function say(text: string, code: number = EXIT_OK): number {
  process.stdout.write(`${printable(text)}\n`);
  return code;
}
