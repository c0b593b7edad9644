// Where the product keeps the person's settings, trust and sessions. Files in the working directory can come from anyone and
// never count as the person's.

import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, join, normalize, resolve } from "node:path";
import { accountHome, describeError, errorCode, homeFolder, isInside } from "indusagi/core";

/** Where settings and sessions live: `INDUS_HOME`, otherwise `~/.indus`. Throws when the given path is not absolute. */
export function indusHome(env: NodeJS.ProcessEnv): string {
  const moved = env.INDUS_HOME?.trim();
  if (!moved) return join(homeFolder(env), ".indus");
  if (!isAbsolute(moved))
    throw new Error(
      `INDUS_HOME is ${JSON.stringify(moved)}, which is not an absolute path. Set it to a full path, or unset it for ~/.indus.`,
    );
  return normalize(moved);
}

/** The product's home folder, and what `~` stands for. Absolute paths. */
export interface HomePlaces {
  readonly home: string;
  readonly personHome: string;
}

/** Words of the product's own that name files in `~/.indus/`: with the path of the home instead, where `INDUS_HOME` moved it. */
export function inHome(words: string, { home, personHome }: HomePlaces): string {
  if (!words.includes(USUAL_HOME) || realPath(home) === realPath(join(personHome, ".indus"))) return words;
  return words.replaceAll(USUAL_HOME, () => join(home, "/"));
}

const USUAL_HOME = "~/.indus/";

/**
 * Throws when the home folder or `INDUS_HOME` is not absolute, cannot hold files, or lies in the working directory. The last
 * is allowed when working in the home from the user database, or above it: those are the person's own files.
 */
export function checkHome(env: NodeJS.ProcessEnv, cwd: string): void {
  const homes = { HOME: homeFolder(env), INDUS_HOME: indusHome(env) };
  for (const [name, home] of Object.entries(homes)) {
    // Node's recursive mkdir never returns there.
    if (/^\/(?:proc|sys)(?:\/|$)/.test(realPath(home)))
      throw new Error(
        `${name} is ${home}, which belongs to the kernel and cannot store files. Set ${name} to a folder of your own.`,
      );
  }
  const place = realPath(cwd);
  if (isAccounts(place)) return;
  for (const [name, home] of Object.entries(homes)) {
    if (!isInside(place, home) && !isInside(cwd, home) && !isInside(place, realPath(home))) continue;
    throw new Error(
      `${name} is ${home}, which is inside the working directory ${cwd}: files there may come from a repository and do not count as yours. Set ${name} to a folder outside it, or work in another folder.`,
    );
  }
}

/**
 * Throws why a file of the person's is not read through the symlink in its place: it leads nowhere, or into the working directory.
 * Links to elsewhere are theirs, as managers of dotfiles create them.
 */
export function checkLink(path: string, cwd: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return;
  let target: string;
  try {
    target = realpathSync(path);
  } catch (error) {
    throw new Error(`it is a symlink whose target cannot be resolved (${describeError(error)})`);
  }
  const place = realPath(cwd);
  if (isInside(place, target) && !isAccounts(place))
    throw new Error(
      `it is a symlink to ${target}, inside the working directory: files there may come from a repository and do not count as yours. Replace the link with a copy, or work in another folder`,
    );
}

/** Whether it is the home from the user database, or above it. */
function isAccounts(place: string): boolean {
  const account = accountHome();
  return account !== undefined && isInside(place, realPath(account));
}

/** What is wrong with the home that a run in `cwd` would use as the person's; undefined when nothing is. */
export function homeProblem(env: NodeJS.ProcessEnv, cwd?: string): string | undefined {
  try {
    checkHome(env, cwd !== undefined && isAbsolute(cwd) ? cwd : resolve(currentFolder(env), cwd ?? ""));
    return undefined;
  } catch (error) {
    return describeError(error);
  }
}

/** The process's working directory; if it was removed, the path that it had. */
export function startFolder(env: NodeJS.ProcessEnv): string {
  try {
    return process.cwd();
  } catch {
    return enteredFolder(env);
  }
}

/** The process's working directory. Throws when it was removed, and says which it was. */
function currentFolder(env: NodeJS.ProcessEnv): string {
  try {
    return process.cwd();
  } catch (error) {
    const why = errorCode(error) === "ENOENT" ? "it was removed" : describeError(error);
    throw new Error(
      `the working directory ${enteredFolder(env)} cannot be used: ${why}. Change to another folder.`,
    );
  }
}

/** The working directory's path when it was entered: a shell that starts in a removed one empties PWD. */
function enteredFolder(env: NodeJS.ProcessEnv): string {
  try {
    return readlinkSync("/proc/self/cwd").replace(/ \(deleted\)$/, "");
  } catch {
    return env.PWD || "of this process"; // not on Linux
  }
}

/** The real path, even of what does not exist yet. */
export function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realPath(parent), path.slice(parent.length));
  }
}
