// How one feature is committed: recorded on a surface, checked in a preflight, and turned into contributions and a report.
// The session is not touched until everything is decided.

import { monotonicMs } from "indusagi/core";
import { denialsOf, lackOf } from "./capabilities.ts";
import type { Command, CommandContext, InstalledCommand } from "./command.ts";
import { Fields, shownName, taking } from "./contribution-fields.ts";
import type { HostCapability } from "./descriptor.ts";
import { RESERVED_EVENTS } from "./events.ts";
import type { EventSubscription } from "./handler.ts";
import { MAX_GRACE_MS } from "./handler-limits.ts";
import { type RegistryHost, reachOf } from "./host.ts";
import type { FeatureInstallContext, FeatureModule, InstalledProvider, InstalledTask } from "./install.ts";
import type { FeatureDiagnostic, FeatureInstallReport, SkippedContribution } from "./install-report.ts";
import type { ToolInterceptor } from "./interceptor.ts";
import { oneLine } from "./one-line.ts";
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
import { type ContributionKind, recordFeature } from "./record-feature.ts";
import type { SessionHandles } from "./services.ts";
import {
  takeCommand,
  takeHandler,
  takeProvider,
  takeSkipped,
  takeStage,
  takeTask,
  takeTool,
} from "./take-contribution.ts";
import type { InstalledTool } from "./tool.ts";

/** A feature as offered to a session. */
export interface OfferedFeature {
  readonly module: FeatureModule;
  /** Its grants; absent: what it declares, as for features shipped with the product. */
  readonly grants?: readonly HostCapability[];
  /** Whether it is not running at present: its tools are then hidden from the model. */
  readonly rests?: (() => boolean) | undefined;
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

/** How much of each request to the model all tools of one feature may take. */
const MAX_TOOLS_BYTES: number = 128 * 1024;
const TOO_MANY_BYTES = `with it, its feature's tools would take more than ${MAX_TOOLS_BYTES} bytes of each request`;
const MAX_REASON_BYTES = 1_000;
const NAMELESS = "without a name";

const HOLDS_ANSWERS =
  "it may change what the model says (chat:message): answers are shown once they are complete, not as they arrive";

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
  const skipped: SkippedContribution[] = [];
  const learned = learnSecrets(granted);
  const { recorded, ...recording } = await recordFeature(offered.module, { granted, host, session });
  const faults = [...recording.faults];
  const diagnostics = [...learned, ...recording.diagnostics];

  for (const given of recorded.skipped) {
    const part = taking(() => takeSkipped(given));
    if (part.ok) skip(part.value.kind, part.value.name, { reason: part.value.reason, conflict: false });
    else diagnostics.push({ severity: "error", text: `a skipped part is not named: ${part.reason}` });
  }
  const claims: Claims = { owner: id, names: new Map() };
  const taken: Parameters<typeof refuseTask>[3] = (kind, name) => names.takenFrom(kind, name, claims);
  const tools: InstalledTool[] = [];
  let toolBytes = 0;
  for (const given of recorded.tools) {
    const nameOf = () => new Fields(given).within("tool").raw("name");
    const read = take("tool", nameOf, () => takeTool(given, isOwn));
    if (!read) continue;
    const { contribution, notes, bytes } = read;
    const { tool, requiredCapabilities } = contribution;
    const refusal = lacking(tool.name, requiredCapabilities) ?? refuseTool(tool, descriptor, granted, taken);
    if (refusal) skip("tool", tool.name, refusal);
    else if (toolBytes + bytes > MAX_TOOLS_BYTES)
      skip("tool", tool.name, { reason: TOO_MANY_BYTES, conflict: false });
    else {
      toolBytes += bytes;
      tools.push({ ...contribution, feature: id, rests: offered.rests });
      diagnostics.push(...notes.map((note) => ({ severity: "info" as const, text: `${tool.name} ${note}` })));
      claim(claims, "tool", tool.name);
    }
  }
  const commands: InstalledCommand[] = [];
  for (const given of recorded.commands) {
    const nameOf = () => new Fields(given).raw("name");
    const command = take("command", nameOf, () => takeCommand(given));
    if (!command) continue;
    const refusal = lacking(`/${command.name}`) ?? refuseCommand(command, descriptor, reserved, taken);
    if (refusal) skip("command", command.name, refusal);
    else {
      commands.push({ ...command, feature: id, run: (context) => runHeld(command, context) });
      claim(claims, "command", command.name);
    }
  }
  const owner = {
    feature: id,
    version: descriptor.version,
    onFailure: descriptor.onFailure,
  };
  const subscriptions: EventSubscription[] = [];
  const hooks: string[] = [];
  for (const given of recorded.handlers) {
    const read = take(
      "hook",
      () => given.event,
      () => takeHandler(given.event, given.handler),
    );
    if (!read) continue;
    const { event, handler } = read;
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
  for (const given of recorded.stages) {
    const stage = take(
      "hook",
      () => `intercept:${String(given.match)}`,
      () => takeStage(given.match, given.stage),
    );
    if (!stage) continue;
    const name = `intercept:${stage.match}`;
    const refusal = lacking(name) ?? refuseHook(name, descriptor, granted);
    if (refusal) skip("hook", name, refusal);
    else {
      interceptors.push({ ...owner, grants: granted, ...stage });
      hooks.push(name);
    }
  }
  const tasks: InstalledTask[] = [];
  for (const given of recorded.tasks) {
    const task = take(
      "task",
      () => new Fields(given).raw("id"),
      () => takeTask(given),
    );
    if (!task) continue;
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
  for (const given of recorded.providers) {
    const nameOf = () => new Fields(given).within("config").raw("id");
    const provider = take("provider", nameOf, () => takeProvider(given));
    if (!provider) continue;
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
    version: descriptor.version,
    enabled: [tools, commands, hooks, tasks, providers].some((committed) => committed.length > 0),
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

  function learnSecrets(capabilities: readonly HostCapability[]): readonly FeatureDiagnostic[] {
    return capabilities.flatMap((capability): readonly FeatureDiagnostic[] => {
      const why = capability.kind === "secret" ? host.secrets?.learn(capability.id) : undefined;
      if (capability.kind !== "secret" || why === undefined) return [];
      return [{ severity: "warning", text: `the secret ${capability.id} is not masked in texts: ${why}` }];
    });
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

  /** What `read` makes of a contribution; undefined, and named as skipped, if it cannot be taken. */
  function take<Value>(kind: ContributionKind, nameOf: () => unknown, read: () => Value): Value | undefined {
    const found = taking(read);
    if (found.ok) return found.value;
    skip(kind, nameOf, { reason: found.reason, conflict: false });
    return undefined;
  }

  function skip(kind: ContributionKind, name: string | (() => unknown), refusal: Refusal): void {
    const nameOf = typeof name === "string" ? () => name : name;
    const reason = oneLine(refusal.reason, MAX_REASON_BYTES);
    skipped.push({ kind, name: shownName(nameOf, NAMELESS), reason });
    if (!refusal.conflict) return;
    const message = `${id} is refused a name: ${reason}`;
    faults.push({ kind: "conflict", message, owner: id });
  }
}

function inNameOf(by: string, handles: SessionHandles): SessionHandles {
  const { exec } = handles;
  if (!exec) return handles;
  return { ...handles, exec: (line, args, options) => exec(line, args, { ...options, by }) };
}
