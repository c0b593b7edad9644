// What is remembered, as the model is shown it: in each session that is entered, and again once it is out of view.

import type { Entry } from "../../conductor/contract.ts";
import type { SessionHere } from "../../session/session-here.ts";
import { type MemoryFiles, memoryNotice } from "./memory.ts";

const ORIGIN = "builtin:memory";
const MAX_SHOWN_BYTES: number = 8 * 1024;

/** Returns what to do when the session holds these entries. */
export function showMemory(
  files: MemoryFiles,
  { conductor, notices, secrets }: Pick<SessionHere, "conductor" | "notices" | "secrets">,
): (entries: readonly Entry[]) => void {
  const show = (seen?: string, isAgain?: true): void => {
    const text = memoryNotice(files, notices.tell);
    if (text === undefined || secrets.text(text) === seen) return;
    conductor.notify(ORIGIN, secrets.text(text), { maxBytes: MAX_SHOWN_BYTES, isAgain });
  };
  conductor.subscribe(
    (event) => {
      if (event.kind !== "entry") return;
      if (event.entry.type === "summary") show(undefined, true);
      if (event.entry.type === "clear") show();
    },
    { pieces: false },
  );
  return (entries) => show(inView(entries));
}

/** What the view of these entries shows of it. */
function inView(entries: readonly Entry[]): string | undefined {
  const last = entries.findLast(
    (entry) =>
      entry.type === "summary" ||
      entry.type === "clear" ||
      (entry.type === "notice" && entry.origin === ORIGIN),
  );
  return last?.type === "notice" ? last.text : undefined;
}
