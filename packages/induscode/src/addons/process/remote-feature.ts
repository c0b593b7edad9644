// A code addon as a feature: every contribution of its registration forwards to its process. To the session it looks like
// any other feature: same registry, same report, same faults.

import type { JsonObject, JsonValue } from "indusagi/core";
import { isContribution } from "../../feature/capabilities.ts";
import type { Command } from "../../feature/command.ts";
import type { CapabilityRequest, FailurePolicy, HostCapability } from "../../feature/descriptor.ts";
import type { ChangeOf, HookEvent, PayloadOf } from "../../feature/events.ts";
import type { HookHandler, HostHandlerContext } from "../../feature/handler.ts";
import { MAX_GRACE_MS } from "../../feature/handler-limits.ts";
import type { BackgroundTask, FeatureInstallContext, FeatureModule } from "../../feature/install.ts";
import type { EnterOutcome, ExitOutcome, InterceptorStage } from "../../feature/interceptor.ts";
import { oneLine } from "../../feature/registration/one-line.ts";
import { featureIdOf } from "../contract.ts";
import { readNeed } from "../source/capability-kinds.ts";
import type { CodeAddon } from "./contract.ts";
import { Unsendable } from "./protocol/contract.ts";
import type {
  CommandCard,
  EnterResult,
  EventResult,
  ExitResult,
  HandlerCard,
  InterceptorCard,
  TaskCard,
} from "./protocol/messages.ts";
import type { Placed, ReadRegistration } from "./protocol/read-registration.ts";
import { needsOf, registerTools } from "./remote-tool.ts";
import { type CallFacts, underDeadline } from "./under-deadline.ts";

interface RemoteFeatureFacts extends CallFacts {
  readonly addon: CodeAddon;
  readonly registration: ReadRegistration;
  /** For the whole addon: from its manifest, its program and the person. */
  readonly onFailure: FailurePolicy | undefined;
  /** What confines its process and what does not, for the report. */
  readonly confinement: readonly string[];
}

/** The feature. Its handlers reject with the process's errors; the fences around them do the rest. */
export function createRemoteFeature(facts: RemoteFeatureFacts): FeatureModule {
  const { addon, id, registration, onFailure, calls } = facts;
  const { handlers, interceptors, commands, tools, tasks } = registration;
  const instructions = addon.runtime === "mcp" ? registration.instructions : undefined;
  const given = registration.version ?? addon.version;
  const version = given === undefined ? undefined : oneLine(given, MAX_VERSION_BYTES);
  return {
    descriptor: {
      id: featureIdOf(id, addon.source.scope),
      displayName: id,
      version,
      runtime: addon.runtime,
      onFailure,
      requestedCapabilities: [
        ...addon.capabilities,
        ...contributionsOf(registration)
          .filter((capability) => !addon.capabilities.some((each) => isSame(each.capability, capability)))
          .map((capability) => ({ capability, required: true, reason: "its program registers it" })),
        ...surplusOf(registration, addon),
      ],
      declaredTools: tools.map(({ name }) => name),
      declaredCommands: commands.map(({ name }) => name),
      declaredHooks: hookPointsOf(registration),
      declaredTasks: tasks.map((task) => oneLine(task.id, 64)),
      instructions: instructions === undefined ? undefined : oneLine(instructions, MAX_INSTRUCTION_BYTES),
    },
    install(context) {
      calls.attach(context);
      for (const line of facts.confinement) context.diagnostic("info", line);
      for (const note of registration.notes) context.diagnostic("warning", note);
      const bytes = Buffer.byteLength(instructions ?? "");
      if (bytes > MAX_INSTRUCTION_BYTES)
        context.diagnostic(
          "info",
          `its server's instructions have ${bytes} bytes: the prompt has the first ${MAX_INSTRUCTION_BYTES}`,
        );
      for (const part of registration.skipped) context.skip(part);
      for (const request of registration.capabilities) reportSurplus(request.capability, addon, context);
      for (const card of handlers) context.hooks.on(card.event, remoteHandler(card, facts));
      for (const card of interceptors) context.hooks.interceptTool(card.match, remoteStage(card, facts));
      for (const card of commands) context.commands.register(remoteCommand(card, facts));
      registerTools(tools, context, facts);
      for (const card of tasks) {
        const { capabilities, problem } = needsOf(card.requiredCapabilities);
        const task = remoteTask(card, facts);
        if (problem === undefined) context.tasks.register({ ...task, requiredCapabilities: capabilities });
        else context.skip({ kind: "task", name: task.id, reason: problem });
      }
    },
  };
}

/** How much of the host's own lines an addon's words may take, in bytes. */
const MAX_VERSION_BYTES = 100;
const MAX_INSTRUCTION_BYTES = 2_048;
const MAX_SUMMARY_BYTES = 300;
const MAX_REASON_BYTES = 1_000;

/** The events that it handles, and the tools that it intercepts, as the registry names them. */
export function hookPointsOf({
  handlers,
  interceptors,
}: Pick<ReadRegistration, "handlers" | "interceptors">): readonly string[] {
  const points = [
    ...handlers.map(({ event }) => event),
    ...interceptors.map(({ match }) => `intercept:${match}`),
  ];
  return [...new Set<string>(points)];
}

/** What a registration contributes, as the grants that it needs. */
export function contributionsOf(registration: ReadRegistration): readonly HostCapability[] {
  const { tools, tasks } = registration;
  return [
    ...hookPointsOf(registration).map((point): HostCapability => ({ kind: "contribute_hook", point })),
    ...tools.map(({ name }): HostCapability => ({ kind: "contribute_tool", name })),
    ...(tasks.length > 0 ? [{ kind: "background_task" } as const] : []),
  ];
}

/** What its program requires but its manifest does not request: nobody was asked, so it is not granted. */
function surplusOf({ capabilities }: ReadRegistration, addon: CodeAddon): readonly CapabilityRequest[] {
  return capabilities.flatMap(({ capability, required, reason }) => {
    const wanted = readNeed(capability);
    const isKnown = addon.capabilities.some((each) => isSame(each.capability, capability));
    if (!required || isKnown || wanted === undefined || isContribution(wanted)) return [];
    return [{ capability: wanted, required, reason: oneLine(reason, MAX_REASON_BYTES) }];
  });
}

function reportSurplus(
  asked: JsonValue | object,
  addon: CodeAddon,
  { diagnostic }: FeatureInstallContext,
): void {
  if (addon.capabilities.some((each) => isSame(each.capability, asked))) return;
  const text = `its program requests ${JSON.stringify(asked)}, which its manifest does not: it is not granted`;
  diagnostic("warning", text);
}

/** Whether two capabilities are the same kind with the same facts. */
function isSame(one: object, other: JsonValue | object): boolean {
  const facts = (value: object): string => JSON.stringify(value, Object.keys(value).sort());
  return typeof other === "object" && other !== null && facts(one) === facts(other);
}

function remoteHandler<E extends HookEvent>(
  { event, kind, onFailure, place: handler }: Placed<HandlerCard> & { readonly event: E },
  { remote }: CallFacts,
): HookHandler<E, HostHandlerContext> {
  const ask = (
    payload: PayloadOf<E>,
    { signal, session }: HostHandlerContext,
    check: (answer: EventResult) => void = () => undefined,
  ): ReturnType<typeof remote.call<"event">> =>
    remote.call(
      "event",
      { handler, event, payload: payload as unknown as JsonObject },
      { signal, session, faultKind: "handler", check },
    );
  const isRemote = true;
  if (kind === "observe") {
    return {
      kind,
      isRemote,
      async run(payload, context) {
        await ask(payload, context);
      },
    };
  }
  if (kind === "transform") {
    return {
      kind,
      isRemote,
      async run(payload, context) {
        // Checked here, where it counts as a fault of the addon: the fence around every handler would only drop it.
        const check = ({ payload: next }: EventResult): void => context.check?.(next);
        const answer = await ask(payload, context, check);
        return answer.payload as ChangeOf<PayloadOf<E>>;
      },
    };
  }
  return {
    kind,
    isRemote,
    onFailure,
    async run(payload, context) {
      const answer = await unlessUnsendable(ask(payload, context));
      return answer.stop === true ? stopFor(answer.reason) : undefined;
    },
  };
}

/** A gate that cannot be asked did not agree: something too large to be checked must not pass because of its size. */
async function unlessUnsendable<T extends { readonly stop?: boolean }>(
  answer: Promise<T>,
): Promise<T | { readonly stop: true; readonly reason: string }> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Unsendable)
      return { stop: true, reason: `it is too large to check: ${error.message}` };
    throw error;
  }
}

function stopFor(reason: string | undefined): { readonly stop: true; readonly reason?: string | undefined } {
  return { stop: true, reason: reason === undefined ? undefined : oneLine(reason, MAX_REASON_BYTES) };
}

function remoteStage(
  { enter, exit, place: interceptor }: Placed<InterceptorCard>,
  { remote }: CallFacts,
): InterceptorStage<HostHandlerContext> {
  const options = ({ signal, session }: HostHandlerContext) => ({
    signal,
    session,
    faultKind: "handler" as const,
  });
  return {
    isRemote: true,
    ...(enter
      ? {
          async enter({ tool, callId, args }, context) {
            const asked = remote.call(
              "enter",
              { interceptor, tool, callId, args },
              { ...options(context), check: context.check ?? (() => undefined) },
            );
            const answer = await unlessUnsendable<EnterResult>(asked);
            return answer.stop === true ? stopFor(answer.reason) : (answer as EnterOutcome);
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
            const check = ({ result: next }: ExitResult): void => context.check?.(next);
            const answer = await remote.call("exit", params, { ...options(context), check });
            return answer.result as ExitOutcome;
          },
        }
      : {}),
  };
}

function remoteCommand({ name, summary, argumentHint }: CommandCard, facts: CallFacts): Command {
  return {
    name,
    summary: oneLine(summary, MAX_SUMMARY_BYTES),
    argumentHint: argumentHint === undefined ? undefined : oneLine(argumentHint, MAX_SUMMARY_BYTES),
    async run(context) {
      const params = { name, args: context.args, cwd: context.cwd };
      const { session } = context.handles;
      await underDeadline(facts, new AbortController().signal, (signal) =>
        facts.remote.call("command", params, { signal, session, faultKind: "command", command: context }),
      );
    },
  };
}

function remoteTask(
  { id, description, activation = "session", restart = "never", graceMs = 1_000 }: TaskCard,
  { remote }: CallFacts,
): BackgroundTask {
  return {
    id: oneLine(id, 64),
    description: oneLine(description, MAX_SUMMARY_BYTES),
    activation,
    restart,
    graceMs,
    async run({ signal, session }) {
      const never = new AbortController().signal;
      const done = remote.call("task/start", { id }, { signal: never, session, faultKind: "task" });
      const stop = (): void => {
        const allowedMs = Math.min(Math.max(graceMs, 1), MAX_GRACE_MS);
        const options = { signal: AbortSignal.timeout(allowedMs), session, faultKind: "task" as const };
        remote.call("task/stop", { id }, options).catch(() => undefined); // the supervisor reports a late end
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
