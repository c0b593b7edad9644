// What became of one feature: what it was granted, what it contributes, what was skipped and why.

import type { Fault } from "indusagi/core";
import type { FeatureId, FeatureRuntimeKind, HostCapability } from "./descriptor.ts";
import type { DiagnosticSeverity } from "./services.ts";

/** A line a feature wrote into its own report. */
export interface FeatureDiagnostic {
  readonly severity: DiagnosticSeverity;
  readonly text: string;
}

/** `breach`: a program broke the protocol or exited unasked; `quarantine`: it is no longer called. */
export type FeatureFaultKind =
  | "load"
  | "register"
  | "handler"
  | "command"
  | "conflict"
  | "breach"
  | "quarantine";

export type FeatureFault = Fault<FeatureFaultKind>;

export interface SkippedContribution {
  readonly kind: "tool" | "command" | "hook" | "task" | "provider";
  readonly name: string;
  readonly reason: string;
}

/** A requested capability that a feature does not hold. */
export interface CapabilityDenial {
  readonly capability: HostCapability;
  readonly required: boolean;
  readonly neededBy?: readonly string[] | undefined;
  /** `denied`: nobody granted it. `unavailable`: nobody could grant it. */
  readonly why: "denied" | "unavailable";
  /** A clause about the capability that says why. */
  readonly reason: string;
}

/** The outcome for one feature. Safe to show: never contains a secret. */
export interface FeatureInstallReport {
  readonly feature: FeatureId;
  readonly displayName: string;
  /** Absent for one that was refused for its id. */
  readonly runtime?: FeatureRuntimeKind;
  readonly version?: string | undefined;
  /** What an MCP server says about using it. */
  readonly instructions?: string | undefined;
  readonly enabled: boolean;
  readonly granted: readonly HostCapability[];
  readonly denied: readonly CapabilityDenial[];
  readonly tools: readonly string[];
  readonly commands: readonly string[];
  readonly hooks: readonly string[];
  readonly tasks: readonly string[];
  /** Absent when there are none. */
  readonly providers?: readonly string[] | undefined;
  readonly skipped: readonly SkippedContribution[];
  readonly diagnostics: readonly FeatureDiagnostic[];
  readonly faults: readonly FeatureFault[];
  readonly installMs: number;
}
