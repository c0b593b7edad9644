import type { Conductor } from "../../conductor/contract.ts";
import { formatUsage } from "../../console/figures.ts";
import type { Command } from "../../feature/command.ts";
import { sessionIn } from "../../session/session-here.ts";
import { THINKING_LEVELS } from "../../settings/thinking-levels.ts";

export const MODEL_COMMANDS: readonly Command[] = [
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
];

function describeModel({ status }: Conductor): string {
  const { model, contextTokens, usage } = status();
  return `${model}  (context ${contextTokens} tokens; ${formatUsage(usage, "")} so far)`;
}
