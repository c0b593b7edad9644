// The session's own commands, each one object, as an addon's is.

import { dirname } from "node:path";
import { beginningOf, printable } from "indusagi/core";
import type { Conductor } from "../../conductor/contract.ts";
import { sessionFolder } from "../../conductor/sessions.ts";
import type { Command, InstalledCommand } from "../../feature/command.ts";
import { inWords, type TaskReport } from "../../feature/tasks.ts";
import { type SessionHere, sessionIn } from "../../session/session-here.ts";
import { costTable } from "../usage/cost-table.ts";

export const SESSION_COMMANDS: readonly Command[] = [
  {
    name: "help",
    summary: "show the commands",
    run: ({ handles, say }) => say(helpText(sessionIn(handles.session).features.registry.commands)),
  },
  {
    name: "model",
    summary: "show the model, or switch to another",
    argumentHint: "[provider/model]",
    picks: true,
    complete: (_typed, handles) => sessionIn(handles.session).models.names(),
    run: async ({ args, handles, say }) => {
      const { conductor } = sessionIn(handles.session);
      if (args === "") return say(describeModel(conductor));
      const fault = await conductor.setModel(args);
      say(fault?.message ?? `The model is now ${conductor.status().model}.`);
    },
  },
  {
    name: "cost",
    summary: "show the cost of this session so far",
    run: ({ handles, say }) => say(costTable(sessionIn(handles.session).conductor.status().costs).join("\n")),
  },
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
      say(
        await (await import("../sessions/session-resume.ts")).resumeCommand(
          args,
          sessionIn(handles.session),
          list,
        ),
      ),
  },
  {
    name: "tree",
    summary: "show the turns of this session on all its branches, or continue from one",
    argumentHint: "[[before] N [summary]]",
    run: async ({ args, handles, say, list }) => {
      const { conductor, front } = sessionIn(handles.session);
      const { treeCommand } = await import("../sessions/session-tree.ts");
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
      if (args === "undo")
        return say(await (await import("../sessions/session-tree.ts")).undoCompaction(conductor));
      say((await conductor.compact(args))?.message ?? "Done.");
    },
  },
  {
    name: "tasks",
    summary: "show the background tasks, or start one",
    argumentHint: "[name]",
    run: ({ args, handles, say }) => {
      const { tasks } = sessionIn(handles.session);
      say(args === "" ? describeTasks(tasks.report()) : (tasks.run(args) ?? `Started ${args}.`));
    },
  },
  {
    name: "addons",
    summary: "show the addons, or trust, restart or remove one",
    argumentHint: "[trust|restart|remove ID]",
    run: async ({ args, handles, say }) =>
      say(
        await (await import("../addons/addons-command.ts")).addonsCommand(args, sessionIn(handles.session)),
      ),
  },
  {
    name: "why",
    summary: "show how a call would be decided, part by part, and by which rule",
    argumentHint: "<call>",
    run: async ({ args, handles, say }) =>
      say(await (await import("../permissions/why-command.ts")).whyCommand(args, sessionIn(handles.session))),
  },
  {
    name: "plan",
    summary: "change nothing until you approve a plan; off: leave plan mode",
    argumentHint: "[off]",
    complete: () => ["off"],
    run: ({ args, handles, say }) => say(sessionIn(handles.session).plan.command(args)),
  },
  { name: "quit", summary: "leave", run: ({ handles }) => sessionIn(handles.session).front?.leave() },
  { name: "exit", summary: "leave", run: ({ handles }) => sessionIn(handles.session).front?.leave() },
];

function helpText(commands: readonly InstalledCommand[]): string {
  const rows = commands.map(({ name, argumentHint, summary, feature }) => ({
    usage: argumentHint === undefined ? `/${name}` : `/${name} ${argumentHint}`,
    text: feature.startsWith("builtin:") ? summary : `${summary}  (${feature})`,
  }));
  const width = Math.max(...rows.map(({ usage }) => usage.length));
  return rows.map(({ usage, text }) => `  ${usage.padEnd(width)}  ${text}`).join("\n");
}

function describeModel({ status }: Conductor): string {
  const { model, contextTokens, usage } = status();
  return `${model}  (context ${contextTokens} tokens; ${usage.inputTokens} in and ${usage.outputTokens} out so far)`;
}

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

function describeTasks(reports: readonly TaskReport[]): string {
  if (reports.length === 0) return "No background tasks.";
  return reports
    .map(({ id, feature, state, description, lastFault, startsInMs }) => {
      const again = startsInMs === undefined ? "" : `, next run in ${inWords(startsInMs)}`;
      const line = `  ${id}  ${state}${again}  ${description}  (${feature})`;
      return lastFault === undefined ? line : `${line}\n    ${lastFault}`;
    })
    .join("\n");
}
