// How a feature contributes: it records on the surface that it is handed, and the registry commits.

import type { SessionScope } from "indusagi/core";
import type { ModelLimits, ProviderConfig } from "indusagi/llmgateway";
import type { Command } from "./command.ts";
import type { FeatureDescriptor, FeatureId, HostCapability } from "./descriptor.ts";
import type { HookEvent } from "./events.ts";
import type { HookHandler, HostHandlerContext } from "./handler.ts";
import type { FeatureFaultKind, SkippedContribution } from "./install-report.ts";
import type { InterceptorStage } from "./interceptor.ts";
import type { FeatureServices, FeatureSinks, SessionReach } from "./services.ts";
import type { ToolContribution } from "./tool.ts";

/** What a background task acts through. */
export interface TaskContext extends FeatureSinks {
  readonly signal: AbortSignal;
  readonly services: FeatureServices;
  /** The session it works for. */
  readonly session: SessionScope;
}

/** A loop that the host starts, times, stops and reports. */
export interface BackgroundTask {
  readonly id: string;
  readonly description: string;
  /** `session`: runs from the session's start. `onDemand`: starts on request. */
  readonly activation: "session" | "onDemand";
  /** `onFailure`: restarted after a pause of 1 s, which doubles up to 5 min and resets after a healthy run. */
  readonly restart: "never" | "onFailure";
  /** How long it may take to end after its signal fires, in milliseconds; the host waits at most 5,000. */
  readonly graceMs: number;
  /** If one of them is missing, the task is not installed; the rest of its feature is. */
  readonly requiredCapabilities?: readonly HostCapability[];
  readonly run: (context: TaskContext) => Promise<void>;
}

/** A committed task, its feature and that feature's grants. */
export interface InstalledTask extends BackgroundTask {
  readonly feature: FeatureId;
  readonly grants: readonly HostCapability[];
}

export interface HookRegistrar {
  readonly on: <E extends HookEvent>(event: E, handler: HookHandler<E, HostHandlerContext>) => void;
  /** `match` is a tool's name or `*`. */
  readonly interceptTool: (match: string, stage: InterceptorStage<HostHandlerContext>) => void;
}

export interface TaskRegistrar {
  readonly register: (task: BackgroundTask) => void;
}

export interface ToolRegistrar {
  readonly register: (contribution: ToolContribution) => void;
}

/**
 * A server of models, as data. The host calls it for a person who chooses one of its models; the feature sees neither
 * requests nor the secret. It needs the grants for its address's host and for its secret.
 */
export interface ProviderContribution {
  readonly config: ProviderConfig & { readonly baseUrl: string };
  /** The environment variable that holds its key. */
  readonly secret?: string | undefined;
  /** What is known about its models, by their own names. */
  readonly models: Readonly<Record<string, ModelLimits>>;
}

/** A committed provider with the feature it came from. */
export interface InstalledProvider extends ProviderContribution {
  readonly feature: FeatureId;
}

export interface ProviderRegistrar {
  readonly register: (provider: ProviderContribution) => void;
}

export interface CommandRegistrar {
  readonly register: (command: Command) => void;
}

/**
 * The recording surface handed to a feature: it records, the registry commits. There is no session here: each call of what
 * is recorded brings its own.
 */
export interface FeatureInstallContext {
  readonly featureId: FeatureId;
  readonly grants: readonly HostCapability[];
  readonly tools: ToolRegistrar;
  readonly commands: CommandRegistrar;
  readonly hooks: HookRegistrar;
  readonly tasks: TaskRegistrar;
  readonly providers: ProviderRegistrar;
  /** A line in the feature's report; once it is installed, news for the person. */
  readonly diagnostic: FeatureSinks["diagnostic"];
  /** Names in its report what it does not contribute, and why: the rest of it is used. */
  readonly skip: (part: SkippedContribution) => void;
  /** A call's session as this feature may reach it, with its grants: for its tools. Undefined without a session. */
  readonly reachOf: (session: SessionScope | undefined) => SessionReach | undefined;
  /** For whoever runs a feature: reports failures that no call reports. During install, a line in its report. */
  readonly fault: (kind: FeatureFaultKind, text: string) => void;
  /** For whoever runs a feature that works between its calls: the wanted session while it is open, otherwise the first. */
  readonly session: (wanted?: SessionScope) => SessionScope | undefined;
}

/** The unit that contributes, built in or from an addon. */
export interface FeatureModule {
  readonly descriptor: FeatureDescriptor;
  /** Records intent only. A throw is a `register` fault: the feature contributes nothing. */
  readonly install: (context: FeatureInstallContext) => void | Promise<void>;
}
