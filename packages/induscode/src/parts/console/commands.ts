// Commands about the console and the session that is typed in. They look things up when they run; until then they cost nothing.

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Command, InstalledCommand } from "../../feature/command.ts";
import { frontIn, sessionIn } from "../../session/session-here.ts";
import { themeCommand } from "./terminal-commands.ts";

const leave: Omit<Command, "name"> = {
  summary: "leave",
  run: ({ handles }) => frontIn(handles.session).leave(),
};

export const CONSOLE_COMMANDS: readonly Command[] = [
  {
    name: "help",
    summary: "show the commands",
    run: ({ handles, say }) => say(helpText(sessionIn(handles.session).features.registry.commands)),
  },
  {
    name: "status",
    summary: "show the model, the permission mode, the sandbox, the context and where the log is",
    run: async ({ handles, say }) =>
      say(await (await import("./status-report.ts")).statusReport(sessionIn(handles.session))),
  },
  { name: "quit", ...leave },
  { name: "exit", ...leave },
  themeCommand(({ session }) => ({ themes: frontIn(session).themes, place: sessionIn(session) })),
  {
    name: "context",
    summary: "show what fills the model's context window, by part",
    run: async ({ handles, say }) =>
      say(await (await import("./session-reports.ts")).contextReport(sessionIn(handles.session))),
  },
  {
    name: "todo",
    summary: "show the model's checklist",
    run: async ({ handles, say }) =>
      say((await import("./session-reports.ts")).checklistReport(sessionIn(handles.session))),
  },
  {
    name: "copy",
    summary: "copy the last answer to the clipboard",
    run: async ({ handles: { session }, say }) =>
      say((await import("./session-reports.ts")).copyAnswer(sessionIn(session), frontIn(session))),
  },
  {
    name: "keys",
    summary: "show the key bindings",
    run: async ({ handles, say }) => {
      const [{ readKeys }, { keyLines }] = await Promise.all([
        import("../../front/editor-desk.ts"),
        import("../../tui/keys/list-keys.ts"),
      ]);
      const { table, problems } = await readKeys(sessionIn(handles.session).home);
      const own = "To change keys: keybindings.json in the home, by the names on the left.";
      say([...keyLines(table), ...problems.map((problem) => `  ! ${problem}`), own].join("\n"));
    },
  },
  {
    name: "settings",
    summary: "show each setting and where its value comes from, or write one",
    argumentHint: "[name [value|unset]]",
    complete: (_typed, handles) => sessionIn(handles.session).settingsTable.map(({ name }) => name),
    run: async ({ args, handles, say }) =>
      say(await (await import("./settings-command.ts")).settingsCommand(args, sessionIn(handles.session))),
  },
  {
    name: "init",
    summary: "ask the model to write AGENTS.md, which says what agents must know about this folder",
    argumentHint: "[what matters]",
    run: async ({ args, cwd, handles, say }) => {
      if (!handles.sendMessage) return say("No model is available here.");
      const { initPrompt } = await import("./init-prompt.ts");
      handles.sendMessage(initPrompt(args, existsSync(join(cwd, "AGENTS.md"))));
    },
  },
];

function helpText(commands: readonly InstalledCommand[]): string {
  const rows = commands.map(({ name, argumentHint, summary, feature }) => ({
    usage: argumentHint === undefined ? `/${name}` : `/${name} ${argumentHint}`,
    text: feature.startsWith("builtin:") ? summary : `${summary}  (${feature})`,
  }));
  const width = Math.max(...rows.map(({ usage }) => usage.length));
  return rows.map(({ usage, text }) => `  ${usage.padEnd(width)}  ${text}`).join("\n");
}
