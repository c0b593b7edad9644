// A folder for the tests of the author's tools, removed when the test ends.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { needs } from "./needs.ts";

export interface AuthorFolder {
  readonly cwd: string;
  /** The product's home folder. */
  readonly home: string;
  /** Writes a file of the workspace and returns its path. */
  readonly file: (path: string, text: string | Uint8Array) => string;
}

export function authorFolder(): AuthorFolder {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "indus-author-")));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const [cwd, home] = [join(base, "work"), join(base, "home")];
  for (const folder of [cwd, home]) mkdirSync(folder);
  return {
    cwd,
    home,
    file(path, text) {
      if (path.endsWith(".py")) needs("python3");
      const target = join(cwd, path);
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, text);
      return target;
    },
  };
}
