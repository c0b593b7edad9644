// A tool as a feature contributes it: with what the boundary must know of a call before it runs.

import type { DefinedTool } from "indusagi/capabilities";
import type { JsonValue } from "indusagi/core";
import type { FeatureId, HostCapability } from "./descriptor.ts";

/** One thing a tool call would touch. The permission check decides on these, never on a tool's name alone. */
export type Access =
  | { readonly kind: "read"; readonly path: string }
  | { readonly kind: "write"; readonly path: string }
  | {
      readonly kind: "execute";
      readonly command: string;
      readonly cwd: string;
      /** Variables set by features that can affect what runs; absent when there are none. */
      readonly variables?: readonly SetVariable[];
      /** Why it asks to run outside the command sandbox; absent when it does not. */
      readonly outside?: string | undefined;
    }
  | { readonly kind: "network"; readonly host: string }
  /** Hands work to a delegate; its own calls are checked when it makes them. */
  | { readonly kind: "delegate"; readonly agent: string };

/** A variable in a command's environment, and the feature that set it. */
export interface SetVariable {
  readonly name: string;
  readonly value: string;
  readonly by: string;
}

/** A tool with what the boundary needs to know about it. */
export interface ToolContribution {
  readonly tool: DefinedTool;
  /**
   * What a call with these final, schema-checked arguments would touch; paths absolute. `home` is what `~` means in the
   * calling session. Must not throw.
   */
  readonly accesses: (input: JsonValue, cwd: string, home?: string) => readonly Access[];
  /** True for a call that may change what others see without touching it here: it runs alone. Must not throw. */
  readonly alone?: (input: JsonValue) => boolean;
  /** What every call of it does, whatever its arguments: where that is refused, the model is not shown the tool. */
  readonly always?: readonly Access["kind"][] | undefined;
  /** True for a tool that mostly waits for something outside this process. */
  readonly waits?: boolean;
  /** True for a tool that runs its commands through the context's shell, which may confine them. */
  readonly runsInShell?: boolean | undefined;
  /** It lists or reads the resources of one MCP server: the model reaches it through the pair of tools for all servers. */
  readonly resources?: "list" | "read" | undefined;
  /** If one of them is missing, the tool is not installed; the rest of its feature is. */
  readonly requiredCapabilities?: readonly HostCapability[];
}

/** A committed tool with the feature it came from. */
export interface InstalledTool extends ToolContribution {
  readonly feature: FeatureId;
  /** Whether its feature is not running at present: the tool is then hidden from the model. */
  readonly rests?: (() => boolean) | undefined;
}
