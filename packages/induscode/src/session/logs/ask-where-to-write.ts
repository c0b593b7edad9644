// The question to a person whose session log cannot be written.

import { mkdtempSync, rmdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { WhereToWrite } from "../../conductor/unwritten.ts";
import { HOST_ASKS } from "../../console/ui-lines.ts";
import type { SessionUi } from "../../feature/ui.ts";

const CHOICES = [
  "retry, once you have freed space or fixed it",
  "continue in another folder",
  "leave it as it is",
];

interface Places {
  /** What a relative path is relative to. */
  readonly cwd: string;
  /** What `~` means. */
  readonly personHome: string;
}

/** Asks again when the person leaves the question about the folder. */
export function createWhereToWrite(
  ui: Pick<SessionUi, "ask">,
  { cwd, personHome }: Places,
): WhereToWrite["ask"] {
  return async (why, signal) => {
    for (;;) {
      const question = `${why}\nUnwritten entries are kept in memory.`;
      const chosen = await ui.ask(HOST_ASKS, { kind: "select", question, choices: CHOICES }, signal);
      if (chosen === 0) return "again";
      if (chosen !== 1) return "leave";
      const fresh = freshFolder();
      const typed = await ui.ask(HOST_ASKS, { kind: "input", question: folderQuestion(fresh) }, signal);
      if (typed === "" && fresh !== undefined) return { folder: fresh };
      if (fresh !== undefined) rmdirSync(fresh);
      if (typeof typed === "string" && typed.trim() !== "")
        return { folder: resolve(cwd, typed.trim().replace(/^~(?=\/|$)/, personHome)) };
    }
  };
}

function folderQuestion(fresh: string | undefined): string {
  return `Which folder should the session continue in?${fresh === undefined ? "" : ` Enter alone: ${fresh}`}`;
}

/** A new private folder, which also proves that it can be written; undefined if none can be created. */
function freshFolder(): string | undefined {
  try {
    return mkdtempSync(join(tmpdir(), "indus-session-"));
  } catch {
    return undefined;
  }
}
