// `/rewind` in a console.

import { turnsOf } from "../../conductor/turn-list.ts";
import type { Command, CommandContext, PickItem } from "../../feature/command.ts";
import { loggedEntries } from "../../session/logs/logged-entries.ts";
import { type SessionHere, sessionIn } from "../../session/session-here.ts";
import { settingOf } from "../../settings/setting-row.ts";
import { CHECKPOINTS } from "./checkpoints-setting.ts";
import type { RewindPart, RewindWish, Rewound } from "./rewind-report.ts";
import { createTurnChoices } from "./turn-choices.ts";

const BUSY = "The session is busy. Wait for the answer, or stop it first.";
/** For the model, whose conversation did not go back with them. */
const FILES_CHANGED =
  "The person restored files of the working folder to an earlier state. Read a file again before you rely on what you know of it.";
const turnsIn = createTurnChoices();

export const rewindCommand: Command = {
  name: "rewind",
  summary: "restore files, conversation or both to before one of your lines, or undo that",
  argumentHint: "[N|apply N|undo]",
  picks: true,
  complete: (_typed, handles) => turnsIn(sessionIn(handles.session).conductor.status().logPath),
  run: async ({ args, handles, list, say }) =>
    say(await consoleRewind(args, sessionIn(handles.session), { list, say })),
};

type RewoundSession = Pick<SessionHere, "home" | "personHome" | "cwd" | "conductor" | "settings">;

export const undoCommand: Command = {
  name: "undo",
  summary: "restore the files that the last turn changed; repeat for earlier turns",
  run: async ({ handles, say }) => say(await undoLastTurn(sessionIn(handles.session))),
};

/** The files of the last turn that changed some and is not undone yet. */
async function undoLastTurn(session: RewoundSession): Promise<string> {
  if (session.conductor.status().busy) return BUSY;
  const changing = turnsOf(loggedEntries(session.conductor)).filter(({ files }) => files > 0);
  if (changing.length === 0) return "No turn of this session is known to have changed a file.";
  for (const { turn } of changing.reverse()) {
    const shown = await carryOut({ kind: "show", turn, part: "files" }, session);
    if (!shown.isThere) return (await carryOut({ kind: "apply", turn, part: "files" }, session)).text;
  }
  return "Nothing is left to undo: the files are as they were before the first turn that changed files.";
}

/** If there is a list, going back is one choice away; otherwise names the command that does it. */
async function consoleRewind(
  words: string,
  session: RewoundSession,
  { list, say }: Pick<CommandContext, "list" | "say">,
): Promise<string> {
  const { REWIND_USAGE, rewindWish } = await import("./rewind-report.ts");
  const wish = rewindWish(words);
  if (!wish) return REWIND_USAGE;
  if (session.conductor.status().busy) return BUSY;
  const shown = await carryOut(wish, session);
  if (wish.kind !== "show" || !(shown.isDone || shown.isRefused)) return shown.text;
  const { turn } = wish;
  if (!list)
    return shown.isDone
      ? `${shown.text}\nNothing was changed yet. To go back: /rewind apply ${turn}; for only the files: /rewind apply ${turn} files; for only the conversation: /rewind apply ${turn} conversation`
      : shown.text;
  say(shown.text); // all of its files, before anything is done to them
  const chosen = await list.pick(`Go back to before line ${turn}?`, (typed) =>
    choicesOf(shown).filter(({ label }) => label.includes(typed)),
  );
  if (chosen?.part === undefined) return "Nothing was changed.";
  return (await carryOut({ kind: "apply", turn, part: chosen.part }, session)).text;
}

interface Choice extends PickItem {
  /** Absent: nothing goes back. */
  readonly part?: RewindPart;
}

/** Enter alone destroys nothing. */
function choicesOf({ isDone }: Rewound): readonly Choice[] {
  const files: readonly Choice[] = [
    { label: "files and conversation", part: "both" },
    { label: "files only", part: "files", preview: ["the conversation is not changed"] },
  ];
  return [
    { label: "stay here", preview: ["nothing is changed"] },
    ...(isDone ? files : []),
    { label: "conversation only", part: "conversation", preview: ["files stay as they are"] },
  ];
}

async function carryOut(
  wish: RewindWish,
  { home, personHome, cwd, conductor, settings }: RewoundSession,
): Promise<Rewound> {
  const { REWIND_USAGE: usage, rewind } = await import("./rewind-report.ts");
  const { sessionId } = conductor.status();
  const done = await rewind(
    {
      ...{ home, personHome, cwd, sessionId, usage },
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
  const isOnlyFiles = wish.kind === "undo" || (wish.kind === "apply" && wish.part === "files");
  if (isOnlyFiles && done.isDone) conductor.notify("host", FILES_CHANGED);
  return done;
}
