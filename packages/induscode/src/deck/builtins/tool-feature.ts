import type { FeatureId, FeatureModule, HostCapability, ToolContribution } from "../../feature/contract.ts";

interface ToolFeatureFacts {
  readonly id: FeatureId;
  readonly displayName: string;
  /** What its tools use, with the reason shown to the person; absent for tools that use nothing. */
  readonly uses?: HostCapability;
  readonly reason?: string;
  readonly tools: readonly ToolContribution[];
}

/** A built-in feature that contributes tools and nothing else; it declares exactly what it records. */
export function createToolFeature({
  id,
  displayName,
  uses,
  reason = displayName,
  tools,
}: ToolFeatureFacts): FeatureModule {
  const names = tools.map((contribution) => contribution.tool.name);
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
        ...(uses ? [{ capability: uses, required: true, reason }] : []),
      ],
      declaredTools: names,
      declaredCommands: [],
      declaredHooks: [],
      declaredTasks: [],
    },
    install(context) {
      for (const contribution of tools) context.tools.register(contribution);
    },
  };
}
