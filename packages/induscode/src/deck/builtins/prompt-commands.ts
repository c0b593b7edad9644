// Commands that expand to text for the model: macros and skills from files, by the name a person types.

import type { Command } from "../../feature/command.ts";
import type { FeatureModule } from "../../feature/install.ts";
import { createCommandFeature } from "./command-feature.ts";

/** One file's command: the text for the model, given these arguments. */
export interface PromptCommand extends Pick<Command, "name" | "summary" | "argumentHint"> {
  readonly expand: (args: string) => string;
  /** Older spellings in its file, each with what to write; absent where they are the file's own format. */
  readonly olderSpellings?: (() => readonly string[]) | undefined;
  /** The absolute path of its file. */
  readonly source: string;
}

/** The feature that contributes them. */
export const PROMPTS = "builtin:prompts";

/** The macros and skills of a session. Their text goes to the model as if the person had typed it. */
export function promptCommandsFeature(commands: readonly PromptCommand[]): FeatureModule {
  const told = new Set<string>();
  return createCommandFeature(
    PROMPTS,
    "Macros and skills",
    commands.map(({ expand, source, olderSpellings = () => [], ...command }) => ({
      ...command,
      run: ({ args, handles, say, sinks }) => {
        const older = told.has(source) ? [] : olderSpellings();
        told.add(source);
        if (older.length > 0) sinks?.alert(olderInWords(source, older));
        if (handles.sendMessage) handles.sendMessage(expand(args));
        else say("No model is available here.");
      },
    })),
    [
      {
        capability: { kind: "alert" },
        required: false,
        reason: "tells you once which macros have an older spelling",
      },
    ],
  );
}

/** What is said about a file with older spellings. They still work. */
export function olderInWords(source: string, older: readonly string[]): string {
  return `${source} has older spellings, which still work: ${older.join(", ")}`;
}
