// The host's calls to what an addon registered. Each answers synchronously if the addon's code does, so that a warm event
// costs one line in and one line out.

import { AsyncLocalStorage } from "node:async_hooks";
import type { RegisteredManifest } from "../kit/index.ts";
import { RpcError } from "../process/protocol/contract.ts";
import { ERROR_CODES, type HostToAddon, type RequestId } from "../process/protocol/messages.ts";
import {
  asDecision,
  asEnterResult,
  asExitResult,
  asNothing,
  asPayload,
  toolResultOf,
} from "./call-results.ts";
import type { CapturedOutput } from "./captured-output.ts";
import { freezeJson } from "./freeze-json.ts";
import { createSessionHandles, type HostLink } from "./host-services.ts";
import type { OpenCall } from "./open-calls.ts";

/** One method of the protocol: the result, or a promise of it. Throws what the addon throws, or an `RpcError`. */
export type AddonCall = (params: never, call: OpenCall) => unknown;

/** The host's calls to what was registered. */
type Methods = {
  readonly [Name in Exclude<keyof HostToAddon, "describe" | "cancel" | "dispose">]: (
    params: HostToAddon[Name]["params"],
    call: OpenCall,
  ) => unknown;
};

interface AddonCallsOptions {
  readonly link: HostLink;
  readonly output: CapturedOutput;
}

/** The call whose code is running, including asynchronous work that it started. */
const callAtWork = new AsyncLocalStorage<AtWork>();

interface AtWork {
  readonly call: OpenCall;
  readonly isTask: boolean;
}

/** The host's request that the currently running code works for. */
export function requestAtWork(): RequestId | undefined {
  return callAtWork.getStore()?.call.id;
}

/** The call of the task whose code is currently running: when the process exits, the task that ended it. */
export function endingTask(): OpenCall | undefined {
  const atWork = callAtWork.getStore();
  return atWork?.isTask ? atWork.call : undefined;
}

/** The methods that run an addon's code, by name. */
export function createAddonCalls(
  manifest: RegisteredManifest,
  { link, output }: AddonCallsOptions,
): Readonly<Record<string, AddonCall>> {
  const { subscriptions, interceptors } = manifest;
  const commands = firstOf(manifest.commands, (command) => command.name);
  const tools = firstOf(manifest.tools, (tool) => tool.name);
  const tasks = firstOf(manifest.tasks, (task) => task.id);
  const running = new Map<string, OpenCall>();
  const handles = createSessionHandles(link);
  const progress = (id: RequestId, text: string): void => link.notify("progress", { id, text });

  const methods: Methods = {
    event({ handler: at, event, payload }, call) {
      const found = subscriptions[at];
      if (found?.event !== event) throw unknown("handler", `${at} of ${event}`);
      const { handler } = found;
      return then(
        handler.run(freezeJson(payload) as never, call),
        handler.kind === "transform" ? asPayload : handler.kind === "gate" ? asDecision : asNothing,
      );
    },
    enter({ interceptor: at, tool, callId, args }, call) {
      const enter = interceptors[at]?.enter;
      if (!enter) throw unknown("interceptor with enter", at);
      return then(enter(freezeJson({ tool, callId, args }) as never, call), asEnterResult);
    },
    exit({ interceptor: at, tool, callId, args, result, error }, call) {
      const exit = interceptors[at]?.exit;
      if (!exit) throw unknown("interceptor with exit", at);
      const seen = { tool, callId, args, result: { isError: false, ...result } };
      const outcome = exit(freezeJson(error === undefined ? seen : { ...seen, error }) as never, call);
      return then(outcome, asExitResult);
    },
    tool({ name, callId, args, cwd }, call) {
      const tool = tools.get(name) ?? throwIt(unknown("tool", name));
      const context = {
        callId,
        cwd,
        progress: (text: string) => progress(call.id, text),
        signal: call.signal,
      };
      const outcome = tool.run(args as never, context);
      return then(outcome, toolResultOf);
    },
    command({ name, args, cwd }, call) {
      const command = commands.get(name) ?? throwIt(unknown("command", name));
      const say = (text: string): void => {
        output.flush();
        progress(call.id, text);
      };
      const context = { args: args.trim(), cwd, handles, say, signal: call.signal };
      return then(
        output.during(call.id, () => command.run(context)),
        asNothing,
      );
    },
    "task/start"({ id }, call) {
      const task = tasks.get(id) ?? throwIt(unknown("task", id));
      if (running.has(id)) throw new RpcError(ERROR_CODES.unavailable, `the task ${id} is already running`);
      running.set(id, call);
      return (async () => {
        try {
          await task.run(call);
        } finally {
          running.delete(id);
        }
      })();
    },
    "task/stop"({ id }) {
      running.get(id)?.abort(new Error(`the task ${id} is being stopped`));
      return {};
    },
  };
  // So that requests from its code to the host say which call they are for.
  return Object.fromEntries(
    Object.entries(methods).map(([name, method]): [string, AddonCall] => {
      const isTask = name === "task/start";
      return [name, (params, call) => callAtWork.run({ call, isTask }, () => method(params, call))];
    }),
  );
}

/** Whether a value has to be awaited. */
export function isPromise<Value>(value: Value | Promise<Value>): value is Promise<Value> {
  return typeof (value as { readonly then?: unknown } | null | undefined)?.then === "function";
}

/** Applies `project` now, or when the promise resolves: a synchronous value must not wait for a turn of the event loop. */
function then<Value>(value: Value | Promise<Value>, project: (value: Value) => unknown): unknown {
  return isPromise(value) ? value.then(project) : project(value);
}

/** If two have the same name the first is kept, as in the host's registry. */
function firstOf<Item>(items: readonly Item[], nameOf: (item: Item) => string): ReadonlyMap<string, Item> {
  const found = new Map<string, Item>();
  for (const item of items) if (!found.has(nameOf(item))) found.set(nameOf(item), item);
  return found;
}

function unknown(kind: string, name: string | number): RpcError {
  return new RpcError(
    ERROR_CODES.params,
    `this addon has no ${kind} ${name}; its registration says otherwise`,
  );
}

function throwIt(error: Error): never {
  throw error;
}
