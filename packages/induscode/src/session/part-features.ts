// What the parts contribute to sessions, like anyone else: `/help` lists what the registry committed.

import type { Part, PartPlace } from "../cli/part.ts";
import { createCommandFeature } from "../deck/builtins/command-feature.ts";
import { lacksHere } from "../feature/capabilities.ts";
import type { HostCapability } from "../feature/descriptor.ts";
import type { FeatureModule } from "../feature/install.ts";
import type { Settings } from "../settings/load-settings.ts";

/** What a person can type in a console. */
export async function commandsOf(parts: readonly Part[]): Promise<FeatureModule> {
  const commands = await Promise.all(parts.map((part) => part.commands?.() ?? []));
  return createCommandFeature("builtin:session", "Session commands", commands.flat());
}

/** The names of these, without slashes. */
export async function commandNamesOf(parts: readonly Part[]): Promise<ReadonlySet<string>> {
  return new Set((await commandsOf(parts)).descriptor.declaredCommands);
}

/** Why a session with these settings cannot offer what others can. */
export function lacksIn(
  parts: readonly Part[],
  env: Readonly<Record<string, string | undefined>>,
  settings: Settings,
): (capability: HostCapability) => string | undefined {
  const lacks = lacksHere(env);
  return (capability) => {
    for (const part of parts) {
      const why = part.lacks?.(settings, capability);
      if (why !== undefined) return why;
    }
    return lacks(capability);
  };
}

/** What sessions in that place have whoever opens them. */
export async function featuresOf(
  parts: readonly Part[],
  place: PartPlace,
): Promise<readonly FeatureModule[]> {
  const features = await Promise.all(parts.map((part) => part.features?.(place) ?? []));
  return features.flat();
}
