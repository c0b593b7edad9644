// The features of a running session: what was installed at its start, and behind it one addon that may be replaced while
// the session goes on. Whoever shows commands, runs tools or dispatches events sees what counts now.

import type { LoadedAddon } from "../addons/index.ts";
import type { CodeAddonHandle } from "../addons/loaders/tiered-loader.ts";
import type { LiveDeck } from "../deck/deck.ts";
import type {
  FeatureInstallReport,
  FeatureModule,
  InstalledCommand,
  ToolContribution,
} from "../feature/contract.ts";
import type { FenceOptions } from "../feature/fence.ts";
import { createHooks, type LiveHooks } from "../feature/hooks.ts";
import type { FeatureHost } from "../feature/host.ts";
import { grantDeclared, type InstalledFeatures, installFeatures } from "../feature/registry.ts";
import { createTaskSupervisor, type TaskSupervisor } from "../feature/tasks.ts";
import type { SessionFeatures } from "./session-features.ts";

/** An addon that was loaded and not installed yet. */
export interface GraftedAddon extends Pick<LoadedAddon, "module" | "grants" | "dispose"> {
  /** Of an addon with a process of its own. */
  readonly code?: CodeAddonHandle;
}

export interface LiveFeaturesDeps {
  readonly features: SessionFeatures;
  readonly host: FeatureHost;
  readonly hooks: LiveHooks;
  readonly deck: LiveDeck;
  readonly fence: FenceOptions;
  readonly sessionId: () => string;
}

export interface LiveFeatures {
  /** The same list for the whole session. */
  readonly commands: readonly InstalledCommand[];
  readonly tasks: TaskSupervisor;
  readonly addons: () => Pick<SessionFeatures, "reports" | "codeAddons">;
  readonly graft: (addon: GraftedAddon) => Promise<FeatureInstallReport>;
  /** Ends what belongs to the grafted addon. Never rejects. */
  readonly dispose: () => Promise<void>;
}

export function createLiveFeatures(deps: LiveFeaturesDeps): LiveFeatures {
  const { features, host, hooks, deck, fence } = deps;
  const { onFault } = fence;
  const commands = [...features.commands];
  const ownTasks = createTaskSupervisor({ tasks: features.tasks, host, onFault });
  let grafted:
    | { readonly addon: GraftedAddon; readonly report: FeatureInstallReport; readonly tasks: TaskSupervisor }
    | undefined;
  return {
    commands,
    tasks: {
      start: ownTasks.start,
      run: (id) =>
        (grafted?.tasks.report().some((task) => task.id === id) ? grafted.tasks : ownTasks).run(id),
      report: () => [...ownTasks.report(), ...(grafted?.tasks.report() ?? [])],
      dispose: async () => void (await Promise.all([ownTasks.dispose(), grafted?.tasks.dispose()])),
    },
    addons: () => ({
      reports: [...features.reports, ...(grafted ? [grafted.report] : [])],
      codeAddons: [...features.codeAddons, ...(grafted?.addon.code ? [grafted.addon.code] : [])],
    }),
    async graft(addon) {
      const own = await installBehind(features, addon, host);
      const before = grafted;
      await before?.tasks.dispose();
      const tasks = createTaskSupervisor({ tasks: own.tasks, host, onFault });
      grafted = { addon, report: own.report, tasks };
      hooks.replace({
        subscriptions: [...features.subscriptions, ...own.subscriptions],
        interceptors: [...features.interceptors, ...own.interceptors],
      });
      deck.replace([...features.tools, ...own.tools]);
      commands.splice(0, commands.length, ...features.commands, ...own.commands);
      await before?.addon.dispose?.();
      const { dispatcher } = createHooks(own, fence); // the others have heard it
      const never = new AbortController().signal;
      await dispatcher.dispatch("session:start", { sessionId: deps.sessionId() }, { signal: never });
      tasks.start();
      return own.report;
    },
    async dispose() {
      await grafted?.addon.dispose?.();
    },
  };
}

interface OwnParts extends Omit<InstalledFeatures, "reports"> {
  readonly report: FeatureInstallReport;
}

/** The one door for the addon alone: names that are committed already are taken, and nothing of theirs runs again. */
async function installBehind(
  features: InstalledFeatures,
  { module, grants }: GraftedAddon,
  host: FeatureHost,
): Promise<OwnParts> {
  const policy: Parameters<typeof installFeatures>[1] = (descriptor) =>
    descriptor === module.descriptor ? grants : grantDeclared(descriptor);
  const both = await installFeatures([committed(features), module], policy, host);
  const report = both.reports.at(-1);
  if (!report) throw new Error("the registry made no report");
  return {
    report,
    tools: both.tools.filter(({ tool }) => report.tools.includes(tool.name)),
    commands: both.commands.filter(({ feature }) => feature === module.descriptor.id),
    subscriptions: both.subscriptions,
    interceptors: both.interceptors,
    tasks: both.tasks.filter(({ feature }) => feature === module.descriptor.id),
  };
}

/** What is committed, as one feature that claims its names again. */
function committed({ tools, commands, tasks }: InstalledFeatures): FeatureModule {
  const nameOf = ({ tool }: ToolContribution): string => tool.name;
  return {
    descriptor: {
      id: "builtin:committed",
      displayName: "What is committed already",
      runtime: "builtin",
      requestedCapabilities: [
        ...tools.map(nameOf).map((name) => ({
          capability: { kind: "contribute_tool", name } as const,
          required: true,
          reason: "it was committed",
        })),
        { capability: { kind: "background_task" }, required: true, reason: "it was committed" },
      ],
      declaredTools: tools.map(nameOf),
      declaredCommands: commands.map(({ name }) => name),
      declaredHooks: [],
      declaredTasks: tasks.map(({ id }) => id),
    },
    install(context) {
      for (const tool of tools) context.tools.register(tool);
      for (const command of commands) context.commands.register(command);
      for (const task of tasks) context.tasks.register(task);
    },
  };
}
