// Where packages lie: `packages/<name>/` in the person's home, where a start finds them as it finds other addons of theirs; those that are
// turned off lie in `packages/.off/`, and one that is being fetched in a folder that begins with a dot, too.

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
} from "node:fs";
import { basename, join } from "node:path";
import { type Disposer, nowMs } from "indusagi/core";
import { type AddonSource, addonId } from "../../addons/contract.ts";
import { discoverAddons } from "../../addons/source/discover.ts";
import { Problem } from "../../cli/problem.ts";
import { tidyOnSignals } from "../../cli/signals.ts";
import { homePath } from "../../store/home-files.ts";
import { makeFolder } from "../../store/make-folder.ts";
import { BEFORE, isUnsettled } from "./unsettled.ts";

const OFF = ".off";
const STAGING = ".new-";
/** What an `indus add` that was killed left is removed by a later one. */
const LEFT_AFTER_MS = 24 * 60 * 60 * 1_000;

export interface PackageStore {
  /** An empty folder on the same file system as the packages, until {@link forget}; a signal that ends the process removes it. */
  readonly stage: () => string;
  /** Puts a staged folder in its place. What was there stays beside it until {@link settle}. */
  readonly keep: (folder: string, name: string) => string;
  /** Whether something was begun and not ended. */
  readonly isUnsettled: () => boolean;
  /**
   * Ends what was begun, whoever began it and wherever they were stopped: what `isAgreed` of a package's folders is in its place afterwards, and
   * nothing beside it. The package's former folder counts as agreed if neither is.
   */
  readonly settle: (isAgreed: (folder: string, name: string) => boolean) => void;
  /** Where it is, on or off; undefined if it is nowhere. */
  readonly find: (name: string) => string | undefined;
  readonly remove: (name: string) => void;
  readonly turn: (name: string, how: "on" | "off") => void;
  /** Removes a staged folder. */
  readonly forget: (staged: string) => void;
}

export function createPackageStore({ home }: { readonly home: string }): PackageStore {
  const root = homePath(home, "packages");
  const on = (name: string): string => join(root, name);
  const off = (name: string): string => join(root, OFF, name);
  const before = (name: string): string => join(root, BEFORE, name);
  const remove = (path: string): void => rmSync(path, { recursive: true, force: true });
  const staged = new Set<string>();
  let tidy: Disposer | undefined;
  return {
    stage() {
      makeFolder(root);
      for (const name of readdirSync(root))
        if (name.startsWith(STAGING) && isLeft(join(root, name))) remove(join(root, name));
      tidy ??= tidyOnSignals(() => staged.forEach(remove));
      const folder = mkdtempSync(join(root, STAGING));
      staged.add(folder);
      return folder;
    },
    keep(folder, name) {
      const place = existsSync(off(name)) ? off(name) : on(name);
      makeFolder(join(root, BEFORE));
      if (existsSync(place)) renameSync(place, before(name));
      else mkdirSync(before(name)); // an empty folder stands for a package that was not there
      renameSync(folder, place);
      return place;
    },
    isUnsettled: () => isUnsettled(home),
    settle(isAgreed) {
      if (!existsSync(join(root, BEFORE))) return; // somebody else was quicker
      for (const name of readdirSync(join(root, BEFORE))) {
        const place = existsSync(off(name)) ? off(name) : on(name);
        if (!existsSync(place) || !isAgreed(place, name)) {
          remove(place);
          if (readdirSync(before(name)).length > 0) renameSync(before(name), place);
        }
        remove(before(name));
      }
      rmdirSync(join(root, BEFORE));
    },
    find: (name) => [on(name), off(name)].find((path) => existsSync(path)),
    remove(name) {
      remove(on(name));
      remove(off(name));
    },
    turn(name, how) {
      makeFolder(join(root, OFF));
      const [from, to] = how === "on" ? [off(name), on(name)] : [on(name), off(name)];
      if (existsSync(from)) renameSync(from, to);
    },
    forget(folder) {
      remove(folder);
      staged.delete(folder);
      if (staged.size > 0) return;
      tidy?.();
      tidy = undefined;
    },
  };
}

/** The addon in a package's folder, as a start finds it. */
export function sourceIn(folder: string): AddonSource {
  const { found, faults } = discoverAddons(join(folder, ".."));
  const path = found.find((each) => each === folder || each.startsWith(`${folder}/`));
  if (path === undefined) throw new Problem(faults[0]?.message ?? `${folder} is not an addon any more`);
  return { id: addonId(basename(folder)), path, root: folder, scope: "user" };
}

function isLeft(path: string): boolean {
  return nowMs() - statSync(path).mtimeMs > LEFT_AFTER_MS;
}
