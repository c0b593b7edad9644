// Commands that expand to text for the model: macros and skills from files, by the name a person types.

import type { Command, FeatureModule } from "../../feature/contract.ts";
import { createCommandFeature } from "./command-feature.ts";

/** One file's command: the text for the model, given these arguments. */
export interface PromptCommand extends Pick<Command, "name" | "summary" | "argumentHint"> {
  readonly expand: (args: string) => string;
  /** The absolute path of its file. */
  readonly source: string;
}

/** The feature that contributes them. */
export const PROMPTS = "builtin:prompts";

/** The macros and skills of a session. Their text goes to the model as if the person had typed it. */
export function promptCommandsFeature(commands: readonly PromptCommand[]): FeatureModule {
  return createCommandFeature(
    PROMPTS,
    "Macros and skills",
    commands.map(({ expand, source: _, ...command }) => ({
      ...command,
      run: ({ args, handles, say }) => {
        if (handles.sendMessage) handles.sendMessage(expand(args));
        else say("No model is available here.");
      },
    })),
  );
}
