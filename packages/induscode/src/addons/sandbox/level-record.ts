// Remembers between runs which strong level worked, so that a start does not try it again. It can only save the trial: a wrong record
// makes a launch fail, it never makes one less confined.

import { readFileSync, statSync } from "node:fs";
import { HOME_FILES } from "../../store/home-files.ts";
import { readJsonIfGood } from "../../store/json.ts";
import { replaceFile } from "../../store/replace-file.ts";

type RecordedLevel =
  | { readonly level: "bubblewrap"; readonly handsPlaces: boolean }
  | { readonly level: "landlock"; readonly abi: number };

/** What was recorded on this very system: same boot, user, Node, bwrap and namespace settings. */
export function readLevelRecord(path: string, bwrap: string | undefined): RecordedLevel | undefined {
  const record = readJsonIfGood(path, HOME_FILES.sandboxLevel.maxBytes);
  // No record yet, or not ours: the level is tried and recorded again.
  if (typeof record !== "object" || record === null || !("system" in record)) return undefined;
  if (record.system !== systemKey(bwrap) || !("level" in record)) return undefined;
  if (record.level === "bubblewrap" && "handsPlaces" in record && typeof record.handsPlaces === "boolean")
    return { level: "bubblewrap", handsPlaces: record.handsPlaces };
  if (record.level !== "landlock" || !("abi" in record) || typeof record.abi !== "number") return undefined;
  return { level: "landlock", abi: record.abi };
}

/** Only what works is recorded: what does not may be installed a minute later. */
export function writeLevelRecord(path: string, found: RecordedLevel, bwrap: string | undefined): void {
  try {
    replaceFile(path, `${JSON.stringify({ system: systemKey(bwrap), ...found })}\n`);
  } catch {
    // A home that is not writable costs the next start one trial, and nothing else.
  }
}

function systemKey(bwrap: string | undefined): string {
  const file = bwrap === undefined ? undefined : statSync(bwrap, { throwIfNoEntry: false });
  return [
    textAt("/proc/sys/kernel/random/boot_id"),
    textAt("/proc/sys/user/max_user_namespaces"),
    textAt("/proc/sys/kernel/unprivileged_userns_clone"),
    textAt("/proc/sys/kernel/apparmor_restrict_unprivileged_userns"),
    process.getuid?.(),
    process.version,
    process.execPath,
    bwrap,
    file?.mtimeMs,
    file?.size,
  ].join(" ");
}

function textAt(path: string): string {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    // Not every kernel has each of these settings.
    return "";
  }
}
