// What is kept of each kind of contribution, and what is refused.

import type { Command, CommandContext, InstalledCommand } from "../command.ts";
import { RESERVED_EVENTS } from "../events.ts";
import type { EventSubscription } from "../handler.ts";
import { MAX_GRACE_MS } from "../handler-limits.ts";
import type { InstalledProvider, InstalledTask } from "../install.ts";
import type { ToolInterceptor } from "../interceptor.ts";
import type { InstalledTool } from "../tool.ts";
import { type Commitment, commitEach } from "./commitment.ts";
import { Fields } from "./contribution-fields.ts";
import {
  claim,
  type Refusal,
  refuseCommand,
  refuseHook,
  refuseProvider,
  refuseTask,
  refuseTool,
} from "./preflight.ts";
import type { Recorded } from "./record-feature.ts";
import {
  takeCommand,
  takeHandler,
  takeProvider,
  takeStage,
  takeTask,
  takeTool,
} from "./take-contribution.ts";

/** How much of each request to the model all tools of one feature may take. */
const MAX_TOOLS_BYTES: number = 128 * 1024;
const TOO_LARGE: Refusal = {
  reason: `with it, its feature's tools would take more than ${MAX_TOOLS_BYTES} bytes of each request`,
  conflict: false,
};

const HOLDS_ANSWERS =
  "it may change the model's answers (chat:message), so they are shown when they are complete, not as they arrive";

export function commitTools(
  to: Commitment,
  given: Recorded["tools"],
  rests: (() => boolean) | undefined,
): readonly InstalledTool[] {
  const { descriptor, granted, lacking, taken } = to;
  const tools: InstalledTool[] = [];
  let room = MAX_TOOLS_BYTES;
  commitEach(to, given, {
    kind: "tool",
    nameOf: (tool) => new Fields(tool).within("tool").raw("name"),
    read: (tool) => takeTool(tool, to.isOwn),
    name: ({ contribution }) => contribution.tool.name,
    refuse: ({ contribution: { tool, requiredCapabilities }, bytes }) =>
      lacking(tool.name, requiredCapabilities) ??
      refuseTool(tool, descriptor, granted, taken) ??
      (bytes > room ? TOO_LARGE : undefined),
    keep: ({ contribution, notes, bytes }) => {
      const { name } = contribution.tool;
      room -= bytes;
      tools.push({ ...contribution, feature: descriptor.id, rests });
      for (const note of notes) to.diagnostics.push({ severity: "info", text: `${name} ${note}` });
      claim(to.claims, "tool", name);
    },
  });
  return tools;
}

interface CommandRules {
  /** Names that no addon may use. */
  readonly reserved: readonly string[];
  readonly run: (command: Command, context: CommandContext) => Promise<void>;
}

export function commitCommands(
  to: Commitment,
  given: Recorded["commands"],
  { reserved, run }: CommandRules,
): readonly InstalledCommand[] {
  const { descriptor, lacking, taken } = to;
  const commands: InstalledCommand[] = [];
  commitEach(to, given, {
    kind: "command",
    nameOf: (command) => new Fields(command).raw("name"),
    read: takeCommand,
    name: ({ name }) => name,
    refuse: (command) => lacking(`/${command.name}`) ?? refuseCommand(command, descriptor, reserved, taken),
    keep: (command) => {
      commands.push({ ...command, feature: descriptor.id, run: (context) => run(command, context) });
      claim(to.claims, "command", command.name);
    },
  });
  return commands;
}

/** What each handler and interceptor of the feature says of its owner. */
function hookOwner({ descriptor: { id, version, onFailure, patienceMs }, granted }: Commitment) {
  return {
    feature: id,
    grants: granted,
    version,
    onFailure,
    patienceMs,
  };
}

export function commitHandlers(to: Commitment, given: Recorded["handlers"]): readonly EventSubscription[] {
  const { descriptor, granted, hooks, lacking, diagnostics } = to;
  const owner = hookOwner(to);
  const subscriptions: EventSubscription[] = [];
  commitEach(to, given, {
    kind: "hook",
    nameOf: ({ event }) => event,
    read: ({ event, handler }) => takeHandler(event, handler),
    name: ({ event }) => event,
    refuse: ({ event }) => lacking(event) ?? refuseHook(event, descriptor, granted),
    keep: ({ event, handler }) => {
      subscriptions.push({ ...owner, event, handler });
      hooks.push(`${event} (${handler.kind})`);
      if (handler.kind === "gate" && !RESERVED_EVENTS.has(event) && event !== "turn:end")
        diagnostics.push({ severity: "info", text: `its gate cannot stop anything at ${event}` });
    },
  });
  if (hooks.includes("chat:message (transform)")) diagnostics.push({ severity: "info", text: HOLDS_ANSWERS });
  return subscriptions;
}

export function commitStages(to: Commitment, given: Recorded["stages"]): readonly ToolInterceptor[] {
  const { descriptor, granted, hooks, lacking } = to;
  const owner = hookOwner(to);
  const interceptors: ToolInterceptor[] = [];
  const nameOf = ({ match }: ToolInterceptor | Recorded["stages"][number]): string =>
    `intercept:${String(match)}`;
  commitEach(to, given, {
    kind: "hook",
    nameOf,
    read: ({ match, stage }): ToolInterceptor => ({ ...owner, ...takeStage(match, stage) }),
    name: nameOf,
    refuse: (stage) => lacking(nameOf(stage)) ?? refuseHook(nameOf(stage), descriptor, granted),
    keep: (stage) => {
      interceptors.push(stage);
      hooks.push(nameOf(stage));
    },
  });
  return interceptors;
}

export function commitTasks(to: Commitment, given: Recorded["tasks"]): readonly InstalledTask[] {
  const { descriptor, granted, lacking, taken } = to;
  const tasks: InstalledTask[] = [];
  commitEach(to, given, {
    kind: "task",
    nameOf: (task) => new Fields(task).raw("id"),
    read: takeTask,
    name: ({ id }) => id,
    refuse: (task) =>
      lacking(task.id, task.requiredCapabilities) ?? refuseTask(task, descriptor, granted, taken),
    keep: (task) => {
      const { id, graceMs } = task;
      tasks.push({ ...task, feature: descriptor.id, grants: granted });
      claim(to.claims, "task", id);
      const text = `the task ${id} requests ${graceMs} ms to end; the limit is ${MAX_GRACE_MS} ms`;
      if (graceMs > MAX_GRACE_MS) to.diagnostics.push({ severity: "warning", text });
    },
  });
  return tasks;
}

export function commitProviders(
  to: Commitment,
  given: Recorded["providers"],
  known: readonly string[] = [],
): readonly InstalledProvider[] {
  const { descriptor, granted, lacking, taken } = to;
  const providers: InstalledProvider[] = [];
  commitEach(to, given, {
    kind: "provider",
    nameOf: (provider) => new Fields(provider).within("config").raw("id"),
    read: takeProvider,
    name: ({ config }) => config.id,
    refuse: (provider) => lacking(provider.config.id) ?? refuseProvider(provider, granted, known, taken),
    keep: (provider) => {
      providers.push({ ...provider, feature: descriptor.id });
      claim(to.claims, "provider", provider.config.id);
    },
  });
  return providers;
}
