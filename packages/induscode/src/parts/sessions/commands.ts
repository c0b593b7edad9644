// What a person does with sessions in a console.

import { dirname } from "node:path";
import { beginningOf, printable } from "indusagi/core";
import type { Conductor } from "../../conductor/contract.ts";
import { sessionFolder } from "../../conductor/sessions.ts";
import type { Command } from "../../feature/command.ts";
import { type SessionHere, sessionIn } from "../../session/session-here.ts";

export const SESSIONS_COMMANDS: readonly Command[] = [
  {
    name: "new",
    summary: "start a new session; the old one is kept",
    run: ({ handles, say }) => say(renew(sessionIn(handles.session))),
  },
  {
    name: "fork",
    summary: "continue in a copy of this session, or from before your last N lines",
    argumentHint: "[N]",
    run: ({ args, handles, say }) => say(fork(args, sessionIn(handles.session).conductor)),
  },
  {
    name: "resume",
    summary: "find another session of this folder, and continue it",
    argumentHint: "[N|ID|words]",
    run: async ({ args, handles, say, list }) =>
      say(await (await import("./session-resume.ts")).resumeCommand(args, sessionIn(handles.session), list)),
  },
  {
    name: "sessions",
    summary: "list the sessions of this folder, or those that contain these words",
    argumentHint: "[words]",
    run: async ({ args, handles, say }) => {
      const { conductor, home, cwd } = sessionIn(handles.session);
      const { listedSessions } = await import("./session-resume.ts");
      say(await listedSessions(args, sessionFolder(home, cwd), conductor));
    },
  },
  {
    name: "tree",
    summary: "show the turns of this session on all its branches, or continue from one",
    argumentHint: "[[before] N [summary]]",
    run: async ({ args, handles, say, list }) => {
      const { conductor, front } = sessionIn(handles.session);
      const { treeCommand } = await import("./session-tree.ts");
      say(await treeCommand(args, { conductor, list, retell: front?.retell }));
    },
  },
  {
    name: "rename",
    summary: "give this session a name",
    argumentHint: "<name>",
    run: ({ args, handles, say }) => {
      if (args === "") return say("Usage: /rename NAME.");
      sessionIn(handles.session).conductor.noteTitle({ text: args });
      say(`This session is now called "${printable(args)}".`);
    },
  },
  {
    name: "clear",
    summary: "clear the model's view of this session",
    run: ({ handles, say }) =>
      say(
        sessionIn(handles.session).conductor.clear()?.message ??
          "The model starts afresh; the log keeps everything.",
      ),
  },
  {
    name: "compact",
    summary: "replace the model's view with a summary; undo: restore it",
    argumentHint: "[undo|what to keep]",
    run: async ({ args, handles, say }) => {
      const { conductor } = sessionIn(handles.session);
      if (args === "undo") return say(await (await import("./session-tree.ts")).undoCompaction(conductor));
      const problem = await conductor.compact(args); // an alert says what it did
      if (problem) say(problem.message);
    },
  },
];

function renew({ conductor, home, cwd }: SessionHere): string {
  const problem = conductor.renew()?.message;
  if (problem !== undefined) return problem;
  const { sessionId, logPath } = conductor.status();
  const folder = dirname(logPath);
  return `New session: ${sessionId}${folder === sessionFolder(home, cwd) ? "" : `, in ${folder}`}`;
}

/** `/fork`, or `/fork 2`, which omits the last two lines. */
function fork(words: string, conductor: Conductor): string {
  const back = words === "" ? 0 : Number(words);
  if (!Number.isSafeInteger(back) || back < 0)
    return "Usage: /fork, or /fork N to go back before your last N lines.";
  const from = conductor.status().sessionId;
  const made = conductor.fork(back);
  if ("fault" in made) return made.fault.message;
  const before =
    made.left === "" ? "" : `, before "${beginningOf(printable(made.left.split("\n", 1)[0] ?? ""), 60)}"`;
  return `You are now in ${conductor.status().sessionId}, a fork of ${from}${before}. Files are unchanged.`;
}
