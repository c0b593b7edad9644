// The person's home folder. `os.homedir()` takes HOME as it stands: with `HOME=.` every repository would be the home.

import { userInfo } from "node:os";
import { isAbsolute, normalize } from "node:path";
import { describeError } from "./faults.ts";

/** What names the home folder here. */
export const HOME_VARIABLE: "HOME" | "USERPROFILE" = process.platform === "win32" ? "USERPROFILE" : "HOME";

/**
 * `HOME` (on Windows `USERPROFILE`), and where it is unset or empty the one that the system's user database names. Throws
 * where what it finds is not an absolute path. Who has an environment of their own hands it in; default: the process's.
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

/** The home that the user database names for this user, whatever the environment says; undefined where it names none. */
export function accountHome(): string | undefined {
  try {
    const { homedir } = userInfo();
    return isAbsolute(homedir) ? withoutEnd(homedir) : undefined;
  } catch {
    return undefined; // a user without an entry, as in a container
  }
}

function homeInDatabase(name: string): string {
  try {
    const { homedir } = userInfo();
    if (isAbsolute(homedir)) return homedir;
    throw new Error(`it says ${JSON.stringify(homedir)}`);
  } catch (error) {
    throw new Error(
      `there is no home folder: ${name} is not set, and the user database names none (${describeError(error)}). Set ${name} to an absolute path.`,
    );
  }
}

const withoutEnd = (path: string): string => normalize(path).replace(/(?<=.)[/\\]+$/, "");
