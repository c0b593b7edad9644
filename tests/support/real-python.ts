// A version manager replaces `python3` by a script that looks for the interpreter at every start: 0.1 s, ten times as long
// as the interpreter itself needs to start. Here it is asked once, and the interpreter comes before it on every test's PATH.

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";

export function setup(): void {
  const folders = (process.env.PATH ?? "").split(delimiter);
  const at = folders.findIndex((folder) => existsSync(join(folder, "python3")));
  if (at < 0 || !isScript(join(folders[at] ?? "", "python3"))) return;
  const { status, stdout } = spawnSync("python3", ["-I", "-c", "import sys; print(sys.executable)"], {
    encoding: "utf8",
  });
  if (status === 0) process.env.PATH = folders.toSpliced(at, 0, dirname(stdout.trim())).join(delimiter);
}

function isScript(path: string): boolean {
  return readFileSync(path).subarray(0, 2).toString() === "#!";
}
