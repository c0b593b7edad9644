// What an agent is before it runs: a name, a purpose, a prompt, its tools and its model (seed 000, the half of `smithy`).

/** Which tools an agent has: those that only observe, those and the ones that change files and run commands, or all. */
export type ToolCollection = "read-only" | "coding" | "all";

/** A whole agent, checked. */
export interface AgentBlueprint {
  /** Small letters, digits and hyphens, 1 to 64 of them, the first no hyphen. */
  readonly name: string;
  readonly description: string;
  readonly systemPrompt: string;
  readonly toolCollection: ToolCollection;
  /** `provider/model`; undefined for the model of whoever runs it. */
  readonly model?: string;
  readonly tags?: readonly string[];
}

/** As much of a blueprint as somebody wrote. What is absent comes from the profile, and else from the baseline. */
export type AgentSpec = { readonly [Key in keyof AgentBlueprint]?: AgentBlueprint[Key] | undefined } & {
  /** The profile to start from, by its name. */
  readonly profile?: string | undefined;
};

/** Everything that is wrong with a spec, each as `path: message`. */
export interface BlueprintError {
  readonly issues: readonly string[];
}

export type BlueprintResult =
  | { readonly ok: true; readonly blueprint: AgentBlueprint }
  | { readonly ok: false; readonly error: BlueprintError };
