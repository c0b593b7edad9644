// How one feature is committed: recorded on a surface, checked in a preflight, and turned into contributions and a report.
// The session is not touched until everything is decided.

import { monotonicMs } from "indusagi/core";
import { denialsOf, lackOf } from "../capabilities.ts";
import type { Command, CommandContext, InstalledCommand } from "../command.ts";
import type { FeatureId, HostCapability } from "../descriptor.ts";
import type { EventSubscription } from "../handler.ts";
import { type RegistryHost, reachOf } from "../host.ts";
import type { FeatureInstallContext, FeatureModule, InstalledProvider, InstalledTask } from "../install.ts";
import type { FeatureDiagnostic, FeatureInstallReport } from "../install-report.ts";
import type { ToolInterceptor } from "../interceptor.ts";
import type { SessionHandles } from "../services.ts";
import type { InstalledTool } from "../tool.ts";
import {
  commitCommands,
  commitHandlers,
  commitProviders,
  commitStages,
  commitTasks,
  commitTools,
} from "./commit-contributions.ts";
import { type Commitment, noteSkipped } from "./commitment.ts";
import type { ClaimedNames, Claims } from "./preflight.ts";
import { recordFeature } from "./record-feature.ts";

/** A feature as offered to a session. */
export interface OfferedFeature {
  readonly module: FeatureModule;
  /** Its grants; absent: what it declares, as for features shipped with the product. */
  readonly grants?: readonly HostCapability[];
  /** Whether it is not running at present: its tools are then hidden from the model. */
  readonly rests?: (() => boolean) | undefined;
  /** Ends what belongs to it. Idempotent, never rejects. */
  readonly dispose?: () => Promise<void>;
  /**
   * Called once, when it is committed: from then on it gives the listener what is to take its place, each time that changes. The promise
   * resolves when that has taken it, and never rejects.
   */
  readonly follow?: ((renewed: (next: OfferedFeature) => Promise<void>) => void) | undefined;
}

/** What one feature contributes, in recording order. */
export interface CommittedFeature {
  readonly offered: OfferedFeature;
  readonly tools: readonly InstalledTool[];
  readonly commands: readonly InstalledCommand[];
  readonly subscriptions: readonly EventSubscription[];
  readonly interceptors: readonly ToolInterceptor[];
  readonly tasks: readonly InstalledTask[];
  readonly providers: readonly InstalledProvider[];
  readonly report: FeatureInstallReport;
}

interface CommitFacts {
  readonly host: RegistryHost;
  readonly names: ClaimedNames;
  /** Command names that no addon may use. */
  readonly reserved: readonly string[];
  /** Held during each call of a command. */
  readonly hold: () => () => void;
  /** The session that features work for between calls. */
  readonly session: FeatureInstallContext["session"];
}

/** Never rejects: a module that throws contributes nothing, and its report says why. */
export async function commitFeature(
  offered: OfferedFeature,
  { host, names, reserved, hold, session }: CommitFacts,
): Promise<CommittedFeature> {
  const startedMs = monotonicMs();
  const { descriptor } = offered.module;
  const { id, requestedCapabilities } = descriptor;
  const wanted = offered.grants ?? requestedCapabilities.map(({ capability }) => capability);
  // Features shipped with the product bring their own service.
  const isOwn = descriptor.runtime === "builtin";
  const offers = (capability: HostCapability): string | undefined =>
    isOwn ? undefined : host.lacks?.(capability);
  const granted = wanted.filter((capability) => offers(capability) === undefined);
  const denials = denialsOf(requestedCapabilities, granted, offers);
  const learned = learnSecrets(granted, host);
  const { recorded, ...recording } = await recordFeature(offered.module, { granted, host, session });
  const claims: Claims = { owner: id, names: new Map() };
  const commitment: Commitment = {
    descriptor,
    isOwn,
    granted,
    claims,
    lacking: (label, needs = []) => {
      const reason = lackOf(label, needs, { granted, denials, offers });
      return reason === undefined ? undefined : { reason, conflict: false };
    },
    taken: (kind, name) => names.takenFrom(kind, name, claims),
    hooks: [],
    skipped: [],
    faults: [...recording.faults],
    diagnostics: [...learned, ...recording.diagnostics],
  };
  noteSkipped(commitment, recorded.skipped);
  const tools = commitTools(commitment, recorded.tools, offered.rests);
  const run = heldCommands({ host, hold, feature: id, grants: granted, isOwn });
  const commands = commitCommands(commitment, recorded.commands, { reserved, run });
  const subscriptions = commitHandlers(commitment, recorded.handlers);
  const interceptors = commitStages(commitment, recorded.stages);
  const tasks = commitTasks(commitment, recorded.tasks);
  const providers = commitProviders(commitment, recorded.providers, host.providerNames);
  names.keep(claims);
  const { hooks, skipped, faults, diagnostics } = commitment;
  const report: FeatureInstallReport = {
    feature: id,
    displayName: descriptor.displayName,
    runtime: descriptor.runtime,
    version: descriptor.version,
    instructions: descriptor.instructions,
    enabled:
      descriptor.bringsTexts === true ||
      [tools, commands, hooks, tasks, providers].some((committed) => committed.length > 0),
    granted,
    denied: denials,
    tools: tools.map(({ tool }) => tool.name),
    commands: commands.map(({ name }) => name),
    hooks,
    tasks: tasks.map((task) => task.id),
    providers: providers.length === 0 ? undefined : providers.map(({ config }) => config.id),
    skipped,
    diagnostics,
    faults,
    installMs: monotonicMs() - startedMs,
  };
  return { offered, tools, commands, subscriptions, interceptors, tasks, providers, report };
}

/** Says which of the granted secrets cannot be hidden in texts. */
function learnSecrets(
  capabilities: readonly HostCapability[],
  { secrets }: RegistryHost,
): readonly FeatureDiagnostic[] {
  return capabilities.flatMap((capability): readonly FeatureDiagnostic[] => {
    const why = capability.kind === "secret" ? secrets?.learn(capability.id) : undefined;
    if (capability.kind !== "secret" || why === undefined) return [];
    return [{ severity: "warning", text: `the secret ${capability.id} is not masked: ${why}` }];
  });
}

interface CommandOwner extends Pick<CommitFacts, "host" | "hold"> {
  readonly feature: FeatureId;
  readonly grants: readonly HostCapability[];
  readonly isOwn: boolean;
}

/**
 * Runs a feature's commands. Their output bypasses the session's log, so it is masked here. What an addon's command runs is
 * requested in the addon's name.
 */
function heldCommands({ host, hold, feature, grants, isOwn }: CommandOwner) {
  return async (command: Command, context: CommandContext): Promise<void> => {
    const { secrets } = host;
    const release = hold();
    try {
      const { session: called } = context.handles;
      const reach = called && reachOf(called, { feature, grants });
      const own = { ...context, ...(reach && { sinks: reach.sinks, services: reach.services }) };
      const named = isOwn ? own : { ...own, handles: inNameOf(feature, context.handles) };
      await command.run(secrets ? { ...named, say: (text) => context.say(secrets.text(text)) } : named);
    } finally {
      release();
    }
  };
}

function inNameOf(by: string, handles: SessionHandles): SessionHandles {
  const { exec } = handles;
  if (!exec) return handles;
  return { ...handles, exec: (line, args, options) => exec(line, args, { ...options, by }) };
}
