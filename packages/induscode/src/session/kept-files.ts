// Where data that outlives a session is stored: in the person's home, for them and for each folder.

import { existsSync } from "node:fs";
import { basename } from "node:path";
import { sessionFolder } from "../conductor/sessions.ts";
import type { Settings } from "../settings/load-settings.ts";
import { homePath } from "../store/home-files.ts";
import type { KeptFiles } from "./kept-stores.ts";

/** For a session in `cwd`. */
export function keptFiles(
  { memory: isOn }: Settings,
  home: string,
  cwd: string,
  personHome: string,
): KeptFiles & { readonly isShown: boolean } {
  const folder = basename(sessionFolder(home, cwd));
  const workItems = homePath(home, "workItems", folder);
  if (isOn === false) return { workItems, isShown: false };
  const memory = { user: homePath(home, "memory", "user"), project: homePath(home, "memory", folder) };
  const isShown = isOn === true || Object.values(memory).some(existsSync);
  return { workItems, memory: { ...memory, linksWithin: personHome }, isShown };
}
