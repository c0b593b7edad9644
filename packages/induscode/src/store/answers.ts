// The places in the home that hold the person's answers; no tool may write them.

import { join } from "node:path";
import { isInside } from "indusagi/core";
import { HOME_FILES } from "./home-files.ts";

/**
 * Files that hold the person's answers, those a session resumes from, and what stands for the content that was trusted: the product writes
 * them.
 */
const ANSWERS: readonly (keyof typeof HOME_FILES)[] = [
  ...([
    "memory",
    "permissions",
    "trust",
    "quarantine",
    "credentials",
    "serverLogins",
    "session",
    "addonContent",
  ] as const),
];

/** Whether a real path lies where {@link ANSWERS} do, in any spelling a file system may accept. */
export function holdsAnswers(home: string, realPath: string): boolean {
  return ANSWERS.some((file) => {
    const [top = ""] = HOME_FILES[file].path.split("/");
    return isInside(join(home, top).toLowerCase(), realPath.toLowerCase());
  });
}
