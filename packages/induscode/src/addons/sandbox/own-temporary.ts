// In its own mounts a command has a /tmp of its own, which nobody else sees: said with the first command that names a place there.

import { isInside } from "indusagi/core";

const BETWEEN = /[\s'"`=<>|;&(),:]/;
const OF_VARIABLE = /^\$\{?TMPDIR\b/;
/** Of a command, in characters. */
const MAX_CHARS = 20_000;

const REMARK =
  "/tmp is the sandbox's own here: what is written there is seen by the commands of this session, not by the other tools or the person, " +
  "and is gone when the session ends";

/** What must be known of a command that names a place in `/tmp`, except for places that are the machine's own, as real paths. */
export function ownTemporaryRemark(command: string, shared: readonly string[]): string | undefined {
  const words = command.slice(0, MAX_CHARS).split(BETWEEN);
  const isOwn = (word: string): boolean =>
    word === "mktemp" ||
    OF_VARIABLE.test(word) ||
    (word.startsWith("/") && isInside("/tmp", word) && !shared.some((place) => isInside(place, word)));
  return words.some(isOwn) ? REMARK : undefined;
}
