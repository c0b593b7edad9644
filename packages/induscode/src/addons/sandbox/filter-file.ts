// bubblewrap takes the system call filter from an open file. A command line can only name one, so the filters lie in a
// folder that only this user can enter, from the first use to the end of this process.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type FilterOptions, seccompFilter } from "./seccomp-filter.ts";

const files = new Map<string, string>();
let folder: string | undefined;

/** The path of a file with this filter; written once. */
export function filterFile(options: FilterOptions): string {
  const name = `${options.architecture}-${options.mayStartProcesses ? "many" : "one"}-${options.guardMetadata ? "guarded" : "plain"}.bpf`;
  const known = files.get(name);
  if (known !== undefined) return known;
  const path = join(filterFolder(), name);
  writeFileSync(path, seccompFilter(options), { mode: 0o600, flag: "wx" });
  files.set(name, path);
  return path;
}

function filterFolder(): string {
  if (folder !== undefined) return folder;
  const made = mkdtempSync(join(tmpdir(), "indus-sandbox-"));
  process.once("exit", () => rmSync(made, { recursive: true, force: true }));
  folder = made;
  return made;
}
