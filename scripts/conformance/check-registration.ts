// Whether what an addon registers would be installed: asked of the registry itself, so that the rules are the product's.

import { defineTool } from "indusagi/capabilities";
import type { JsonSchema } from "indusagi/core";
import {
  PROTOCOL_VERSION,
  type Registration,
} from "../../packages/induscode/src/addons/process/protocol/messages.ts";
import {
  type ReadRegistration,
  readRegistration,
} from "../../packages/induscode/src/addons/process/protocol/read-registration.ts";
import { contributionsOf, hookPointsOf } from "../../packages/induscode/src/addons/process/remote-feature.ts";
import { isAddonId } from "../../packages/induscode/src/addons/source/manifest.ts";
import type { HookHandler } from "../../packages/induscode/src/feature/handler.ts";
import type { FeatureModule } from "../../packages/induscode/src/feature/install.ts";
import { grantDeclared, installFeatures } from "../../packages/induscode/src/feature/registry.ts";

/** What is wrong with a registration, one sentence each. */
export async function problemsOfRegistration(answer: Registration): Promise<readonly string[]> {
  const { protocol, id } = answer;
  const registration = readRegistration(answer);
  const problems = [...registration.notes];
  if (protocol !== PROTOCOL_VERSION)
    problems.push(`"protocol" must be ${PROTOCOL_VERSION}, which the host asked for; found ${protocol}`);
  if (id !== undefined && !isAddonId(id))
    problems.push(`"id" must be letters, digits, ".", "_" and "-"; found ${JSON.stringify(id)}`);
  for (const { enter, exit, place } of registration.interceptors)
    if (!enter && !exit)
      problems.push(`interceptor ${place} has neither "enter" nor "exit", so it does nothing`);
  const { reports } = await installFeatures([featureOf(registration)], grantDeclared);
  for (const { skipped, faults } of reports)
    problems.push(
      ...skipped.map(
        ({ kind, name, reason }) => `the ${kind} ${JSON.stringify(name)} would be left out: ${reason}`,
      ),
      ...faults.filter(({ kind }) => kind !== "conflict").map(({ message }) => message),
    );
  return problems;
}

/** A feature that contributes the same and does nothing. */
function featureOf(registration: ReadRegistration): FeatureModule {
  const { handlers, interceptors, commands, tools, tasks, skipped } = registration;
  const nothing = (): undefined => undefined;
  return {
    descriptor: {
      id: "project:conformance",
      displayName: "conformance",
      runtime: "process",
      requestedCapabilities: contributionsOf(registration).map((capability) => ({
        capability,
        required: true,
        reason: "test",
      })),
      declaredTools: tools.map(({ name }) => name),
      declaredCommands: commands.map(({ name }) => name),
      declaredHooks: hookPointsOf(registration),
      declaredTasks: tasks.map(({ id }) => id),
    },
    install({ hooks, commands: commandRegistrar, tools: toolRegistrar, tasks: taskRegistrar, skip }) {
      for (const part of skipped) skip(part);
      for (const { event, kind } of handlers)
        hooks.on(event, { kind, run: nothing } as unknown as HookHandler);
      for (const { match, enter, exit } of interceptors)
        hooks.interceptTool(match, {
          ...(enter ? { enter: nothing } : {}),
          ...(exit ? { exit: nothing } : {}),
        });
      for (const { name, summary } of commands) commandRegistrar.register({ name, summary, run: nothing });
      for (const { name, description, parameters } of tools) {
        const tool = defineTool({
          name,
          description,
          parameters: parameters as JsonSchema,
          run: async () => ({ content: [], isError: false }),
        });
        toolRegistrar.register({ tool, accesses: () => [] });
      }
      for (const { id, description } of tasks)
        taskRegistrar.register({
          id,
          description,
          activation: "onDemand",
          restart: "never",
          graceMs: 1_000,
          run: async () => undefined,
        });
    },
  };
}
