// Where what is remembered lies: in the person's home, for them and for each folder.

import { existsSync } from "node:fs";
import { basename } from "node:path";
import { type SessionKey, sessionKey } from "indusagi/core";
import type { PartPlace } from "../../cli/part.ts";
import { sessionFolder } from "../../conductor/sessions.ts";
import { settingOf } from "../../settings/setting-row.ts";
import { homePath } from "../../store/home-files.ts";
import type { MemoryFiles } from "./memory.ts";
import { MEMORY } from "./memory-setting.ts";

/** Set in sessions that remember. */
export const MEMORY_FILES: SessionKey<MemoryFiles> = sessionKey("memory");

/** Undefined when memory is off. */
export function keptMemory({ settings, folder, home, personHome }: PartPlace): MemoryFiles | undefined {
  if (settingOf(settings, MEMORY) === false) return undefined;
  return {
    user: homePath(home, "memory", "user"),
    project: homePath(home, "memory", basename(sessionFolder(home, folder))),
    linksWithin: personHome,
  };
}

/** The model is shown what is remembered: there is something, or the person wants it to remember. */
export function isRemembered(place: PartPlace): boolean {
  const files = keptMemory(place);
  return (
    files !== undefined &&
    (settingOf(place.settings, MEMORY) === true || [files.user, files.project].some(existsSync))
  );
}
