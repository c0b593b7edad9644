// The home and workspace in which `indus addon test` runs an addon. Their path depends only on the addon, because it appears in the log;
// it is outside the person's home, or instructions there would apply to it. They are recreated for each run and kept until the next, so
// that the author can inspect them.

import { createHash } from "node:crypto";
import { cpSync, existsSync, lstatSync, mkdirSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { isInside } from "indusagi/core";
import { ADDONS_DIR, type AddonSource } from "../../addons/contract.ts";
import { Problem } from "../../cli/problem.ts";
import { homePath } from "../../store/home-files.ts";
import { acquireLock } from "../../store/lock.ts";

export interface TestPlace {
  /** The person's home folder during the test; contains only the folders below. */
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
  /** The folder to copy as the workspace; without it the workspace is empty. */
  readonly workspace?: string | undefined;
}

/** The same limit as for an addon; a larger workspace is not a fixture. */
const MAX_ENTRIES = 10_000;
/** Not copied into the workspace: large, or the business of another session. */
const LEFT_OUT: readonly string[] = [".git", "node_modules", ".indus"];

/** Creates the place. Throws a {@link Problem} if another test of this addon is running, or the workspace is too large. */
export function makeTestPlace({ root }: AddonSource, { home, workspace }: TestPlaceFacts): TestPlace {
  const tests = ownFolder();
  const name = createHash("sha256").update(root).digest("hex").slice(0, 12);
  const lock = acquireLock(join(tests, `${name}.lock`));
  if (!lock.ok) throw new Problem(`this addon is already being tested ${lock.holder}: wait until that ends`);
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
    const levels = homePath(home, "sandboxLevel"); // what can confine here has been probed already
    if (existsSync(levels)) cpSync(levels, homePath(place.home, "sandboxLevel")); // creates the folder
    return place;
  } catch (error) {
    lock.lock.release();
    throw error;
  }
}

/** Anyone can write to the system's temporary folder: nothing that another person created under this name is used. */
function ownFolder(): string {
  const uid = process.getuid?.();
  const path = join(realpathSync(tmpdir()), `indus-addon-tests-${uid ?? "of-this-person"}`);
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const info = lstatSync(path);
  const isOwn = info.isDirectory() && (uid === undefined || (info.uid === uid && (info.mode & 0o077) === 0));
  if (!isOwn)
    throw new Problem(`${path} is not a private folder that belongs to you: remove it, or set TMPDIR`);
  return path;
}

function copyWorkspace(from: string, { folder, workspace }: Pick<TestPlace, "folder" | "workspace">): void {
  if (isInside(from, folder))
    throw new Problem(`${from} contains the test's own folder: choose a smaller workspace with --cwd`);
  let entries = 0;
  for (const name of readdirSync(from)) {
    if (LEFT_OUT.includes(name)) continue;
    cpSync(join(from, name), join(workspace, name), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (path) => {
        if (++entries > MAX_ENTRIES)
          throw new Problem(
            `${from} has more than ${MAX_ENTRIES} entries: choose a smaller workspace with --cwd`,
          );
        return basename(path) !== "node_modules";
      },
    });
  }
}
