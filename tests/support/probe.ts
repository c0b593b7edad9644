// A feature for tests: it handles the given events, and nothing else.

import type { HookEvent } from "../../packages/induscode/src/feature/events.ts";
import type { HookHandler, HostHandlerContext } from "../../packages/induscode/src/feature/handler.ts";
import { reachOf } from "../../packages/induscode/src/feature/host.ts";
import type { FeatureModule } from "../../packages/induscode/src/feature/install.ts";
import type { FeatureServices } from "../../packages/induscode/src/feature/services.ts";

export type Handlers = { readonly [E in HookEvent]?: HookHandler<E> };

/** `project:probe`, version 1.2.3, with the right to run commands; `handlers` can be a function of the calling session's services. */
export function probe(
  events: readonly HookEvent[],
  handlers: Handlers | ((services: (context: HostHandlerContext) => FeatureServices) => Handlers),
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
    install({ hooks, featureId: feature, grants }) {
      const services = ({ session }: HostHandlerContext): FeatureServices => {
        const reach = session && reachOf(session, { feature, grants });
        if (!reach) throw new Error("there is no session");
        return reach.services;
      };
      const made = typeof handlers === "function" ? handlers(services) : handlers;
      for (const [event, handler] of Object.entries(made)) hooks.on(event as HookEvent, handler as never); // `Handlers` has checked the pairs
    },
  };
}
