// What a feature says of itself before it runs: who it is, what it asks for, what it declares. Nothing is granted by asking.

import type { UiPart } from "./ui.ts";

/** Source-qualified identity: `builtin:files`, `project:redact`, `user:notes`, `plugin:<digest>:lint`. */
export type FeatureId = `${"builtin" | "project" | "user" | "plugin"}:${string}`;

/** Whether the feature with this id ships with the product. */
export function isBuiltIn(feature: string): boolean {
  return feature.startsWith("builtin:");
}

export type FeatureRuntimeKind =
  | "builtin"
  | "declarative"
  | "module"
  | "python"
  | "process"
  | "wasm"
  | "mcp"
  | "hooks";

/** What a feature may ask the host for. */
export type HostCapability =
  | { readonly kind: "contribute_tool"; readonly name: string }
  | { readonly kind: "contribute_hook"; readonly point: string }
  | { readonly kind: "background_task" }
  | { readonly kind: "model_notification" }
  | { readonly kind: "alert" }
  | { readonly kind: "files"; readonly read: boolean; readonly write: boolean; readonly execute: boolean }
  | { readonly kind: "work_items"; readonly read: boolean; readonly write: boolean }
  | { readonly kind: "memory"; readonly read: boolean; readonly write: boolean }
  | {
      readonly kind: "sessions";
      readonly spawn: boolean;
      readonly message: boolean;
      readonly restore: boolean;
    }
  | { readonly kind: "network"; readonly purpose: string; readonly hosts: readonly string[] }
  | { readonly kind: "secret"; readonly id: string }
  /** Its own processes may be a browser's: more memory, files and programs, still in its sandbox and with its hosts alone. */
  | { readonly kind: "browser" }
  /** It may have the session's model answer texts of its own, which the person pays for. */
  | { readonly kind: "sampling" }
  /** Its program runs outside of the sandbox, with all that the person may do. Only `indus add` grants it, by a flag of its own. */
  | { readonly kind: "unconfined" }
  | ({ readonly kind: "ui" } & { readonly [Part in UiPart]: boolean });

export interface CapabilityRequest {
  readonly capability: HostCapability;
  /** When it is missing, what needs it is not installed: the whole feature, or the contributions listed in `neededBy`. */
  readonly required: boolean;
  /** `/deploy` for a command, otherwise a tool's name, an event or a task's id. */
  readonly neededBy?: readonly string[] | undefined;
  /** Shown to the person who is asked to grant it. */
  readonly reason: string;
}

/** What becomes of what a feature guards when it fails: it passes, or it is stopped. */
export type FailurePolicy = "allow" | "block";

/** Declarative and serialisable: safe to show before the feature runs. */
export interface FeatureDescriptor {
  readonly id: FeatureId;
  readonly displayName: string;
  readonly version?: string | undefined;
  readonly runtime: FeatureRuntimeKind;
  /**
   * `block`: what it guards stays closed while it fails or cannot be asked. This covers its gates, whatever each one
   * declares, its transforms of events that can be stopped, and its interceptors.
   */
  readonly onFailure?: FailurePolicy | undefined;
  /** How long each of its handlers may take, where that is more than the usual: its own time, beside that of all others. */
  readonly patienceMs?: number | undefined;
  readonly requestedCapabilities: readonly CapabilityRequest[];
  readonly declaredTools: readonly string[];
  readonly declaredCommands: readonly string[];
  /** Events it handles, and the tools it intercepts as `intercept:<name>` or `intercept:*`. */
  readonly declaredHooks: readonly string[];
  readonly declaredTasks: readonly string[];
  /** Its package brings skills, commands or agents, which are read with other texts: it need not register anything. */
  readonly bringsTexts?: boolean | undefined;
  /** What an MCP server says about using it, on one line: part of the prompt. */
  readonly instructions?: string | undefined;
}
