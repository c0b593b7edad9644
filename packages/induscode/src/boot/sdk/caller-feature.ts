// The program's tools and hooks as one feature: they go through the boundary like every other, and the log names it.

import { defineTool, jsonResult, type ToolResult, textResult } from "indusagi/capabilities";
import { briefValue, describeError, resolvePath } from "indusagi/core";
import { EXIT_USAGE, Problem } from "../../cli/problem.ts";
import { EVERY_HOST } from "../../feature/capabilities.ts";
import type { CapabilityRequest, FeatureId, HostCapability } from "../../feature/descriptor.ts";
import { type HookEvent, isHookEvent, type PayloadOf } from "../../feature/events.ts";
import type { HandlerContext, HookHandler } from "../../feature/handler.ts";
import type { FeatureInstallContext, FeatureModule } from "../../feature/install.ts";
import { toolSchema } from "../../feature/registration/tool-schema.ts";
import type { Access, ToolContribution } from "../../feature/tool.ts";
import { builtinToolName, meansTool } from "../../feature/tool-names.ts";
import { checkFields, FUNCTION, type Kinds, OBJECT, TEXT, YES_OR_NO } from "../program/check-values.ts";
import type { CallAnswer, CallerTool, Hook, HookOf, Touch } from "./caller-tool.ts";

const PROGRAM: FeatureId = "builtin:program";

/** Its functions run in the program itself, so that nothing is kept from them; what a changed call touches is decided about afterwards. */
const POWERS: readonly HostCapability[] = [
  { kind: "files", read: true, write: true, execute: true },
  { kind: "network", purpose: "what the program does", hosts: [EVERY_HOST] },
];

/** Throws a {@link Problem} for a tool or a hook that cannot be meant. */
export function callerFeature(tools: readonly CallerTool[], hooks: readonly Hook[]): FeatureModule {
  tools.forEach(checkTool);
  hooks.forEach(checkHook);
  const events = [...new Set(hooks.map(({ event }) => event))];
  const requests: readonly HostCapability[] = [
    ...tools.map(({ name }) => ({ kind: "contribute_tool" as const, name })),
    ...events.map((point) => ({ kind: "contribute_hook" as const, point })),
    ...POWERS,
  ];
  return {
    descriptor: {
      id: PROGRAM,
      displayName: "The program",
      runtime: "builtin",
      requestedCapabilities: requests.map(
        (capability): CapabilityRequest => ({ capability, required: true, reason: "the program gave it" }),
      ),
      declaredTools: tools.map(({ name }) => name),
      declaredCommands: [],
      declaredHooks: events,
      declaredTasks: [],
    },
    install(context) {
      for (const tool of tools) context.tools.register(contribution(tool, context));
      for (const hook of hooks) register(hook as HookOf<HookEvent>, context); // each handler comes with its own event
    },
  };
}

const TOOL_KINDS: Kinds<CallerTool> = {
  name: TEXT,
  description: TEXT,
  input: OBJECT,
  touches: {
    expected: "a list or a function",
    fits: (value) => Array.isArray(value) || typeof value === "function",
  },
  run: FUNCTION,
};

function checkTool(tool: CallerTool): void {
  const said = `the tool ${briefValue(tool?.name)}`;
  checkFields(said, tool, TOOL_KINDS);
  const { name, input, run } = tool;
  if (name === undefined) throw new Problem("a tool needs a name", EXIT_USAGE);
  const taken = builtinToolName(name);
  if (taken !== undefined)
    throw new Problem(`${said} has the name of the built-in tool ${taken}`, EXIT_USAGE);
  if (typeof run !== "function") throw new Problem(`${said} needs a function run`, EXIT_USAGE);
  const schema = toolSchema(input);
  if ("problem" in schema)
    throw new Problem(`${said}: its input is not a JSON Schema for arguments: ${schema.problem}`, EXIT_USAGE);
}

const KINDS: readonly string[] = ["observe", "transform", "gate"] satisfies readonly Hook["kind"][];

const HOOK_KINDS: Kinds<Extract<Hook, { readonly kind: "gate" }>> = {
  event: TEXT,
  kind: TEXT,
  match: TEXT,
  matchArgument: TEXT,
  onFailure: TEXT,
  isRemote: YES_OR_NO,
  run: FUNCTION,
};

function checkHook(hook: Hook): void {
  checkFields(`a hook on ${briefValue(hook?.event)}`, hook, HOOK_KINDS);
  const { event, kind, match, run } = hook;
  if (!isHookEvent(event)) throw new Problem(`unknown event ${JSON.stringify(event)}`, EXIT_USAGE);
  if (!KINDS.includes(kind) || typeof run !== "function")
    throw new Problem(`a hook on ${event} needs kind (${KINDS.join(", ")}) and a function run`, EXIT_USAGE);
  if (match !== undefined && event !== "tool:before" && event !== "tool:after")
    throw new Problem(
      `"match" works only with tool:before and tool:after; ${event} does not concern a tool`,
      EXIT_USAGE,
    );
}

function contribution(given: CallerTool, context: FeatureInstallContext): ToolContribution {
  const { name, description, input: parameters, run } = given;
  return {
    tool: defineTool({
      name,
      description,
      parameters,
      run: async (input, { cwd, signal }) => resultOf(await run(input, { cwd, signal })),
    }),
    accesses(input, cwd, home) {
      try {
        const touches = typeof given.touches === "function" ? given.touches(input) : given.touches;
        return touches?.map((touch) => accessOf(touch, cwd, home)) ?? [unknownDeed(name, cwd)];
      } catch (error) {
        context.fault("handler", `touches of the tool ${name} failed: ${describeError(error)}`);
        return [unknownDeed(name, cwd)];
      }
    },
    waits: true,
  };
}

function resultOf(answer: CallAnswer): ToolResult {
  if (typeof answer === "string") return textResult(answer);
  return answer === undefined ? textResult("done") : jsonResult(answer);
}

function accessOf(touch: Touch, cwd: string, home: string | undefined): Access {
  if (touch.kind === "network") return { kind: "network", host: touch.host };
  if (touch.kind === "read" || touch.kind === "write")
    return { kind: touch.kind, path: resolvePath(cwd, touch.path, home) };
  throw new TypeError(`expected read, write or network, found ${JSON.stringify(touch)}`);
}

/** Like a command that nobody knows: two words, so that a tool called `ls` is not taken for the harmless program. */
function unknownDeed(name: string, cwd: string): Access {
  return { kind: "execute", command: `program-tool ${name}`, cwd };
}

function register<E extends HookEvent>(hook: HookOf<E>, context: FeatureInstallContext): void {
  const { event, match, ...handler } = hook;
  const whole = { ...handler, match } as HookHandler<E>;
  context.hooks.on(event, match === undefined ? whole : onlyAbout(match, whole));
}

function onlyAbout<E extends HookEvent>(match: string, handler: HookHandler<E>): HookHandler<E> {
  const isMeant = (payload: PayloadOf<E>): boolean => "name" in payload && meansTool(match, payload.name);
  const run = (payload: PayloadOf<E>, own: HandlerContext): unknown =>
    isMeant(payload) ? handler.run(payload, own) : undefined;
  return { ...handler, run } as HookHandler<E>;
}
