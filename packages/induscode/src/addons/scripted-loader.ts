// Addons in the host's own process, for tests: an author's module becomes a feature with no disk, no compiler and no process of its
// own. Nothing confines it, so a session never loads one.

import { defineTool, type JsonSchema } from "indusagi/capabilities";
import type { CapabilityRequest, HostCapability } from "../feature/descriptor.ts";
import { readToolResult } from "../feature/dispatch/handler-results.ts";
import type { FeatureModule } from "../feature/install.ts";
import type { SessionHandles } from "../feature/services.ts";
import {
  type AddonId,
  type AddonSource,
  addonId,
  featureIdOf,
  LoaderError,
  type ModuleLoader,
} from "./contract.ts";
import type { SessionHandles as AuthorHandles } from "./kit/contract.ts";
import { type AddonModule, createSurface, HostRefused, type RegisteredManifest } from "./kit/index.ts";

/** A loader of these modules, by the path of their source. */
export function createScriptedLoader(modules: Readonly<Record<string, AddonModule>>): ModuleLoader {
  const at = ({ path }: AddonSource): AddonModule => {
    const module = Object.hasOwn(modules, path) ? modules[path] : undefined;
    if (module) return module;
    throw new LoaderError({ kind: "unsupported", path }, "no scripted addon");
  };
  const idOf = (source: AddonSource): AddonId => addonId(at(source).id ?? source.id);
  return {
    hashOf: ({ path }) => `scripted:${path}`,
    describe: async (source) => ({ id: idOf(source), contributes: [], capabilities: [] }),
    async load(source, { name }) {
      const { id } = (await name?.(idOf(source))) ?? { id: idOf(source) };
      const module = await featureOf(id, at(source), source.scope).catch((cause: unknown) => {
        throw new LoaderError({ kind: "register", path: source.path }, "its register failed", { cause });
      });
      const grants = module.descriptor.requestedCapabilities.map(({ capability }) => capability);
      return { id, module, warnings: [], grants };
    },
  };
}

/**
 * The feature that an author's module registers, in this process. It declares what it registers and nothing else; the surface
 * has no host to reach. Rejects with what `register` throws.
 */
export async function featureOf(
  id: AddonId,
  module: AddonModule,
  scope: AddonSource["scope"] = "explicit",
): Promise<FeatureModule> {
  const surface = createSurface(id);
  await module.register(surface);
  surface.seal();
  const manifest = surface.manifest();
  const hooks = [
    ...manifest.subscriptions.map(({ event }) => event),
    ...manifest.interceptors.map(({ match }) => `intercept:${match}`),
  ];
  return {
    descriptor: {
      id: featureIdOf(id, scope),
      displayName: id,
      version: module.version,
      onFailure: module.onFailure,
      runtime: "module",
      requestedCapabilities: requestsOf(manifest, hooks),
      declaredTools: manifest.tools.map(({ name }) => name),
      declaredCommands: manifest.commands.map(({ name }) => name),
      declaredHooks: hooks,
      declaredTasks: manifest.tasks.map((task) => task.id),
    },
    install(context) {
      for (const { event, handler } of manifest.subscriptions) context.hooks.on(event, handler);
      for (const { match, enter, exit } of manifest.interceptors)
        context.hooks.interceptTool(match, { enter, exit });
      for (const { name, summary, run } of manifest.commands)
        context.commands.register({
          name,
          summary,
          run: ({ args, cwd, say, handles }) =>
            run({ args, cwd, say, handles: handlesOf(handles), signal: new AbortController().signal }),
        });
      for (const { name, description, parameters, run } of manifest.tools)
        context.tools.register({
          tool: defineTool({
            name,
            description,
            parameters: parameters as JsonSchema,
            async run(input, { cwd, signal, framework }) {
              const progress = (text: string): void => framework.report?.progress?.(text);
              return readToolResult(await run(input as never, { cwd, signal, progress, callId: name }));
            },
          }),
          accesses: () => [],
        });
      for (const { id: task, description, run, ...how } of manifest.tasks)
        context.tasks.register({
          id: task,
          description,
          activation: how.activation ?? "session",
          restart: how.restart ?? "never",
          graceMs: how.graceMs ?? 1_000,
          run: async ({ signal }) => run({ signal }),
        });
    },
  };
}

function requestsOf(manifest: RegisteredManifest, hooks: readonly string[]): readonly CapabilityRequest[] {
  const capabilities: readonly HostCapability[] = [
    ...manifest.tools.map(({ name }) => ({ kind: "contribute_tool" as const, name })),
    ...hooks.map((point) => ({ kind: "contribute_hook" as const, point })),
    ...(manifest.tasks.length === 0 ? [] : [{ kind: "background_task" as const }]),
  ];
  return capabilities.map((capability) => ({ capability, required: true, reason: "it registers it" }));
}

/** The handles of an author's command: those that the program lacks refuse. */
function handlesOf({ sendMessage, setModel, setThinking, exec }: SessionHandles): AuthorHandles {
  return {
    sendMessage: async (text) => offered(sendMessage)(text),
    setModel: async (name) => refusedIf(await offered(setModel)(name)),
    setThinking: async (level) => refusedIf(offered(setThinking)(level)),
    exec: async (command, args = []) => offered(exec)(command, args),
  };
}

function offered<Handle>(handle: Handle | undefined): Handle {
  if (handle !== undefined) return handle;
  throw new HostRefused("unavailable", "this program does not offer it");
}

function refusedIf(problem: string | undefined): void {
  if (problem !== undefined) throw new HostRefused("failed", problem);
}
