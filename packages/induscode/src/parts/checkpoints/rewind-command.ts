// `/rewind` in a console.

import type { Command, ConsoleList } from "../../feature/command.ts";
import { loggedEntries } from "../../session/logs/logged-entries.ts";
import { type SessionHere, sessionIn } from "../../session/session-here.ts";
import { settingOf } from "../../settings/setting-row.ts";
import { CHECKPOINTS } from "./checkpoints-setting.ts";
import type { RewindWish, Rewound } from "./rewind-report.ts";
import { createTurnChoices } from "./turn-choices.ts";

const turnsIn = createTurnChoices();

export const rewindCommand: Command = {
  name: "rewind",
  summary: "restore files and conversation to before one of your lines, or undo that",
  argumentHint: "[N|apply N|undo]",
  picks: true,
  complete: (_typed, handles) => turnsIn(sessionIn(handles.session).conductor.status().logPath),
  run: async ({ args, handles, list, say }) =>
    say(await consoleRewind(args, sessionIn(handles.session), list)),
};

type RewoundSession = Pick<SessionHere, "home" | "cwd" | "conductor" | "settings">;

/** If there is a list, going back is one choice away; otherwise names the command that does it. */
async function consoleRewind(words: string, session: RewoundSession, list?: ConsoleList): Promise<string> {
  const { REWIND_USAGE, rewindWish } = await import("./rewind-report.ts");
  const wish = rewindWish(words);
  if (!wish) return REWIND_USAGE;
  if (session.conductor.status().busy) return "The session is busy. Wait for the answer, or stop it first.";
  const shown = await carryOut(wish, session);
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
  return (await carryOut({ kind: "apply", turn: wish.turn }, session)).text;
}

async function carryOut(
  wish: RewindWish,
  { home, cwd, conductor, settings }: RewoundSession,
): Promise<Rewound> {
  const { REWIND_USAGE: usage, rewind } = await import("./rewind-report.ts");
  const { sessionId } = conductor.status();
  return rewind(
    {
      ...{ home, cwd, sessionId, usage },
      kept: settingOf(settings, CHECKPOINTS) ?? "edits",
      entries: loggedEntries(conductor),
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
