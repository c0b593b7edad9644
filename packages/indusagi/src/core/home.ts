// The user's home folder. `os.homedir()` uses HOME unchecked: with `HOME=.` every repository would be the home.

import { userInfo } from "node:os";
import { isAbsolute, normalize } from "node:path";
import { describeError } from "./faults.ts";

/** The variable that names the home folder on this platform. */
export const HOME_VARIABLE: "HOME" | "USERPROFILE" = process.platform === "win32" ? "USERPROFILE" : "HOME";

/**
 * `HOME` (on Windows `USERPROFILE`), or the home in the system's user database if that is unset or empty. Throws if the result
 * is not an absolute path. `env` defaults to the environment of this process.
 */
export function homeFolder(env: Readonly<Record<string, string | undefined>> = process.env): string {
  const name = HOME_VARIABLE;
  const given = env[name] ?? "";
  if (given !== "" && !isAbsolute(given))
    throw new Error(
      `${name} is ${JSON.stringify(given)}, which is not an absolute path. Set it to your home folder, or unset it.`,
    );
  return withoutEnd(given || homeInDatabase(name));
}

/** This user's home according to the user database, whatever the environment says; undefined if it has none. */
export function accountHome(): string | undefined {
  try {
    const { homedir } = userInfo();
    return isAbsolute(homedir) ? withoutEnd(homedir) : undefined;
  } catch {
    return undefined; // the user has no entry, as in some containers
  }
}

function homeInDatabase(name: string): string {
  try {
    const { homedir } = userInfo();
    if (isAbsolute(homedir)) return homedir;
    throw new Error(`its entry is ${JSON.stringify(homedir)}`);
  } catch (error) {
    throw new Error(
      `no home folder: ${name} is not set, and the user database has none (${describeError(error)}). Set ${name} to an absolute path.`,
    );
  }
}

const withoutEnd = (path: string): string => normalize(path).replace(/(?<=.)[/\\]+$/, "");
