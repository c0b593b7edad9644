// A code addon as a feature: every contribution of its registration becomes one that forwards to its process. To the
// session it looks like any other feature: same registry, same report, same faults.

import { defineTool, type ToolResult } from "indusagi/capabilities";
import { Aborted, describeError, type JsonObject, type JsonValue } from "indusagi/core";
import type {
  Access,
  BackgroundTask,
  Command,
  FeatureInstallContext,
  FeatureModule,
  HandlerContext,
  HookHandler,
  HostCapability,
  InterceptorStage,
  ToolContribution,
} from "../../feature/contract.ts";
import type { HookEvent, PayloadOf } from "../../feature/events.ts";
import { type AddonId, type AddonScope, featureIdOf } from "../contract.ts";
import type {
  CommandCard,
  HandlerCard,
  InterceptorCard,
  Registration,
  TaskCard,
  ToolCard,
  ToolResult as WireResult,
} from "../protocol/messages.ts";
import type { CodeAddon } from "./contract.ts";
import type { HostCalls } from "./host-calls.ts";
import { Quarantined, type RemoteAddon } from "./remote-addon.ts";

export interface RemoteFeatureFacts {
  readonly addon: CodeAddon;
  /** What the program calls itself, else what the addon was called before it ran. */
  readonly id: AddonId;
  readonly registration: Registration;
  readonly remote: RemoteAddon;
  readonly calls: HostCalls;
  readonly timeoutMs: number;
  /** What confines its process and what does not, for the report. */
  readonly confinement: readonly string[];
}

/** The feature. Its handlers reject with what the process answered; the fences around them do the rest. */
export function createRemoteFeature(facts: RemoteFeatureFacts): FeatureModule {
  const { addon, id, registration, calls } = facts;
  const { handlers = [], interceptors = [], commands = [], tools = [], tasks = [] } = registration;
  const version = registration.version ?? addon.version;
  return {
    descriptor: {
      id: featureIdOf(id, addon.source.scope satisfies AddonScope),
      displayName: id,
      ...(version === undefined ? {} : { version }),
      runtime: addon.runtime,
      requestedCapabilities: [
        ...addon.capabilities,
        ...contributionsOf(registration)
          .filter((capability) => !addon.capabilities.some((each) => isSame(each.capability, capability)))
          .map((capability) => ({ capability, required: true, reason: "its program registers it" })),
      ],
      declaredTools: tools.map(({ name }) => name),
      declaredCommands: commands.map(({ name }) => name),
      declaredHooks: [
        ...new Set([
          ...handlers.map(({ event }) => event),
          ...interceptors.map(({ match }) => `intercept:${match}`),
        ]),
      ],
      declaredTasks: tasks.map((task) => task.id),
    },
    install(context) {
      calls.attach(context);
      for (const line of facts.confinement) context.sinks.diagnostic("info", line);
      for (const request of registration.capabilities ?? [])
        reportSurplus(request.capability, addon, context);
      handlers.forEach((card, at) => {
        context.hooks.on(card.event, remoteHandler(card, at, facts));
      });
      interceptors.forEach((card, at) => {
        context.hooks.interceptTool(card.match, remoteStage(card, at, facts));
      });
      for (const card of commands) context.commands.register(remoteCommand(card, facts));
      for (const card of tools) context.tools.register(remoteTool(card, context.grants, facts));
      for (const card of tasks) context.tasks.register(remoteTask(card, facts));
    },
  };
}

/** What a registration contributes, as the grants that it needs for it. */
export function contributionsOf(registration: Registration): readonly HostCapability[] {
  const { handlers = [], interceptors = [], tools = [], tasks = [] } = registration;
  const points = new Set([
    ...handlers.map(({ event }): string => event),
    ...interceptors.map(({ match }) => `intercept:${match}`),
  ]);
  return [
    ...[...points].map((point): HostCapability => ({ kind: "contribute_hook", point })),
    ...tools.map(({ name }): HostCapability => ({ kind: "contribute_tool", name })),
    ...(tasks.length > 0 ? [{ kind: "background_task" } as const] : []),
  ];
}

function reportSurplus(asked: JsonValue | object, addon: CodeAddon, { sinks }: FeatureInstallContext): void {
  if (addon.capabilities.some((each) => isSame(each.capability, asked))) return;
  const told = `its program asks for ${JSON.stringify(asked)}, which its manifest does not: it is not granted`;
  sinks.diagnostic("warning", told);
}

/** Whether two capabilities are the same kind with the same facts. */
function isSame(one: object, other: JsonValue | object): boolean {
  const facts = (value: object): string => JSON.stringify(value, Object.keys(value).sort());
  return typeof other === "object" && other !== null && facts(one) === facts(other);
}

type Facts = Pick<RemoteFeatureFacts, "id" | "remote" | "calls" | "timeoutMs">;

function remoteHandler<E extends HookEvent>(
  { event, kind, onFailure }: HandlerCard & { readonly event: E },
  handler: number,
  { remote }: Facts,
): HookHandler<E> {
  const ask = (payload: PayloadOf<E>, { signal }: HandlerContext): ReturnType<typeof remote.call<"event">> =>
    remote.call(
      "event",
      { handler, event, payload: payload as unknown as JsonObject },
      { signal, faultKind: "handler" },
    );
  if (kind === "observe") {
    return {
      kind,
      async run(payload, context) {
        await unlessQuarantined(ask(payload, context));
      },
    };
  }
  if (kind === "transform") {
    return {
      kind,
      async run(payload, context) {
        const answer = await unlessQuarantined(ask(payload, context));
        return answer?.payload === undefined ? payload : (answer.payload as unknown as PayloadOf<E>);
      },
    };
  }
  return {
    kind,
    ...(onFailure === undefined ? {} : { onFailure }),
    async run(payload, context) {
      // A gate that blocks when it fails does so in quarantine as well: what it guards is not open because it broke.
      const asked = ask(payload, context);
      const answer = await (onFailure === "block" ? asked : unlessQuarantined(asked));
      if (answer?.stop !== true) return undefined;
      return { stop: true, ...(answer.reason === undefined ? {} : { reason: answer.reason }) };
    },
  };
}

/** An addon in quarantine takes no part, and that was told when it went there. */
async function unlessQuarantined<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Quarantined) return undefined;
    throw error;
  }
}

function remoteStage(
  { enter, exit }: InterceptorCard,
  interceptor: number,
  { remote }: Facts,
): InterceptorStage {
  const options = ({ signal }: HandlerContext) => ({ signal, faultKind: "handler" as const });
  return {
    ...(enter
      ? {
          async enter({ tool, callId, args }, context) {
            const asked = remote.call("enter", { interceptor, tool, callId, args }, options(context));
            const { args: changed, stop, reason } = (await unlessQuarantined(asked)) ?? {};
            if (stop === true) return { stop, ...(reason === undefined ? {} : { reason }) };
            return changed === undefined ? undefined : { args: changed };
          },
        }
      : {}),
    ...(exit
      ? {
          async exit({ tool, callId, args, result, error }, context) {
            const params = {
              interceptor,
              tool,
              callId,
              args,
              result,
              ...(error === undefined ? {} : { error }),
            };
            const answer = await unlessQuarantined(remote.call("exit", params, options(context)));
            return answer?.result && toolResult(answer.result);
          },
        }
      : {}),
  };
}

function remoteCommand({ name, summary, argumentHint }: CommandCard, facts: Facts): Command {
  const { remote, calls } = facts;
  return {
    name,
    summary,
    ...(argumentHint === undefined ? {} : { argumentHint }),
    async run(context) {
      const params = { name, args: context.args, cwd: context.cwd };
      let requestId: number | undefined;
      const onId = (id: number): void => {
        requestId = id;
        calls.beginCommand(id, context);
      };
      try {
        await underDeadline(facts, new AbortController().signal, (signal) =>
          remote.call("command", params, { signal, faultKind: "command", onId }),
        );
      } finally {
        if (requestId !== undefined) calls.endCommand(requestId);
      }
    },
  };
}

/** One call under the policy's time limit (seed 000). What the addon spends waiting for the host is not its own time. */
async function underDeadline<T>(
  { id, timeoutMs, calls }: Facts,
  signal: AbortSignal,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const deadline = new AbortController();
  const begin = (): NodeJS.Timeout =>
    setTimeout(() => {
      if (calls.isServing()) timer = begin();
      else deadline.abort(new Error(`no answer within ${timeoutMs} ms`));
    }, timeoutMs);
  let timer = begin();
  try {
    return await call(AbortSignal.any([signal, deadline.signal]));
  } catch (error) {
    if (error instanceof Aborted || error instanceof Quarantined) throw error;
    // No fence around tools and commands knows whose they are.
    const why = deadline.signal.aborted ? deadline.signal.reason : error;
    throw new Error(`the addon ${id} failed: ${describeError(why)}`, { cause: why });
  } finally {
    clearTimeout(timer);
  }
}

function remoteTool(
  { name, description, parameters }: ToolCard,
  grants: readonly HostCapability[],
  facts: Facts,
): ToolContribution {
  let callNumber = 0;
  return {
    tool: defineTool({
      name,
      description,
      parameters,
      async run(input, { signal, cwd }) {
        const params = { name, callId: `${name}-${++callNumber}`, args: input, cwd };
        const answer = await underDeadline(facts, signal, (until) =>
          facts.remote.call("tool", params, { signal: until, faultKind: "handler" }),
        );
        return toolResult(answer);
      },
    }),
    accesses: (_input, cwd) => accessesOf(grants, cwd),
  };
}

/** What a tool of this addon might touch: whatever the addon may. */
function accessesOf(grants: readonly HostCapability[], cwd: string): readonly Access[] {
  return grants.flatMap((grant): readonly Access[] => {
    if (grant.kind === "files")
      return [
        ...(grant.read ? [{ kind: "read" as const, path: cwd }] : []),
        ...(grant.write ? [{ kind: "write" as const, path: cwd }] : []),
      ];
    return grant.kind === "network" ? grant.hosts.map((host) => ({ kind: "network" as const, host })) : [];
  });
}

function remoteTask(
  { id, description, activation = "session", restart = "never", graceMs = 1_000 }: TaskCard,
  { remote }: Facts,
): BackgroundTask {
  return {
    id,
    description,
    activation,
    restart,
    graceMs,
    async run({ signal }) {
      const never = new AbortController().signal;
      const done = remote.call("task/start", { id }, { signal: never, faultKind: "handler" });
      const stop = (): void => {
        const options = { signal: AbortSignal.timeout(Math.max(graceMs, 1)), faultKind: "handler" as const };
        remote.call("task/stop", { id }, options).catch(() => undefined); // the supervisor tells of a late end
      };
      if (signal.aborted) stop();
      else signal.addEventListener("abort", stop, { once: true });
      try {
        await done;
      } finally {
        signal.removeEventListener("abort", stop);
      }
    },
  };
}

function toolResult({ content, isError = false }: WireResult): ToolResult {
  return {
    isError,
    content: content.map((block) =>
      block.kind === "json"
        ? { kind: "json", value: block.value ?? null }
        : { kind: "text", text: block.text ?? "" },
    ),
  };
}
