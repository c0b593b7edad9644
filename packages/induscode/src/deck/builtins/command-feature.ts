import type { Command } from "../../feature/command.ts";
import type { CapabilityRequest, FeatureId } from "../../feature/descriptor.ts";
import type { FeatureModule } from "../../feature/install.ts";

/** A built-in feature that contributes commands and nothing else. */
export function createCommandFeature(
  id: FeatureId,
  displayName: string,
  commands: readonly Command[],
  uses: readonly CapabilityRequest[] = [],
): FeatureModule {
  return {
    descriptor: {
      id,
      displayName,
      runtime: "builtin",
      requestedCapabilities: uses,
      declaredTools: [],
      declaredCommands: commands.map(({ name }) => name),
      declaredHooks: [],
      declaredTasks: [],
    },
    install(context) {
      for (const command of commands) context.commands.register(command);
    },
  };
}
