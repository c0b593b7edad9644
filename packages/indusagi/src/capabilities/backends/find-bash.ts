// The bash of this machine, for hosts whose commands are written by models: they write bash, whatever a description says.

import { existsSync } from "node:fs";

/** Not looked for on the PATH, which can lead into a repository (`node_modules/.bin`). */
const USUAL_PLACES = ["/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash"];

/**
 * bash as `localShell` takes it; undefined where there is none. It runs the line and nothing before it: no `BASH_ENV`, no function and no
 * option from the environment (`-p`), and no .bashrc, which bash also reads where its standard input is a socket, like Node's pipes.
 */
export function bashShell(): readonly string[] | undefined {
  const bash = findBash();
  return bash === undefined ? undefined : [bash, "--norc", "--noprofile", "-p"];
}

/** Its path. */
export function findBash(): string | undefined {
  return USUAL_PLACES.find((path) => existsSync(path));
}
