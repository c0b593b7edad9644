// The servers of other agents' files that a person has added: in those files they are used, by the copies that are kept.

import { isTable } from "indusagi/core";
import { HOME_FILES, homePath } from "../../store/home-files.ts";
import { readJson } from "../../store/json.ts";

/** `PATH#SERVER` of each, as `packages.lock` keeps it; none if that is not there, or damaged, which is told elsewhere. */
export function addedServers(home: string): readonly string[] {
  let content: unknown;
  try {
    content = readJson(homePath(home, "packagesLock"), HOME_FILES.packagesLock.maxBytes);
  } catch {
    return [];
  }
  const packages = isTable(content) && isTable(content.packages) ? Object.values(content.packages) : [];
  // Hooks have the plain path of their file, of which the rest stays unused.
  return packages.flatMap((row) =>
    isTable(row) && typeof row.source === "string" && row.source.includes("#") ? [row.source] : [],
  );
}
