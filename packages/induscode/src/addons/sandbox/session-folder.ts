// The temporary folder of a session's confined commands.

import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

interface SessionFolder {
  readonly at: (name: "tmp" | "home" | `net${string}`) => string;
  readonly remove: () => void;
}

/** The folders of all sessions of this process; any that are left are removed when it exits. */
const made = new Set<string>();

function removeAll(): void {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
}

/** Creates nothing before it is used. For this user only, removed with the session or at process exit. */
export function sessionFolder(): SessionFolder {
  let own: string | undefined;
  return {
    at(name) {
      if (own === undefined) {
        own = realpathSync(mkdtempSync(join(tmpdir(), "indus-commands-")));
        if (made.size === 0) process.on("exit", removeAll);
        made.add(own);
      }
      const path = join(own, name);
      mkdirSync(path, { recursive: true, mode: 0o700 });
      return path;
    },
    remove() {
      if (own === undefined) return;
      rmSync(own, { recursive: true, force: true });
      made.delete(own);
      if (made.size === 0) process.off("exit", removeAll);
      own = undefined;
    },
  };
}
