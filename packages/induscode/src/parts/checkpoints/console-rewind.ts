// `/rewind` in a console.

import { existsSync } from "node:fs";
import type { Conductor } from "../../conductor/contract.ts";
import { readEntries } from "../../conductor/log-reader.ts";
import type { ConsoleList } from "../../feature/command.ts";
import { REWIND_USAGE, type RewindFacts, type RewindWish, rewind, rewindWish } from "./rewind-report.ts";

export interface ConsoleRewind {
  readonly home: string;
  readonly cwd: string;
  readonly conductor: Pick<Conductor, "status" | "fork" | "noteRewind" | "secure">;
  readonly kept: RewindFacts["kept"];
}

/** If there is a list, going back is one choice away; otherwise names the command that does it. */
export async function consoleRewind(
  words: string,
  facts: ConsoleRewind,
  list?: ConsoleList,
): Promise<string> {
  const wish = rewindWish(words.trim());
  if (!wish) return REWIND_USAGE;
  if (facts.conductor.status().busy) return "The session is busy. Wait for the answer, or stop it first.";
  const shown = await carryOut(wish, facts);
  if (wish.kind !== "show" || !shown.isDone) return shown.text;
  if (!list) return `${shown.text}\nNothing was changed yet. To go back there: /rewind apply ${wish.turn}`;
  const [head = "", ...rows] = shown.text.split("\n");
  const stay = { label: "stay here", preview: ["nothing is changed"] };
  const goBack = { label: "go back", preview: rows };
  const chosen = await list.pick(
    head,
    (typed) => [stay, goBack].filter(({ label }) => label.includes(typed)), // Enter alone destroys nothing
  );
  if (chosen !== goBack) return `${shown.text}\nNothing was changed.`;
  return (await carryOut({ kind: "apply", turn: wish.turn }, facts)).text;
}

function carryOut(
  wish: RewindWish,
  { home, cwd, conductor, kept }: ConsoleRewind,
): ReturnType<typeof rewind> {
  const { sessionId, logPath } = conductor.status();
  return rewind(
    {
      ...{ home, cwd, kept, sessionId, usage: REWIND_USAGE },
      entries: existsSync(logPath) ? readEntries(logPath).entries : [],
      fork(back) {
        const made = conductor.fork(back);
        return "fault" in made
          ? { problem: made.fault.message }
          : { sessionId: conductor.status().sessionId };
      },
      async note(entry) {
        conductor.noteRewind(entry);
        await conductor.secure();
      },
    },
    wish,
  );
}
