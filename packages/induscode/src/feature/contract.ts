// The contribution contract (seed 004): what a feature is, what it asks for, what it may contribute, and how a
// person is asked. Shapes only. No session, gateway or log object ever reaches a feature.

import type { DefinedTool } from "indusagi/capabilities";
import type { Fault, JsonValue } from "indusagi/core";

/** Source-qualified identity: `builtin:files`, `project:redact`, `user:notes`, `plugin:<digest>:lint`. */
export type FeatureId = `${"builtin" | "project" | "user" | "plugin"}:${string}`;

export type FeatureRuntimeKind = "builtin" | "declarative" | "module" | "python" | "process" | "wasm" | "mcp";

/** What a feature may ask the host for (seed 004, capability list). Nothing is granted by asking. */
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
  | { readonly kind: "secret"; readonly id: string };

export interface CapabilityRequest {
  readonly capability: HostCapability;
  readonly required: boolean;
  /** Shown to the person who is asked to grant it. */
  readonly reason: string;
}

/** Declarative and serialisable: safe to show before the feature runs. */
export interface FeatureDescriptor {
  readonly id: FeatureId;
  readonly displayName: string;
  readonly version?: string;
  readonly runtime: FeatureRuntimeKind;
  readonly requestedCapabilities: readonly CapabilityRequest[];
  readonly declaredTools: readonly string[];
  readonly declaredCommands: readonly string[];
}

/** One thing a tool call would touch. The permission check decides on these, never on a tool's name alone. */
export type Access =
  | { readonly kind: "read"; readonly path: string }
  | { readonly kind: "write"; readonly path: string }
  | { readonly kind: "execute"; readonly command: string; readonly cwd: string }
  | { readonly kind: "network"; readonly host: string };

/** A tool with what the boundary must know of it. */
export interface ToolContribution {
  readonly tool: DefinedTool;
  /** What a call with these final, schema-checked arguments would touch; paths absolute. Must not throw. */
  readonly accesses: (input: JsonValue, cwd: string) => readonly Access[];
}

/** What a command may do. It describes an effect; it never draws. */
export interface CommandContext {
  /** The text behind the name, trimmed. */
  readonly args: string;
  readonly cwd: string;
  /** Shows text to the person; never reaches the model. */
  readonly say: (text: string) => void;
}

/** A `/name` that a person types. */
export interface Command {
  /** Without the slash. */
  readonly name: string;
  readonly summary: string;
  /** Shown in help behind the name, e.g. `[provider/model]`. */
  readonly argumentHint?: string;
  /** May reject: the console reports it as a `command` fault and goes on. */
  readonly run: (context: CommandContext) => Promise<void> | void;
}

/** A committed command with the feature it came from. */
export interface InstalledCommand extends Command {
  readonly feature: FeatureId;
}

export interface ToolRegistrar {
  readonly register: (contribution: ToolContribution) => void;
}

export interface CommandRegistrar {
  readonly register: (command: Command) => void;
}

/** The recording surface a feature is handed: it records, the registry commits. */
export interface FeatureInstallContext {
  readonly featureId: FeatureId;
  readonly grants: readonly HostCapability[];
  readonly tools: ToolRegistrar;
  readonly commands: CommandRegistrar;
}

/** The unit that contributes, built in or from an addon. */
export interface FeatureModule {
  readonly descriptor: FeatureDescriptor;
  /** Records intent only. A throw is a `register` fault: the feature contributes nothing. */
  readonly install: (context: FeatureInstallContext) => void | Promise<void>;
}

export type FeatureFaultKind = "load" | "register" | "handler" | "command" | "conflict";
export type FeatureFault = Fault<FeatureFaultKind>;

export interface SkippedContribution {
  readonly kind: "tool" | "command";
  readonly name: string;
  readonly reason: string;
}

/** What became of one feature. Safe to show: never holds a secret. */
export interface FeatureInstallReport {
  readonly feature: FeatureId;
  readonly displayName: string;
  readonly enabled: boolean;
  readonly granted: readonly HostCapability[];
  readonly denied: readonly HostCapability[];
  readonly tools: readonly string[];
  readonly commands: readonly string[];
  readonly skipped: readonly SkippedContribution[];
  readonly faults: readonly FeatureFault[];
  readonly installMs: number;
}

/** Asked when the rules and the mode leave a tool call undecided. */
export interface PermissionQuestion {
  readonly tool: string;
  readonly accesses: readonly Access[];
  /** Why the host asks, in one sentence. */
  readonly reason: string;
  /** What a "this session" answer would allow, as a rule, e.g. `bash(npm test)`. */
  readonly sessionRule: string;
}

export type PermissionAnswer =
  | { readonly kind: "once" }
  | { readonly kind: "session" }
  | { readonly kind: "no"; readonly reason?: string };

/** Puts one question to the person; questions come one at a time. Rejects only when the signal fires. */
export type PermissionAsker = (
  question: PermissionQuestion,
  signal: AbortSignal,
) => Promise<PermissionAnswer>;
