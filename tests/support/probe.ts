// A feature of a test: it handles the given events, and nothing else.

import type { FeatureModule, HookEvent, HookHandler } from "../../packages/induscode/src/feature/contract.ts";

export type Handlers = { readonly [E in HookEvent]?: HookHandler<E> };

type Services = Parameters<FeatureModule["install"]>[0]["services"];

/** `project:probe`, version 1.2.3, with the right to run commands; `handlers` may be made from its services. */
export function probe(
  events: readonly HookEvent[],
  handlers: Handlers | ((services: Services) => Handlers),
): FeatureModule {
  return {
    descriptor: {
      id: "project:probe",
      displayName: "Probe",
      version: "1.2.3",
      runtime: "builtin",
      requestedCapabilities: [
        { kind: "files" as const, read: false, write: false, execute: true },
        ...events.map((point) => ({ kind: "contribute_hook" as const, point })),
      ].map((capability) => ({ capability, required: true, reason: "test" })),
      declaredTools: [],
      declaredCommands: [],
      declaredHooks: events,
      declaredTasks: [],
    },
    install({ hooks, services }) {
      const made = typeof handlers === "function" ? handlers(services) : handlers;
      for (const [event, handler] of Object.entries(made)) hooks.on(event as HookEvent, handler as never); // the pairs were checked by `Handlers`
    },
  };
}
