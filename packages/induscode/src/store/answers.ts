// Which places of the home hold answers of the person, which no tool may give in their stead.

import { join } from "node:path";
import { isInside } from "indusagi/core";
import { HOME_FILES } from "./home-files.ts";

/** What holds the person's answers, and what a session goes on from: the product writes it where they answer. */
const ANSWERS: readonly (keyof typeof HOME_FILES)[] = [
  ...(["memory", "permissions", "trust", "quarantine", "credentials", "session"] as const),
];

/** Whether a real path lies where {@link ANSWERS} do, as any file system might spell it. */
export function holdsAnswers(home: string, realPath: string): boolean {
  return ANSWERS.some((file) => {
    const [top = ""] = HOME_FILES[file].path.split("/");
    return isInside(join(home, top).toLowerCase(), realPath.toLowerCase());
  });
}
