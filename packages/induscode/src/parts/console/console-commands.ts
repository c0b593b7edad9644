// Commands about the current session: one object each. They look things up in the session's log and files when they run; until then they
// cost nothing.

import { homeFolder } from "indusagi/core";
import { createCommandFeature } from "../../deck/builtins/command-feature.ts";
import type { Command } from "../../feature/command.ts";
import type { CapabilityRequest } from "../../feature/descriptor.ts";
import type { FeatureModule } from "../../feature/install.ts";
import { keptFiles } from "../../session/kept-files.ts";
import { commandsOf } from "../../session/part-commands.ts";
import { sessionIn } from "../../session/session-here.ts";
import { SETTINGS } from "../../settings/table.ts";
import { THINKING_LEVELS } from "../../settings/thinking-levels.ts";
import { jobWords } from "../jobs/job-words.ts";
import type { ConsoleFacts } from "./session-reports.ts";

const USES: readonly CapabilityRequest[] = [
  {
    capability: { kind: "memory", read: true, write: true },
    required: false,
    reason: "shows and changes what is remembered, where the person asks for it",
  },
  {
    capability: { kind: "sessions", spawn: true, message: true, restore: true },
    required: false,
    reason: "shows, stops and speaks to the delegates in the background",
  },
  {
    capability: { kind: "files", read: true, write: true, execute: true },
    required: false,
    reason: "reads what is found in the folder, stops jobs, and writes the file of a bug report",
  },
];

/** `/thinking /theme /context /jobs /todo /copy /keys /settings /memory /trust /agents /skills /doctor /bug`. */
export function consoleCommandsFeature(facts: ConsoleFacts): FeatureModule {
  const commands: readonly Command[] = [
    {
      name: "thinking",
      summary: "show or change how hard the model thinks",
      argumentHint: `[${THINKING_LEVELS.join("|")}]`,
      picks: true,
      complete: () => THINKING_LEVELS,
      run: ({ args, handles, say }) => {
        if (args === "") return say(`Levels: ${THINKING_LEVELS.join(", ")}.`);
        say(handles.setThinking?.(args) ?? `The thinking level is "${args}" from the next model call on.`);
      },
    },
    {
      name: "theme",
      summary: "list the colour themes, or choose one",
      argumentHint: "[name]",
      picks: true,
      complete: () => {
        const { themes } = facts;
        const inForce = themes?.why() ?? "in force";
        return (themes?.names() ?? []).map((value) =>
          value === themes?.current() ? { value, detail: inForce } : value,
        );
      },
      run: ({ args, say }) => {
        const { themes } = facts;
        if (!themes) return say("This console has no themes to choose from; the rich one has.");
        if (args !== "") return say(themes.choose(args));
        const why = themes.why();
        say(
          `The theme is ${themes.current()}${why === undefined ? "" : `, ${why}`}. Available: ${themes.names().join(", ")}.`,
        );
      },
    },
    {
      name: "jobs",
      summary: "list background commands and delegates, show the output of one, or stop one",
      argumentHint: "[output|stop|send ID]",
      complete: () => jobWords(facts.background?.() ?? {}),
      run: async ({ args, say }) =>
        say(await (await import("../jobs/jobs-report.ts")).jobsReport(facts.background?.() ?? {}, args)),
    },
    {
      name: "context",
      summary: "show what fills the model's context window, by part",
      run: async ({ say }) => say(await (await import("./session-reports.ts")).contextReport(facts)),
    },
    {
      name: "todo",
      summary: "show the model's checklist",
      run: async ({ say }) => say((await import("./session-reports.ts")).checklistReport(facts)),
    },
    {
      name: "copy",
      summary: "copy the last answer to the clipboard",
      run: async ({ say }) => say((await import("./session-reports.ts")).copyAnswer(facts)),
    },
    {
      name: "keys",
      summary: "show the key bindings",
      run: async ({ say }) => {
        const [{ readKeys }, { keyLines }] = await Promise.all([
          import("../../front/editor-desk.ts"),
          import("../../tui/keys/list-keys.ts"),
        ]);
        const { table, problems } = await readKeys(facts.home);
        const own = "To change keys: keybindings.json in the home, by the names on the left.";
        say([...keyLines(table), ...problems.map((problem) => `  ! ${problem}`), own].join("\n"));
      },
    },
    {
      name: "settings",
      summary: "show each setting and where its value comes from",
      argumentHint: "[name]",
      complete: () => SETTINGS.map(({ name }) => name),
      run: async ({ args, say }) =>
        say(
          (await import("../../settings/settings-report.ts")).settingsReport(
            facts.settings,
            args,
            facts.rules,
          ),
        ),
    },
    {
      name: "memory",
      summary: "show what is remembered, add to it, remove an entry, or accept edits made by hand",
      argumentHint: "[accept|add|add-user|remove TEXT]",
      run: async ({ args, say }) => {
        const { memoryReport } = await import("../memory/memory-report.ts");
        say(
          await memoryReport(
            keptFiles(facts.settings, facts.home, facts.cwd, homeFolder(facts.env)).memory,
            args,
            { text: facts.mask },
          ),
        );
      },
    },
    {
      name: "trust",
      summary: "list the addons here that you have not trusted, or decide about one",
      argumentHint: "[ID]",
      run: async ({ args, handles, say }) => {
        if (args === "")
          return say(await (await import("../addons/untrusted-report.ts")).untrustedReport(facts));
        const { addonsCommand } = await import("../addons/addons-command.ts");
        say(await addonsCommand(`trust ${args}`, sessionIn(handles.session)));
      },
    },
    {
      name: "agents",
      summary: "list the delegates of this folder",
      run: async ({ say }) =>
        say(await (await import("../delegates/run-agents.ts")).agentsReport(facts.line)),
    },
    {
      name: "skills",
      summary: "list the skills of this folder and your own",
      run: async ({ say }) => say((await import("../prompt/run-skills.ts")).skillsReport(facts.line)),
    },
    {
      name: "doctor",
      summary: "show what is found and used here, what is not, and why",
      run: async ({ say }) => {
        const { doctorReport } = await import("../doctor/run-doctor.ts");
        say(
          await doctorReport(facts.line, [await commandsOf(facts.line.parts), consoleCommandsFeature(facts)]),
        );
      },
    },
    {
      name: "bug",
      summary: "write a file for a bug report, without secrets",
      run: async ({ say }) => say((await import("./session-reports.ts")).writeBugReport(facts)),
    },
  ];
  return createCommandFeature("builtin:console", "Console commands", commands, USES);
}
