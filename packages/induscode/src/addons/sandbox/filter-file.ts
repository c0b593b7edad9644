// bubblewrap reads the system call filter from an open file, and a command line can only name one. The filters are stored in a folder
// that only this user can enter; all of the user's runs share it, so a killed run leaves nothing extra behind.

import { existsSync, lstatSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readBoundedFile } from "indusagi/core";
import { replaceFile } from "../../store/replace-file.ts";
import { type FilterOptions, seccompFilter } from "./calls/seccomp-filter.ts";

/** The path of a file that holds this filter, checked every time: a system may clean its temporary files. */
export function filterFile(options: FilterOptions): string {
  const { architecture, mayStartProcesses, guardMetadata, command } = options;
  const use = command ? `command-${command.sockets}-${command.isAlone ? "alone" : "among"}` : "addon";
  const name = `${architecture}-${mayStartProcesses ? "many" : "one"}-${guardMetadata ? "guarded" : "plain"}-${use}.bpf`;
  const filter = filters.get(name) ?? seccompFilter(options);
  filters.set(name, filter);
  const path = join(privateFolder(), name);
  if (holds(path, filter)) return path;
  replaceFile(path, filter); // atomically: another run may be about to open it
  return path;
}

/** By name: the same options give the same filter, and each command asks for it. */
const filters = new Map<string, Uint8Array>();

/** For this process only, when the shared one cannot be trusted. */
let ownFolder: string | undefined;

/** A folder below the system's temporary one that only this user can enter; it is kept. */
export function privateFolder(): string {
  const shared = join(tmpdir(), `indus-sandbox-${process.getuid?.() ?? "user"}`);
  const isThere = lstatSync(shared, { throwIfNoEntry: false }) !== undefined;
  if (!isThere) mkdirSync(shared, { recursive: true, mode: 0o700 });
  if (isPrivate(shared)) return shared;
  // Someone else created this name, so that a program would start with their filter.
  if (ownFolder === undefined || !existsSync(ownFolder)) {
    const made = mkdtempSync(join(tmpdir(), "indus-sandbox-"));
    process.once("exit", () => rmSync(made, { recursive: true, force: true }));
    ownFolder = made;
  }
  return ownFolder;
}

/** A real folder, not a link to one; owned by this user; closed to all others. */
function isPrivate(path: string): boolean {
  const entry = lstatSync(path);
  return entry.isDirectory() && entry.uid === process.getuid?.() && (entry.mode & 0o077) === 0;
}

function holds(path: string, filter: Uint8Array): boolean {
  try {
    return readBoundedFile(path, filter.byteLength).equals(filter);
  } catch {
    // Missing or not readable: it is written again.
    return false;
  }
}
