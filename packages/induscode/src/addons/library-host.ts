// The addon host for other programs: every part has a working default and can be replaced. It
// discovers, asks for trust, loads, commits, and returns what a session acts through.

import { resolve } from "node:path";
import { inspect } from "node:util";
import { guardedFetch, localFs } from "indusagi/capabilities";
import {
  createSecretMask,
  createSessionScope,
  describeError,
  Listeners,
  type SecretMask,
  type SessionScope,
} from "indusagi/core";
import { lacksHere } from "../feature/capabilities.ts";
import type { InstalledCommand } from "../feature/command.ts";
import type { HostCapability } from "../feature/descriptor.ts";
import { commandFault } from "../feature/dispatch/command-fault.ts";
import type { EventDispatcher } from "../feature/dispatch/dispatcher.ts";
import type { FenceOptions } from "../feature/dispatch/fence.ts";
import { createHooks } from "../feature/dispatch/hooks.ts";
import type { InterceptorChain } from "../feature/dispatch/interceptors.ts";
import { createTaskSupervisor, type TaskSupervisor } from "../feature/dispatch/tasks.ts";
import type { EventSubscription } from "../feature/handler.ts";
import { DEFAULT_DEADLINE_MS } from "../feature/handler-limits.ts";
import { type RegistryHost, SESSION_HOST, type SessionHost } from "../feature/host.ts";
import type { FeatureModule } from "../feature/install.ts";
import type { ToolInterceptor } from "../feature/interceptor.ts";
import { createRegistry } from "../feature/registry.ts";
import type { SessionHandles } from "../feature/services.ts";
import type { ToolContribution } from "../feature/tool.ts";
import { checkHome, indusHome } from "../store/home.ts";
import type { AddonDiscovery, AddonFault, ModuleLoader } from "./contract.ts";
import { type AddonAssembly, type AssembledAddons, assembleAddons } from "./host.ts";
import { createTieredLoader } from "./kinds/tiered-loader.ts";
import { decideTrust, type TrustAsker } from "./source/decide-trust.ts";
import { createTrust } from "./source/trust.ts";

/** What a host may offer beyond files, commands, hosts and secrets. What needs one that is absent is not installed. */
export type OfferedServices = Partial<Pick<SessionHost, "workItems" | "memory" | "sessions" | "ui">>;

/** The parts of a host. All have defaults. */
export interface AddonHostDeps extends OfferedServices {
  /** The folder that addons work in, and that grants for files are confined to; default: that of the first load. */
  readonly workspace?: string;
  /** Where trust, caches and quarantine are kept; default: `INDUS_HOME`, else `~/.indus`, as for the command. */
  readonly home?: string;
  /** Where secrets are taken from; default: this process's environment. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** What commands and code addons act through; default: nothing. */
  readonly handles?: SessionHandles;
  /** Command names that no addon may claim; default: help, quit, exit, clear, model and compact. */
  readonly reservedActions?: readonly string[];
  /** Features of the program itself: installed before the addons, so that they claim names first. */
  readonly builtins?: readonly FeatureModule[];
  /** Trusted without asking: ids, or beginnings of content hashes. */
  readonly granted?: readonly string[];
  /** Asks the trust question; default: anything not trusted before is skipped. */
  readonly ask?: TrustAsker;
  /** Refuses code that no OS sandbox confines; default false. */
  readonly requireSandbox?: boolean;
  /** Makes features from sources; default: every kind of addon, code in confined processes. A function gets that one to wrap. */
  readonly loader?: ModuleLoader | ((standard: ModuleLoader) => ModuleLoader);
  readonly dispatcher?: (subscriptions: readonly EventSubscription[], fence: FenceOptions) => EventDispatcher;
  readonly chain?: (interceptors: readonly ToolInterceptor[], fence: FenceOptions) => InterceptorChain;
  /** How long one handler may take, in milliseconds, and what a failing gate does if it does not specify that itself. */
  readonly fence?: Partial<Pick<FenceOptions, "deadlineMs" | "onGateFailure">>;
  /** Receives alerts, diagnostics, and notices for the model that no handle takes; default: Node's warnings. */
  readonly tell?: (feature: string, text: string) => void;
}

/** How a command ended: `failed` is a fault that listeners received, `unknown` a name that nobody claimed. */
export type CommandEnd = "done" | "failed" | "unknown";

/** The result of `loadAll`, wired to the host's faults. */
export interface AddonBundle extends AssembledAddons {
  /** Handlers of every event, in load order. */
  readonly dispatch: EventDispatcher;
  /** Interceptors of tool calls, in load order; their exits run in reverse. */
  readonly interceptors: InterceptorChain;
  readonly commands: readonly InstalledCommand[];
  readonly tools: readonly ToolContribution[];
  /** The host's session: a tool that reaches it needs it as `framework.session` of the context of its call. */
  readonly session: SessionScope;
  /** Nothing runs before its `start`. The host's `dispose` ends what runs. */
  readonly tasks: TaskSupervisor;
  /** Runs a command with the host's handles. Never rejects: an exception becomes a `command` fault. */
  readonly runCommand: (name: string, args?: string, say?: (text: string) => void) => Promise<CommandEnd>;
}

export interface AddonHost extends Omit<AddonAssembly, "loadAll"> {
  /** A text is the workspace whose `.indus/addons` is scanned. Never rejects because of an addon. */
  readonly loadAll: (where: string | AddonDiscovery) => Promise<AddonBundle>;
}

/** A host without any addon yet. */
export function createAddonHost(deps: AddonHostDeps = {}): AddonHost {
  const { handles = {}, dispatcher, chain, tell = warn } = deps;
  const faults = new Listeners<AddonFault>((error) =>
    process.emitWarning(`a listener of addon faults failed: ${describeError(error)}`),
  );
  const fence: FenceOptions = {
    deadlineMs: DEFAULT_DEADLINE_MS,
    onGateFailure: "allow",
    ...deps.fence,
    onFault: report,
  };
  const supervisors: TaskSupervisor[] = [];
  let parts: HostParts | undefined;

  return {
    async loadAll(where) {
      const discovery = typeof where === "string" ? { workspace: where } : where;
      const { assembly, host, session, problems } = partsFor(discovery.workspace);
      const assembled = await assembly.loadAll(discovery);
      return wire({ ...assembled, warnings: [...problems(), ...assembled.warnings] }, host, session);
    },
    loadOne: (source) => partsFor(undefined).assembly.loadOne(source),
    onFault: (listener) => faults.add((fault) => listener(fault)), // a separate entry each time, even for the same function
    async dispose() {
      await Promise.all(supervisors.map((tasks) => tasks.dispose()));
      await parts?.assembly.dispose();
    },
    registry: () => parts?.assembly.registry(),
  };

  /** Before the first load there are no addons, and so no secrets. */
  function report(fault: AddonFault): void {
    faults.emit(parts ? masked(fault, parts.mask) : fault);
  }

  /** The first load determines the folder that the addons work in. */
  function partsFor(wanted: string | undefined): HostParts {
    const workspace = resolve(wanted ?? deps.workspace ?? parts?.workspace ?? process.cwd());
    if (parts && parts.workspace !== workspace)
      throw new Error(
        `this host serves ${parts.workspace}; its addons cannot work in ${workspace}: create another host`,
      );
    if (!parts) {
      parts = createParts(deps, { workspace, tell });
      parts.assembly.onFault(report);
    }
    return parts;
  }

  function wire(assembled: AssembledAddons, host: SessionHost, session: SessionScope): AddonBundle {
    const { features } = assembled;
    const own = { ...fence, session };
    const hooks = createHooks(features, own);
    const tasks = createTaskSupervisor({ tasks: features.tasks, session, onFault: report });
    supervisors.push(tasks);
    return {
      ...assembled,
      dispatch: dispatcher?.(features.subscriptions, own) ?? hooks.dispatcher,
      interceptors: chain?.(features.interceptors, own) ?? hooks.chain,
      commands: features.commands,
      tools: features.tools,
      session,
      tasks,
      async runCommand(name, args = "", say = (text) => void process.stdout.write(`${text}\n`)) {
        const command = features.commands.find((each) => each.name === name);
        if (!command) return "unknown";
        try {
          await command.run({ args: args.trim(), cwd: host.root, say, handles: { ...handles, session } });
          return "done";
        } catch (cause) {
          report(commandFault(command, cause));
          return "failed";
        }
      },
    };
  }
}

interface HostParts {
  readonly workspace: string;
  readonly assembly: AddonAssembly;
  readonly host: SessionHost;
  /** The one session of the embedding program. */
  readonly session: SessionScope;
  /** Knows the secrets that addons were granted. */
  readonly mask: SecretMask;
  /** What is wrong with the stored trust answers, one line each. */
  readonly problems: () => readonly string[];
}

interface PartsFacts {
  readonly workspace: string;
  readonly tell: NonNullable<AddonHostDeps["tell"]>;
}

function createParts(deps: AddonHostDeps, { workspace, tell }: PartsFacts): HostParts {
  const { env = process.env, handles = {}, builtins = [], granted = [], ask, reservedActions } = deps;
  const { workItems, memory, sessions, ui } = deps;
  if (deps.home === undefined) checkHome(env, workspace);
  const home = resolve(deps.home ?? indusHome(env));
  const mask = createSecretMask();
  const say: PartsFacts["tell"] = (feature, text) => tell(feature, mask.text(text));
  const requireSandbox = deps.requireSandbox === true;
  const standard = (): ModuleLoader =>
    createTieredLoader({ workspace, home, env, requireSandbox, secrets: mask });
  const { loader: given } = deps;
  const loader = typeof given === "function" ? given(standard()) : (given ?? standard());
  const trust = createTrust({ home });
  const host: SessionHost & RegistryHost = {
    notifyModel: (feature, text) => {
      if (handles.sendMessage) handles.sendMessage(`Notice from ${feature}: ${mask.text(text)}`);
      else say(feature, text);
    },
    alert: say,
    diagnostic: (feature, severity, text) => say(feature, `${severity}: ${text}`),
    fs: localFs(),
    root: workspace,
    env,
    fetch: (request) => guardedFetch(request),
    lacks: (capability) => unoffered(capability, deps) ?? lacksHere(env)(capability),
    workItems,
    memory,
    sessions,
    ui,
    secrets: {
      text: mask.text,
      learn: (id) => (env[id] === undefined ? undefined : mask.add(id, env[id])),
    },
    exec: handles.exec,
  };
  const session = createSessionScope();
  session.put(SESSION_HOST, host);
  const registry = createRegistry(host, reservedActions);
  registry.join(session);
  for (const module of builtins) void registry.add({ module }); // before anything that is added later
  const assembly = assembleAddons({
    loader,
    registry,
    decide: (sources) =>
      decideTrust(sources, {
        trust,
        describe: loader.describe,
        hashOf: loader.hashOf,
        granted: { forRun: granted },
        onIdle: (idle) => {
          for (const { grant, problem } of idle) say("host", `the grant ${JSON.stringify(grant)} ${problem}`);
        },
        ask,
      }),
  });
  return { workspace, assembly, host, session, mask, problems: trust.problems };
}

const SERVICE_OF: Partial<Record<HostCapability["kind"], keyof OfferedServices>> = {
  work_items: "workItems",
  memory: "memory",
  sessions: "sessions",
  ui: "ui",
};

/** Why the program cannot grant a capability: it has nothing behind it. */
function unoffered({ kind }: HostCapability, offered: OfferedServices): string | undefined {
  const service = SERVICE_OF[kind];
  if (service === undefined || offered[service]) return undefined;
  return `this program offers none (createAddonHost was given no ${service})`;
}

/** Passes a cause on unchanged, unless it contains a secret: then as text without it. */
function masked(fault: AddonFault, mask: SecretMask): AddonFault {
  const message = mask.text(fault.message);
  const cause = inspect(fault.cause, { depth: null, maxStringLength: null, maxArrayLength: null });
  const shown = mask.text(cause);
  return shown === cause ? { ...fault, message } : { ...fault, message, cause: shown };
}

function warn(feature: string, text: string): void {
  process.emitWarning(`${feature}: ${text}`);
}
