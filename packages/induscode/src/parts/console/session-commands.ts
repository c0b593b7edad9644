// The session's own commands, each one object, as an addon's is.

import type { Conductor } from "../../conductor/contract.ts";
import type { Command, InstalledCommand } from "../../feature/command.ts";
import { sessionIn } from "../../session/session-here.ts";

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
