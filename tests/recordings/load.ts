// The recordings in a folder: each JSON file is one, or a list of them.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Recording } from "./play.ts";

/** The project's own: written after the providers' public documentation. */
export const OWN_RECORDINGS: string = new URL("fixtures/", import.meta.url).pathname;

export function loadRecordings(folder: string): readonly Recording[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .sort()
    .flatMap((name) => {
      const value = JSON.parse(readFileSync(join(folder, name), "utf8")) as Recording | readonly Recording[];
      return Array.isArray(value) ? (value as readonly Recording[]) : [value as Recording];
    });
}
