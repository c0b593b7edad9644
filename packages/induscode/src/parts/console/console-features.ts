// The features whose commands only a console has, for those who need the commands' names: in every run these are taken, so that a name
// never means one thing in the console and another outside.

import { sessionCommandsFeature } from "../../deck/builtins/session-commands.ts";
import type { FeatureModule } from "../../feature/install.ts";
import { consoleCommandsFeature } from "./console-commands.ts";
import type { ConsoleFacts } from "./session-reports.ts";

/** None of their commands can run: that takes a console's facts. */
export function consoleFeatures(): readonly FeatureModule[] {
  return [sessionCommandsFeature(), consoleCommandsFeature({} as ConsoleFacts)];
}

export function consoleCommandNames(): ReadonlySet<string> {
  return new Set(consoleFeatures().flatMap(({ descriptor }) => descriptor.declaredCommands));
}
