// Node's cache of compiled code, for a Node that the build made none for.
"use strict";

module.exports = { keepCompiledCode };

/** V8's compiled code outlives the process in the user's cache folder; NODE_DISABLE_COMPILE_CACHE turns it off. */
function keepCompiledCode() {
  const { isAbsolute, join } = require("node:path");
  const home = process.env.HOME || process.env.USERPROFILE;
  const caches = process.env.XDG_CACHE_HOME || (home && join(home, ".cache"));
  if (!caches || !isAbsolute(caches)) return;
  const folder = join(caches, "indus", "compiled");
  if (isPersons(folder) && holdsOnlyFiles(folder)) require("node:module").enableCompileCache(folder);
}

/** Node opens what lies there as it is: a pipe among it would hold every start up for ever. */
function holdsOnlyFiles(folder) {
  const { readdirSync } = require("node:fs");
  const { join } = require("node:path");
  try {
    for (const name of readdirSync(folder)) {
      if (!name.startsWith(process.version)) continue;
      const odd = readdirSync(join(folder, name), { withFileTypes: true }).find((entry) => !entry.isFile());
      if (odd === undefined) continue;
      process.stderr.write(
        `indus: compiled code is not used: ${join(folder, name, odd.name)} is not a regular file; remove it\n`,
      );
      return false;
    }
    return true;
  } catch {
    return true; // there is none yet, or Node finds out itself that it cannot be read
  }
}

/** What lies below the working directory may be a repository's, and would run in here; but not where the person's home does. */
function isPersons(folder) {
  const { isAbsolute, relative } = require("node:path");
  try {
    const here = process.cwd();
    const isBelow = (path) => {
      const way = relative(here, path);
      return !isAbsolute(way) && !/^\.\.(?:[/\\]|$)/.test(way);
    };
    return !(isBelow(folder) || isBelow(placeOf(folder))) || isBelow(require("node:os").userInfo().homedir);
  } catch {
    return false; // no such folder as the working directory any more, or a user without an entry in the user database
  }
}

/** The real place of what may not be there yet. */
function placeOf(path) {
  const { basename, dirname, join } = require("node:path");
  try {
    return require("node:fs").realpathSync.native(path);
  } catch {
    return dirname(path) === path ? path : join(placeOf(dirname(path)), basename(path));
  }
}
