// The one door (seed 004): every contribution, built in or from an addon, is recorded on a surface, checked in a
// preflight and committed here. Nothing touches the session before commit.

import { type DefinedTool, memoryFs } from "indusagi/capabilities";
import { describeError, monotonicMs, schemaProblem } from "indusagi/core";
import { covers, denialsOf, lackOf, unavailability } from "./capabilities.ts";
import type {
  BackgroundTask,
  Command,
  EventSubscription,
  FeatureDescriptor,
  FeatureDiagnostic,
  FeatureFault,
  FeatureId,
  FeatureInstallReport,
  FeatureModule,
  HookEvent,
  HookHandler,
  HostCapability,
  InstalledCommand,
  InterceptorStage,
  SkippedContribution,
  ToolContribution,
  ToolInterceptor,
} from "./contract.ts";
import { isHookEvent, RESERVED_EVENTS } from "./events.ts";
import { MAX_GRACE_MS } from "./handler-limits.ts";
import { createServices, createSinks, type FeatureHost } from "./host.ts";

/** Core command names that no addon may claim (seeds 000 and 002). */
export const RESERVED_ACTION_NAMES: readonly string[] = ["help", "quit", "exit", "clear", "model", "compact"];

const HOLDS_ANSWERS =
  "it may change what the model says (chat:message): answers are shown when they are whole, and not as they come";

// What every major provider accepts as a tool name; a command name is typed by hand, so it stays as plain.
const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;
const COMMAND_NAME = /^[a-z0-9][a-z0-9:_-]{0,63}$/;

/** What a session is built from, in install order, with one report for each feature. */
export interface InstalledFeatures {
  readonly tools: readonly ToolContribution[];
  readonly commands: readonly InstalledCommand[];
  readonly subscriptions: readonly EventSubscription[];
  readonly interceptors: readonly ToolInterceptor[];
  readonly tasks: readonly InstalledTask[];
  readonly reports: readonly FeatureInstallReport[];
}

/** Answers which of the requested capabilities a feature holds. */
export type GrantPolicy = (descriptor: FeatureDescriptor) => readonly HostCapability[];

/** The policy for features that ship inside the product: they hold what they declare. */
export const grantDeclared: GrantPolicy = (descriptor) =>
  descriptor.requestedCapabilities.map((request) => request.capability);

/** A committed task with the feature it came from and what that feature holds. */
export interface InstalledTask extends BackgroundTask {
  readonly feature: FeatureId;
  readonly grants: readonly HostCapability[];
}

/** For looking at features without a session: nobody hears them, and no file or secret is to be had. */
export const NO_SESSION: FeatureHost = {
  notifyModel: () => undefined,
  alert: () => undefined,
  diagnostic: () => undefined,
  fs: memoryFs(),
  root: "/",
  env: {},
};

interface Recorded {
  readonly tools: ToolContribution[];
  readonly commands: Command[];
  readonly handlers: { readonly event: HookEvent; readonly handler: HookHandler }[];
  readonly interceptors: (InterceptorStage & { readonly match: string })[];
  readonly tasks: BackgroundTask[];
}

/**
 * Installs `modules` in order. The first claimant of a name keeps it; a later one is a `conflict`. Never rejects: a
 * module that throws contributes nothing and its report says why. No addon gets a command name that is `reserved`.
 */
export async function installFeatures(
  modules: readonly FeatureModule[],
  grants: GrantPolicy,
  host: FeatureHost = NO_SESSION,
  reserved: readonly string[] = RESERVED_ACTION_NAMES,
): Promise<InstalledFeatures> {
  const tools = new Map<string, ToolContribution>();
  const toolOwners = new Map<string, FeatureId>();
  const commands = new Map<string, InstalledCommand>();
  const tasks = new Map<string, InstalledTask>();
  const subscriptions: EventSubscription[] = [];
  const interceptors: ToolInterceptor[] = [];
  const reports: FeatureInstallReport[] = [];
  for (const module of modules) reports.push(await installOne(module));
  return {
    tools: [...tools.values()],
    commands: [...commands.values()],
    subscriptions,
    interceptors,
    tasks: [...tasks.values()],
    reports,
  };

  async function installOne(module: FeatureModule): Promise<FeatureInstallReport> {
    const startedMs = monotonicMs();
    const { descriptor } = module;
    // What ships inside the product brings its service along.
    const isOwn = descriptor.runtime === "builtin";
    const offers = (capability: HostCapability): string | undefined =>
      isOwn ? undefined : (unavailability(capability) ?? host.lacks?.(capability));
    const granted = grants(descriptor).filter((capability) => offers(capability) === undefined);
    const denials = denialsOf(descriptor.requestedCapabilities, granted, offers);
    const lacking = (label: string, needs: readonly HostCapability[] = []): Refusal | undefined => {
      const reason = lackOf(label, needs, { granted, denials, offers });
      return reason === undefined ? undefined : { reason, conflict: false };
    };
    const faults: FeatureFault[] = [];
    const skipped: SkippedContribution[] = [];
    const diagnostics: FeatureDiagnostic[] = [];
    learnSecrets(granted);
    let installing = true; // afterwards a diagnostic is news, not part of the report
    const reporting: FeatureHost = {
      ...host,
      diagnostic: (feature, severity, text) =>
        installing ? void diagnostics.push({ severity, text }) : host.diagnostic(feature, severity, text),
      ...(host.fault && {
        fault: (fault: FeatureFault) => {
          if (installing) diagnostics.push({ severity: "error", text: fault.message });
          else host.fault?.(fault);
        },
      }),
    };
    const recorded = await record(module, { granted, host: reporting, faults });
    installing = false;

    const committedTools: string[] = [];
    for (const contribution of recorded.tools) {
      const { tool } = contribution;
      const refusal =
        lacking(tool.name, contribution.requiredCapabilities) ??
        (await refuseTool(tool, descriptor, granted, toolOwners));
      if (refusal) skip("tool", tool.name, refusal);
      else {
        tools.set(tool.name, contribution);
        toolOwners.set(tool.name, descriptor.id);
        committedTools.push(tool.name);
      }
    }
    const committedCommands: string[] = [];
    for (const command of recorded.commands) {
      const refusal =
        lacking(`/${command.name}`) ?? refuseCommand(command, descriptor, { taken: commands, reserved });
      if (refusal) skip("command", command.name, refusal);
      else {
        commands.set(command.name, { ...masked(command), feature: descriptor.id });
        committedCommands.push(command.name);
      }
    }
    const owner = {
      feature: descriptor.id,
      ...(descriptor.version === undefined ? {} : { version: descriptor.version }),
      ...(descriptor.onFailure === undefined ? {} : { onFailure: descriptor.onFailure }),
    };
    const committedHooks: string[] = [];
    let holdsAnswers = false;
    for (const { event, handler } of recorded.handlers) {
      const refusal = lacking(event) ?? refuseHook(event, descriptor, granted);
      if (refusal) skip("hook", event, refusal);
      else {
        subscriptions.push({ ...owner, grants: granted, event, handler });
        committedHooks.push(`${event} (${handler.kind})`);
        if (event === "chat:message" && handler.kind === "transform") holdsAnswers = true;
        if (handler.kind === "gate" && !RESERVED_EVENTS.has(event))
          diagnostics.push({ severity: "info", text: `its gate stops nothing at ${event}` });
      }
    }
    if (holdsAnswers) diagnostics.push({ severity: "info", text: HOLDS_ANSWERS });
    for (const interceptor of recorded.interceptors) {
      const name = `intercept:${interceptor.match}`;
      const refusal = lacking(name) ?? refuseHook(name, descriptor, granted);
      if (refusal) skip("hook", name, refusal);
      else {
        interceptors.push({ ...owner, ...interceptor });
        committedHooks.push(name);
      }
    }
    const committedTasks: string[] = [];
    for (const task of recorded.tasks) {
      const refusal =
        lacking(task.id, task.requiredCapabilities) ?? refuseTask(task, descriptor, granted, tasks);
      if (refusal) skip("task", task.id, refusal);
      else {
        tasks.set(task.id, { ...task, feature: descriptor.id, grants: granted });
        if (task.graceMs > MAX_GRACE_MS)
          diagnostics.push({
            severity: "warning",
            text: `the task ${task.id} asks for ${task.graceMs} ms to end and gets ${MAX_GRACE_MS}`,
          });
        committedTasks.push(task.id);
      }
    }
    const contributed = [committedTools, committedCommands, committedHooks, committedTasks];
    return {
      feature: descriptor.id,
      displayName: descriptor.displayName,
      enabled: contributed.some((names) => names.length > 0),
      granted,
      denied: denials,
      tools: committedTools,
      commands: committedCommands,
      hooks: committedHooks,
      tasks: committedTasks,
      skipped,
      diagnostics,
      faults,
      installMs: monotonicMs() - startedMs,
    };

    function learnSecrets(capabilities: readonly HostCapability[]): void {
      for (const capability of capabilities) {
        const why = capability.kind === "secret" ? host.secrets?.learn(capability.id) : undefined;
        if (capability.kind === "secret" && why !== undefined)
          diagnostics.push({
            severity: "warning",
            text: `the secret ${capability.id} is not hidden in texts: ${why}`,
          });
      }
    }

    /** What a command says goes to the person past the session's log. */
    function masked(command: Command): Command {
      const { secrets } = host;
      if (!secrets) return command;
      const run: Command["run"] = (context) =>
        command.run({ ...context, say: (text) => context.say(secrets.text(text)) });
      return { ...command, run };
    }

    function skip(kind: SkippedContribution["kind"], name: string, refusal: Refusal): void {
      skipped.push({ kind, name, reason: refusal.reason });
      if (!refusal.conflict) return;
      const message = `${descriptor.id} may not have it: ${refusal.reason}`;
      faults.push({ kind: "conflict", message, owner: descriptor.id });
    }
  }
}

interface Recording {
  readonly granted: readonly HostCapability[];
  readonly host: FeatureHost;
  readonly faults: FeatureFault[];
}

async function record(module: FeatureModule, { granted, host, faults }: Recording): Promise<Recorded> {
  const holder = { feature: module.descriptor.id, grants: granted };
  const recorded: Recorded = { tools: [], commands: [], handlers: [], interceptors: [], tasks: [] };
  try {
    await module.install({
      featureId: module.descriptor.id,
      grants: granted,
      sinks: createSinks(host, holder),
      fault: (kind, text) => {
        const { feature } = holder;
        if (host.fault) host.fault({ kind, owner: feature, message: `${feature}: error: ${text}` });
        else host.diagnostic(feature, "error", text);
      },
      services: createServices(host, holder),
      tools: { register: (contribution) => void recorded.tools.push(contribution) },
      commands: { register: (command) => void recorded.commands.push(command) },
      hooks: {
        // One list holds handlers of every event; the pairing was checked where it was recorded.
        on: (event, handler) =>
          void recorded.handlers.push({ event, handler: handler as unknown as HookHandler }),
        interceptTool: (match, stage) => void recorded.interceptors.push({ ...stage, match }),
      },
      tasks: { register: (task) => void recorded.tasks.push(task) },
    });
    return recorded;
  } catch (error) {
    const message = `${module.descriptor.id} failed while it registered: ${describeError(error)}`;
    faults.push({ kind: "register", message, owner: module.descriptor.id, cause: error });
    return { tools: [], commands: [], handlers: [], interceptors: [], tasks: [] };
  }
}

interface Refusal {
  readonly reason: string;
  readonly conflict: boolean;
}

async function refuseTool(
  tool: DefinedTool,
  descriptor: FeatureDescriptor,
  granted: readonly HostCapability[],
  taken: ReadonlyMap<string, FeatureId>,
): Promise<Refusal | undefined> {
  if (!TOOL_NAME.test(tool.name))
    return { reason: `"${tool.name}" is not a tool name: 1 to 64 letters, digits, _ or -`, conflict: false };
  if (!descriptor.declaredTools.includes(tool.name))
    return { reason: `the tool "${tool.name}" was not declared`, conflict: false };
  if (!covers(granted, { kind: "contribute_tool", name: tool.name })) {
    return { reason: `no grant to contribute the tool "${tool.name}"`, conflict: false };
  }
  // Names that differ in case alone are one name to a reader.
  const same = [...taken].find(([name]) => name.toLowerCase() === tool.name.toLowerCase());
  if (same !== undefined) {
    const [name, owner] = same;
    const clash = name === tool.name ? "" : `, as "${name}"`;
    return { reason: `the tool name "${tool.name}" is taken by ${owner}${clash}`, conflict: true };
  }
  if (descriptor.runtime === "builtin") return undefined; // checked by this package's tests, not on every start
  const problem = await schemaProblem(tool.parameters);
  return problem === undefined
    ? undefined
    : { reason: `the schema of "${tool.name}" is invalid: ${problem}`, conflict: false };
}

function refuseCommand(
  command: Command,
  descriptor: FeatureDescriptor,
  {
    taken,
    reserved,
  }: { readonly taken: ReadonlyMap<string, InstalledCommand>; readonly reserved: readonly string[] },
): Refusal | undefined {
  const { name } = command;
  if (!COMMAND_NAME.test(name))
    return { reason: `"${name}" is not a command name: lower-case letters, digits, - _ :`, conflict: false };
  if (!descriptor.declaredCommands.includes(name))
    return { reason: `the command "/${name}" was not declared`, conflict: false };
  if (descriptor.runtime !== "builtin" && reserved.includes(name)) {
    return { reason: `the command name "/${name}" is reserved for the host`, conflict: true };
  }
  const owner = taken.get(name)?.feature;
  return owner === undefined
    ? undefined
    : { reason: `the command name "/${name}" is taken by ${owner}`, conflict: true };
}

function refuseHook(
  name: string,
  descriptor: FeatureDescriptor,
  granted: readonly HostCapability[],
): Refusal | undefined {
  const what = name.startsWith("intercept:") ? `interceptor of ${name.slice(10)}` : `handler of ${name}`;
  if (!name.startsWith("intercept:") && !isHookEvent(name))
    return { reason: `"${name}" is not an event`, conflict: false };
  if (!descriptor.declaredHooks.includes(name))
    return { reason: `the ${what} was not declared`, conflict: false };
  if (!covers(granted, { kind: "contribute_hook", point: name })) {
    return { reason: `no grant to contribute the ${what}`, conflict: false };
  }
  return undefined;
}

function refuseTask(
  task: BackgroundTask,
  descriptor: FeatureDescriptor,
  granted: readonly HostCapability[],
  taken: ReadonlyMap<string, InstalledTask>,
): Refusal | undefined {
  if (!descriptor.declaredTasks.includes(task.id))
    return { reason: `the task "${task.id}" was not declared`, conflict: false };
  if (!covers(granted, { kind: "background_task" }))
    return { reason: `no grant to run the task "${task.id}"`, conflict: false };
  const owner = taken.get(task.id)?.feature;
  return owner === undefined
    ? undefined
    : { reason: `the task name "${task.id}" is taken by ${owner}`, conflict: true };
}
