// How one feature is committed: recorded on a surface, checked in a preflight, and turned into contributions and a report.
// The session is not touched until everything is decided.

import { describeError, monotonicMs } from "indusagi/core";
import { denialsOf, lackOf } from "./capabilities.ts";
import type {
  BackgroundTask,
  Command,
  CommandContext,
  EventSubscription,
  FeatureDiagnostic,
  FeatureFault,
  FeatureInstallContext,
  FeatureInstallReport,
  FeatureModule,
  HookEvent,
  HookHandler,
  HostCapability,
  HostHandlerContext,
  InstalledCommand,
  InstalledProvider,
  InstalledTask,
  InstalledTool,
  InterceptorStage,
  ProviderContribution,
  SessionHandles,
  SkippedContribution,
  ToolContribution,
  ToolInterceptor,
} from "./contract.ts";
import { RESERVED_EVENTS } from "./events.ts";
import { MAX_GRACE_MS } from "./handler-limits.ts";
import { clampedLine, type RegistryHost, reachOf, tellFault } from "./host.ts";
import {
  type ClaimedNames,
  type Claims,
  claim,
  type Refusal,
  refuseCommand,
  refuseHook,
  refuseProvider,
  refuseTask,
  refuseTool,
} from "./preflight.ts";

/** A feature as offered to a session. */
export interface OfferedFeature {
  readonly module: FeatureModule;
  /** Its grants; absent: what it declares, as for features shipped with the product. */
  readonly grants?: readonly HostCapability[];
  /** Whether it is not running at present: its tools are then hidden from the model. */
  readonly rests?: () => boolean;
  /** Ends what belongs to it. Idempotent, never rejects. */
  readonly dispose?: () => Promise<void>;
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

const HOLDS_ANSWERS =
  "it may change what the model says (chat:message): answers are shown once they are complete, not as they arrive";

type AnyHandler = HookHandler<HookEvent, HostHandlerContext>;

interface Recorded {
  readonly tools: ToolContribution[];
  readonly commands: Command[];
  readonly handlers: { readonly event: HookEvent; readonly handler: AnyHandler }[];
  readonly interceptors: (InterceptorStage<HostHandlerContext> & { readonly match: string })[];
  readonly tasks: BackgroundTask[];
  readonly providers: ProviderContribution[];
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
  const lacking = (label: string, needs: readonly HostCapability[] = []): Refusal | undefined => {
    const reason = lackOf(label, needs, { granted, denials, offers });
    return reason === undefined ? undefined : { reason, conflict: false };
  };
  const faults: FeatureFault[] = [];
  const skipped: SkippedContribution[] = [];
  const diagnostics: FeatureDiagnostic[] = [];
  learnSecrets(granted);
  let installing = true; // after that, a diagnostic is news and not part of the report
  const reporting: Recording["host"] = {
    diagnostic: (feature, severity, text) =>
      installing ? void diagnostics.push({ severity, text }) : host.diagnostic(feature, severity, text),
    ...(host.fault && {
      fault: (fault: FeatureFault) => {
        if (installing) diagnostics.push({ severity: "error", text: fault.message });
        else host.fault?.(fault);
      },
    }),
  };
  const recorded = await record(offered.module, { granted, host: reporting, faults, session });
  installing = false;

  const claims: Claims = { owner: id, names: new Map() };
  const taken: Parameters<typeof refuseTask>[3] = (kind, name) => names.takenFrom(kind, name, claims);
  const tools: InstalledTool[] = [];
  for (const contribution of recorded.tools) {
    const { tool } = contribution;
    const refusal =
      lacking(tool.name, contribution.requiredCapabilities) ??
      (await refuseTool(tool, descriptor, granted, taken));
    if (refusal) skip("tool", tool.name, refusal);
    else {
      tools.push({ ...contribution, feature: id, ...(offered.rests ? { rests: offered.rests } : {}) });
      claim(claims, "tool", tool.name);
    }
  }
  const commands: InstalledCommand[] = [];
  for (const command of recorded.commands) {
    const refusal = lacking(`/${command.name}`) ?? refuseCommand(command, descriptor, reserved, taken);
    if (refusal) skip("command", command.name, refusal);
    else {
      commands.push({ ...command, feature: id, run: (context) => runHeld(command, context) });
      claim(claims, "command", command.name);
    }
  }
  const owner = {
    feature: id,
    ...(descriptor.version === undefined ? {} : { version: descriptor.version }),
    ...(descriptor.onFailure === undefined ? {} : { onFailure: descriptor.onFailure }),
  };
  const subscriptions: EventSubscription[] = [];
  const hooks: string[] = [];
  for (const { event, handler } of recorded.handlers) {
    const refusal = lacking(event) ?? refuseHook(event, descriptor, granted);
    if (refusal) skip("hook", event, refusal);
    else {
      subscriptions.push({ ...owner, grants: granted, event, handler });
      hooks.push(`${event} (${handler.kind})`);
      if (handler.kind === "gate" && !RESERVED_EVENTS.has(event))
        diagnostics.push({ severity: "info", text: `its gate cannot stop anything at ${event}` });
    }
  }
  if (hooks.includes("chat:message (transform)")) diagnostics.push({ severity: "info", text: HOLDS_ANSWERS });
  const interceptors: ToolInterceptor[] = [];
  for (const interceptor of recorded.interceptors) {
    const name = `intercept:${interceptor.match}`;
    const refusal = lacking(name) ?? refuseHook(name, descriptor, granted);
    if (refusal) skip("hook", name, refusal);
    else {
      interceptors.push({ ...owner, grants: granted, ...interceptor });
      hooks.push(name);
    }
  }
  const tasks: InstalledTask[] = [];
  for (const task of recorded.tasks) {
    const refusal =
      lacking(task.id, task.requiredCapabilities) ?? refuseTask(task, descriptor, granted, taken);
    if (refusal) skip("task", task.id, refusal);
    else {
      tasks.push({ ...task, feature: id, grants: granted });
      claim(claims, "task", task.id);
      if (task.graceMs > MAX_GRACE_MS)
        diagnostics.push({
          severity: "warning",
          text: `the task ${task.id} requests ${task.graceMs} ms to end; the limit is ${MAX_GRACE_MS} ms`,
        });
    }
  }
  const providers: InstalledProvider[] = [];
  for (const provider of recorded.providers) {
    const { id: name } = provider.config;
    const refusal = lacking(name) ?? refuseProvider(provider, granted, host.providerNames ?? [], taken);
    if (refusal) skip("provider", name, refusal);
    else {
      providers.push({ ...provider, feature: id });
      claim(claims, "provider", name);
    }
  }
  names.keep(claims);
  const report: FeatureInstallReport = {
    feature: id,
    displayName: descriptor.displayName,
    runtime: descriptor.runtime,
    ...(descriptor.version === undefined ? {} : { version: descriptor.version }),
    enabled: [tools, commands, hooks, tasks, providers].some((committed) => committed.length > 0),
    granted,
    denied: denials,
    tools: tools.map(({ tool }) => tool.name),
    commands: commands.map(({ name }) => name),
    hooks,
    tasks: tasks.map((task) => task.id),
    ...(providers.length === 0 ? {} : { providers: providers.map(({ config }) => config.id) }),
    skipped,
    diagnostics,
    faults,
    installMs: monotonicMs() - startedMs,
  };
  return { offered, tools, commands, subscriptions, interceptors, tasks, providers, report };

  function learnSecrets(capabilities: readonly HostCapability[]): void {
    for (const capability of capabilities) {
      const why = capability.kind === "secret" ? host.secrets?.learn(capability.id) : undefined;
      if (capability.kind === "secret" && why !== undefined)
        diagnostics.push({
          severity: "warning",
          text: `the secret ${capability.id} is not masked in texts: ${why}`,
        });
    }
  }

  /**
   * A command's output bypasses the session's log, so it is masked here. What an addon's command runs is requested in the
   * addon's name.
   */
  async function runHeld(command: Command, context: CommandContext): Promise<void> {
    const { secrets } = host;
    const release = hold();
    try {
      const { session: called } = context.handles;
      const reach = called && reachOf(called, { feature: id, grants: granted });
      const own = { ...context, ...(reach && { sinks: reach.sinks, services: reach.services }) };
      const named = isOwn ? own : { ...own, handles: inNameOf(id, context.handles) };
      await command.run(secrets ? { ...named, say: (text) => context.say(secrets.text(text)) } : named);
    } finally {
      release();
    }
  }

  function skip(kind: SkippedContribution["kind"], name: string, refusal: Refusal): void {
    skipped.push({ kind, name, reason: refusal.reason });
    if (!refusal.conflict) return;
    const message = `${id} is refused a name: ${refusal.reason}`;
    faults.push({ kind: "conflict", message, owner: id });
  }
}

function inNameOf(by: string, handles: SessionHandles): SessionHandles {
  const { exec } = handles;
  if (!exec) return handles;
  return { ...handles, exec: (line, args, options) => exec(line, args, { ...options, by }) };
}

interface Recording {
  readonly granted: readonly HostCapability[];
  readonly host: Pick<RegistryHost, "diagnostic" | "fault">;
  readonly faults: FeatureFault[];
  readonly session: FeatureInstallContext["session"];
}

function nothingRecorded(): Recorded {
  return { tools: [], commands: [], handlers: [], interceptors: [], tasks: [], providers: [] };
}

async function record(
  module: FeatureModule,
  { granted, host, faults, session }: Recording,
): Promise<Recorded> {
  const { id } = module.descriptor;
  const recorded = nothingRecorded();
  try {
    await module.install({
      featureId: id,
      grants: granted,
      diagnostic: (severity, text) => host.diagnostic(id, severity, clampedLine(text)),
      fault: (kind, message) => tellFault(host, { kind, owner: id, message }),
      session,
      reachOf: (called) => called && reachOf(called, { feature: id, grants: granted }),
      tools: { register: (contribution) => void recorded.tools.push(contribution) },
      commands: { register: (command) => void recorded.commands.push(command) },
      hooks: {
        // One list holds handlers of every event; the pairing was checked where it was recorded.
        on: (event, handler) =>
          void recorded.handlers.push({ event, handler: handler as unknown as AnyHandler }),
        interceptTool: (match, stage) => void recorded.interceptors.push({ ...stage, match }),
      },
      tasks: { register: (task) => void recorded.tasks.push(task) },
      providers: { register: (provider) => void recorded.providers.push(provider) },
    });
    return recorded;
  } catch (error) {
    const message = `${module.descriptor.id} failed while registering: ${describeError(error)}`;
    faults.push({ kind: "register", message, owner: module.descriptor.id, cause: error });
    return nothingRecorded();
  }
}
