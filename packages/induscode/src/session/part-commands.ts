import type { Part } from "../cli/part.ts";
import { createCommandFeature } from "../deck/builtins/command-feature.ts";
import type { FeatureModule } from "../feature/install.ts";

/** What a person can type in a console, contributed like anyone else's commands: `/help` lists what the registry committed. */
export async function commandsOf(parts: readonly Part[]): Promise<FeatureModule> {
  const commands = await Promise.all(parts.map((part) => part.commands?.() ?? []));
  return createCommandFeature("builtin:session", "Session commands", commands.flat());
}
