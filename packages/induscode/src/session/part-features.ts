// What the parts contribute to sessions, like anyone else: `/help` lists what the registry committed.

import type { Part, PartPlace } from "../cli/part.ts";
import { createCommandFeature } from "../deck/builtins/command-feature.ts";
import type { FeatureModule } from "../feature/install.ts";

/** What a person can type in a console. */
export async function commandsOf(parts: readonly Part[]): Promise<FeatureModule> {
  const commands = await Promise.all(parts.map((part) => part.commands?.() ?? []));
  return createCommandFeature("builtin:session", "Session commands", commands.flat());
}

/** What sessions in that place have whoever opens them. */
export async function featuresOf(
  parts: readonly Part[],
  place: PartPlace,
): Promise<readonly FeatureModule[]> {
  const features = await Promise.all(parts.map((part) => part.features?.(place) ?? []));
  return features.flat();
}
