// Takes what a feature contributes as plain facts of the host's own, or says why one thing is not taken. Nothing behind this
// file touches an object of a feature, except to call its functions.

import type { DefinedTool } from "indusagi/capabilities";
import { jsonBytes } from "indusagi/core";
import type { Command } from "../command.ts";
import type { FailurePolicy, FeatureDescriptor, HostCapability } from "../descriptor.ts";
import type { HookEvent } from "../events.ts";
import { isHookEvent } from "../events.ts";
import type { HookHandler, HostHandlerContext } from "../handler.ts";
import type { BackgroundTask, FeatureModule, ProviderContribution } from "../install.ts";
import type { SkippedContribution } from "../install-report.ts";
import type { InterceptorStage } from "../interceptor.ts";
import type { ToolContribution } from "../tool.ts";
import { data, Fields, Unfit } from "./contribution-fields.ts";
import { toolSchema } from "./tool-schema.ts";

/** What the protocol allows an addon, so that no feature has more. */
const MAX_NAME = 64;
const MAX_DESCRIPTION_BYTES = 16 * 1024;
const MAX_SUMMARY_BYTES = 300;
const MAX_HINT_BYTES = 200;
const MAX_TASK_DESCRIPTION_BYTES = 4_096;
const MAX_LABEL_BYTES = 100;
const MAX_INSTRUCTION_BYTES = 16 * 1024;
const MAX_ID = 300;
/** For names that a permission or an error says more about. */
const MAX_LONG_NAME = 1_000;

export type AnyHandler = HookHandler<HookEvent, HostHandlerContext>;
export type MatchedStage = InterceptorStage<HostHandlerContext> & { readonly match: string };

/** A tool as taken, and what its report says of it. */
export interface TakenTool {
  readonly contribution: ToolContribution;
  readonly notes: readonly string[];
  /** Of each request to the model. */
  readonly bytes: number;
}

/** The feature itself. Its functions are called on the module that was handed over. */
export function takeModule(given: unknown): FeatureModule {
  const module = new Fields(given, "the module");
  const fields = module.within("descriptor");
  const id = fields.name("id", MAX_ID);
  if (!/^(?:builtin|project|user|plugin):./.test(id))
    throw new Unfit(`its id must be builtin:…, project:…, user:… or plugin:…, found "${id}"`);
  const descriptor: FeatureDescriptor = {
    id: id as FeatureDescriptor["id"],
    displayName: fields.words("displayName", MAX_LABEL_BYTES),
    ...fields.ifThere("version", (key) => fields.words(key, MAX_LABEL_BYTES)),
    runtime: fields.choice("runtime", RUNTIMES),
    ...fields.ifThere("onFailure", (key) => fields.choice<FailurePolicy>(key, ["allow", "block"])),
    ...fields.ifThere("patienceMs", (key) => fields.amount(key)),
    requestedCapabilities: fields.list("requestedCapabilities", (each, place) => {
      const request = new Fields(each, place);
      return {
        capability: takeCapability(request.raw("capability"), `${place}.capability`),
        required: request.flag("required"),
        ...request.ifThere("neededBy", (key) => request.names(key)),
        reason: request.words("reason", MAX_LONG_NAME),
      };
    }),
    declaredTools: fields.names("declaredTools"),
    declaredCommands: fields.names("declaredCommands"),
    declaredHooks: fields.names("declaredHooks"),
    declaredTasks: fields.names("declaredTasks"),
    ...fields.ifThere("bringsTexts", (key) => fields.flag(key)),
    ...fields.ifThere("instructions", (key) => fields.words(key, MAX_INSTRUCTION_BYTES)),
  };
  return { descriptor, install: module.callable("install") };
}

const RUNTIMES = ["builtin", "declarative", "module", "python", "process", "wasm", "mcp", "hooks"] as const;

function takeCapability(given: unknown, place: string): HostCapability {
  const fields = new Fields(given, place);
  const kind = fields.choice("kind", CAPABILITIES);
  switch (kind) {
    case "contribute_tool":
      return { kind, name: fields.name("name", MAX_LONG_NAME) };
    case "contribute_hook":
      return { kind, point: fields.name("point", MAX_LONG_NAME) };
    case "secret":
      return { kind, id: fields.name("id", MAX_LONG_NAME) };
    case "network": {
      const { purpose = "" } = fields.ifThere("purpose", (key) => fields.words(key, MAX_LONG_NAME));
      return { kind, purpose, hosts: fields.names("hosts") };
    }
    default:
      return data(given, place); // rights, of which only those that are true count
  }
}

const CAPABILITIES = [
  ...([
    "contribute_tool",
    "contribute_hook",
    "background_task",
    "model_notification",
    "alert",
    "files",
  ] as const),
  ...([
    "work_items",
    "memory",
    "sessions",
    "network",
    "secret",
    "browser",
    "sampling",
    "unconfined",
    "ui",
  ] as const),
];

/** `isOwn`: of the product, whose tests check what would be read on every start; such a tool describes itself anew for each request. */
export function takeTool(given: unknown, isOwn: boolean): TakenTool {
  const fields = new Fields(given);
  const tool = fields.within("tool");
  const name = tool.name("name", MAX_LONG_NAME);
  const calls = {
    invoke: tool.callable<DefinedTool["invoke"]>("invoke"),
    execute: tool.callable<DefinedTool["execute"]>("execute"),
  };
  const besides: Omit<ToolContribution, "tool"> = {
    accesses: fields.callable("accesses"),
    ...fields.ifThere("alone", (key) => fields.callable<NonNullable<ToolContribution["alone"]>>(key)),
    ...fields.ifThere("waits", (key) => fields.flag(key)),
    ...fields.ifThere("runsInShell", (key) => fields.flag(key)),
    ...fields.ifThere("resources", (key) => fields.choice<"list" | "read">(key, ["list", "read"])),
    ...fields.ifThere("always", (key) => fields.names(key) as NonNullable<ToolContribution["always"]>),
    ...takeNeeds(fields),
  };
  if (isOwn)
    return { contribution: { tool: fields.raw("tool") as DefinedTool, ...besides }, notes: [], bytes: 0 };
  const description = tool.words("description", MAX_DESCRIPTION_BYTES);
  const schema = toolSchema(tool.raw("parameters"));
  if ("problem" in schema) throw new Unfit(`the schema of "${name}" is invalid: ${schema.problem}`);
  const { parameters, shown, notes } = schema;
  const descriptor = { name, description, parameters: shown };
  return {
    contribution: {
      tool: { name, description, parameters, descriptor: () => descriptor, ...calls },
      ...besides,
    },
    notes,
    bytes: jsonBytes(descriptor),
  };
}

function takeNeeds(fields: Fields): { readonly requiredCapabilities?: readonly HostCapability[] } {
  return fields.ifThere("requiredCapabilities", (key) => fields.list(key, takeCapability));
}

export function takeCommand(given: unknown): Command {
  const fields = new Fields(given);
  return {
    name: fields.name("name", MAX_LONG_NAME),
    summary: fields.words("summary", MAX_SUMMARY_BYTES),
    ...fields.ifThere("argumentHint", (key) => fields.words(key, MAX_HINT_BYTES)),
    ...fields.ifThere("complete", (key) => fields.callable<NonNullable<Command["complete"]>>(key)),
    ...fields.ifThere("picks", (key) => fields.flag(key)),
    run: fields.callable("run"),
  };
}

export function takeHandler(
  event: unknown,
  given: unknown,
): { readonly event: HookEvent; readonly handler: AnyHandler } {
  const name = new Fields({ "the event": event }).name("the event", MAX_LONG_NAME);
  if (!isHookEvent(name)) throw new Unfit(`"${name}" is not an event`);
  const fields = new Fields(given);
  const kind = fields.choice("kind", ["observe", "transform", "gate"]);
  const handler = {
    kind,
    run: fields.callable("run"),
    ...fields.ifThere("isRemote", (key) => fields.flag(key)),
    ...fields.ifThere("match", (key) => fields.name(key, MAX_LONG_NAME)),
    ...fields.ifThere("matchArgument", (key) => fields.name(key, MAX_LONG_NAME)),
    ...(kind === "gate" ? fields.ifThere("onFailure", (key) => fields.choice(key, ["allow", "block"])) : {}),
  };
  return { event: name, handler: handler as AnyHandler };
}

export function takeStage(match: unknown, given: unknown): MatchedStage {
  const fields = new Fields(given);
  return {
    match: new Fields({ match }).name("match", MAX_NAME),
    ...(fields.ifThere("isRemote", (key) => fields.flag(key)) as { readonly isRemote?: true }),
    ...fields.ifThere("enter", (key) => fields.callable<NonNullable<MatchedStage["enter"]>>(key)),
    ...fields.ifThere("exit", (key) => fields.callable<NonNullable<MatchedStage["exit"]>>(key)),
  };
}

export function takeTask(given: unknown): BackgroundTask {
  const fields = new Fields(given);
  return {
    id: fields.name("id", MAX_NAME),
    description: fields.words("description", MAX_TASK_DESCRIPTION_BYTES),
    activation: fields.choice("activation", ["session", "onDemand"]),
    restart: fields.choice("restart", ["never", "onFailure"]),
    graceMs: fields.amount("graceMs"),
    ...takeNeeds(fields),
    run: fields.callable("run"),
  };
}

/** Plain data by contract. */
export function takeProvider(given: unknown): ProviderContribution {
  const provider = data<ProviderContribution>(given, "it");
  const fields = new Fields(provider);
  const config = fields.within("config");
  config.name("id", MAX_NAME);
  config.name("baseUrl", MAX_LONG_NAME);
  fields.ifThere("secret", (key) => fields.name(key, MAX_LONG_NAME));
  fields.within("models");
  return provider;
}

/** What a feature says that it leaves out. */
export function takeSkipped(given: unknown): SkippedContribution {
  const fields = new Fields(given);
  return {
    kind: fields.choice("kind", ["tool", "command", "hook", "task", "provider"]),
    name: fields.words("name", MAX_LONG_NAME),
    reason: fields.words("reason", MAX_LONG_NAME),
  };
}
