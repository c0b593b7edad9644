// What an agent is before it runs: a name, a purpose, a prompt, its tools and its model.

/** Which tools an agent has: only those that read, those plus the ones that change files and run commands, or all. */
export type ToolCollection = "read-only" | "coding" | "all";

/** A complete agent, validated. */
export interface AgentBlueprint {
  /** 1 to 64 lower-case letters, digits and hyphens, not starting with a hyphen. */
  readonly name: string;
  readonly description: string;
  readonly systemPrompt: string;
  readonly toolCollection: ToolCollection;
  /** `provider/model`; undefined to use the caller's model. */
  readonly model?: string | undefined;
  readonly tags?: readonly string[] | undefined;
}

/** A partial blueprint. Missing fields come from the profile, then from the baseline. */
export type AgentSpec = { readonly [Key in keyof AgentBlueprint]?: AgentBlueprint[Key] | undefined } & {
  /** The name of the profile to start from. */
  readonly profile?: string | undefined;
};

/** Everything that is wrong with a spec, each as `path: message`. */
export interface BlueprintError {
  readonly issues: readonly string[];
}

export type BlueprintResult =
  | { readonly ok: true; readonly blueprint: AgentBlueprint }
  | { readonly ok: false; readonly error: BlueprintError };
