import type { CapabilityRequest, FeatureId } from "../../feature/descriptor.ts";
import type { FeatureInstallContext, FeatureModule } from "../../feature/install.ts";
import type { ToolContribution } from "../../feature/tool.ts";

/** A call's session as the feature may reach it. */
export type ReachOf = FeatureInstallContext["reachOf"];

interface ToolFeatureFacts {
  readonly id: FeatureId;
  readonly displayName: string;
  /** What its tools use beyond being there; absent for tools that use nothing. */
  readonly uses?: readonly CapabilityRequest[];
  readonly tools: (reachOf: ReachOf) => readonly ToolContribution[];
}

/** A built-in feature that contributes tools and nothing else; it declares exactly what it records. */
export function createToolFeature({ id, displayName, uses = [], tools }: ToolFeatureFacts): FeatureModule {
  const names = tools(() => undefined).map(({ tool }) => tool.name);
  return {
    descriptor: {
      id,
      displayName,
      runtime: "builtin",
      requestedCapabilities: [
        ...names.map((name) => ({
          capability: { kind: "contribute_tool" as const, name },
          required: true,
          reason: `offers the tool ${name}`,
        })),
        ...uses,
      ],
      declaredTools: names,
      declaredCommands: [],
      declaredHooks: [],
      declaredTasks: [],
    },
    install(context) {
      for (const contribution of tools(context.reachOf)) context.tools.register(contribution);
    },
  };
}
