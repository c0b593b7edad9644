// The features whose commands only a console has, for those who need the commands' names: in every run these are taken, so that a name
// never means one thing in the console and another outside.

import type { Part } from "../../cli/part.ts";
import type { FeatureModule } from "../../feature/install.ts";
import { commandsOf } from "../../session/part-commands.ts";
import { consoleCommandsFeature } from "./console-commands.ts";
import type { ConsoleFacts } from "./session-reports.ts";

/** None of their commands can run: that takes a console's facts. */
export async function consoleFeatures(parts: readonly Part[]): Promise<readonly FeatureModule[]> {
  return [await commandsOf(parts), consoleCommandsFeature({} as ConsoleFacts)];
}

export async function consoleCommandNames(parts: readonly Part[]): Promise<ReadonlySet<string>> {
  return new Set((await consoleFeatures(parts)).flatMap(({ descriptor }) => descriptor.declaredCommands));
}
