// Where `indus addon test` runs an addon: a home and a workspace of its own, at a path that the addon decides, because the
// path stands in the log; outside the person's home, whose instructions would be read from below it. It is made anew for
// each run and stays until the next, so that the author can look at it.

import { createHash } from "node:crypto";
import { cpSync, existsSync, lstatSync, mkdirSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { isInside } from "indusagi/core";
import { ADDONS_DIR, type AddonSource } from "../addons/contract.ts";
import { homePath } from "../store/home-files.ts";
import { acquireLock } from "../store/lock.ts";
import { Problem } from "./problem.ts";

export interface TestPlace {
  /** The person's home folder during the test: it holds nothing but what follows. */
  readonly folder: string;
  /** The product's home folder. */
  readonly home: string;
  readonly workspace: string;
  /** The copy of the addon, in the workspace. */
  readonly addon: string;
  /** Lets the next test of this addon begin. */
  readonly release: () => void;
}

export interface TestPlaceFacts {
  /** The product's real home folder. */
  readonly home: string;
  /** The folder whose copy is the workspace; an empty one without it. */
  readonly workspace?: string;
}

/** As much as an addon may hold; a larger workspace is not a fixture. */
const MAX_ENTRIES = 10_000;
/** Not part of a copied workspace: large, or another session's business. */
const LEFT_OUT: readonly string[] = [".git", "node_modules", ".indus"];

/** Makes the place. Throws a {@link Problem} when another test of this addon runs, or the workspace is too large. */
export function makeTestPlace({ root }: AddonSource, { home, workspace }: TestPlaceFacts): TestPlace {
  const tests = ownFolder();
  const name = createHash("sha256").update(root).digest("hex").slice(0, 12);
  const lock = acquireLock(join(tests, `${name}.lock`));
  if (!lock.ok) throw new Problem(`this addon is being tested ${lock.holder}: wait for its end`);
  try {
    const folder = join(tests, name);
    rmSync(folder, { recursive: true, force: true });
    const place = {
      folder,
      home: join(folder, ".indus"),
      workspace: join(folder, "workspace"),
      addon: join(folder, "workspace", ADDONS_DIR, basename(root)),
      release: lock.lock.release,
    };
    mkdirSync(place.workspace, { recursive: true });
    if (workspace !== undefined) copyWorkspace(workspace, place);
    cpSync(root, place.addon, { recursive: true, verbatimSymlinks: true });
    mkdirSync(place.home);
    const levels = homePath(home, "sandboxLevel"); // what confines here was found out already
    if (existsSync(levels)) cpSync(levels, homePath(place.home, "sandboxLevel")); // makes the folder
    return place;
  } catch (error) {
    lock.lock.release();
    throw error;
  }
}

/** Everybody may write to the system's temporary folder: what another person put there under this name is not used. */
function ownFolder(): string {
  const uid = process.getuid?.();
  const path = join(realpathSync(tmpdir()), `indus-addon-tests-${uid ?? "of-this-person"}`);
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const info = lstatSync(path);
  const isOwn = info.isDirectory() && (uid === undefined || (info.uid === uid && (info.mode & 0o077) === 0));
  if (!isOwn) throw new Problem(`${path} is not a folder of yours alone: remove it, or set TMPDIR`);
  return path;
}

function copyWorkspace(from: string, { folder, workspace }: Pick<TestPlace, "folder" | "workspace">): void {
  if (isInside(from, folder))
    throw new Problem(`${from} holds the folder of the test: name a smaller workspace with --cwd`);
  let entries = 0;
  for (const name of readdirSync(from)) {
    if (LEFT_OUT.includes(name)) continue;
    cpSync(join(from, name), join(workspace, name), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (path) => {
        if (++entries > MAX_ENTRIES)
          throw new Problem(
            `${from} has more than ${MAX_ENTRIES} entries: name a smaller workspace with --cwd`,
          );
        return basename(path) !== "node_modules";
      },
    });
  }
}
