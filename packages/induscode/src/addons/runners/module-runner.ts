// The process of a TypeScript or JavaScript addon: node module-runner ENTRY ROOT COMPILED. It imports the addon when asked
// to describe itself, and speaks the protocol on its standard input and output. All paths are real ones; COMPILED is `-`
// for an addon without TypeScript.

import { setSourceMapsSupport } from "node:module";
import { pathToFileURL } from "node:url";
import type { JsonValue } from "indusagi/core";
import { createSurface, HostRefused, KIT_URL } from "../kit/index.ts";
import type { RecordingSurface } from "../kit/recording-surface.ts";
import { RpcError } from "../process/protocol/contract.ts";
import {
  callLine,
  errorLine,
  readLine,
  resultLine,
  unreadableLine,
} from "../process/protocol/message-lines.ts";
import { type DescribeParams, ERROR_CODES, type RequestId } from "../process/protocol/messages.ts";
import { type AddonCall, createAddonCalls, endingTask, isPromise, requestAtWork } from "./addon-calls.ts";
import { captureOutput } from "./captured-output.ts";
import { errorText, failureText, stackOf } from "./error-text.ts";
import { findRegister } from "./find-register.ts";
import {
  createHostServices,
  createSampling,
  createSessionHandles,
  createUi,
  type HostLink,
  refusalOf,
} from "./host-services.ts";
import { guardImports } from "./import-guard.ts";
import { createOpenCalls, type OpenCall } from "./open-calls.ts";
import { createLineSplitter, excessIn, writeOut } from "./pipe-lines.ts";
import { registrationOf } from "./registration.ts";
import { requireFitting } from "./require-fitting.ts";
import { type SkippedCard, skippedCard } from "./sendable-cards.ts";

/** An addon that observes its signal has this long to answer a cancelled call itself; the host waits a little longer. */
const CANCEL_GRACE_MS = 250;
/** How long running calls may take to end when the process is to end. */
const DISPOSE_GRACE_MS = 500;

const [entry, root, compiled] = process.argv.slice(2);
if (entry === undefined || root === undefined || compiled === undefined)
  throw new Error("module-runner: give ENTRY ROOT COMPILED");

const calls = createOpenCalls();
const asked = new Map<RequestId, { resolve: (result: unknown) => void; reject: (error: Error) => void }>();
let lastAsked = 0;
let addonCalls: Readonly<Record<string, AddonCall>> | undefined;
let described: Promise<unknown> | undefined;
let mayAsk = false;

const link: HostLink = {
  request(method, params) {
    if (!mayAsk)
      return Promise.reject(
        new HostRefused("unavailable", `${method}: the host cannot be called while the addon registers`),
      );
    const id = ++lastAsked;
    return new Promise((resolve, reject) => {
      const line = callLine(method, params, { id, during: requestAtWork() }); // may throw: then nothing waits for an answer
      const excess = excessIn(line);
      if (excess !== undefined) throw new HostRefused("limit", `${method}: ${excess}`);
      asked.set(id, { resolve, reject });
      writeOut(line);
    });
  },
  notify: (method, params) => writeOut(callLine(method, params)),
};
const output = captureOutput({
  isRunning: (command) => calls.get(command) !== undefined,
  progress: (id, text) => link.notify("progress", { id, text }),
  log: (text) => link.notify("log", { text }),
});

setSourceMapsSupport(true, { nodeModules: false });
guardImports({ root, kit: KIT_URL, compiled: compiled === "-" ? undefined : compiled });
process.on("uncaughtException", (error) => die("an uncaught error", error));
process.on("unhandledRejection", (reason) => {
  if (!(reason instanceof HostRefused)) return die("an unhandled rejection", reason);
  link.notify("diagnostic", { severity: "warning", text: `the host refused: ${reason.message}` });
});
// Only this process knows which task ended it: a call running at the same time is not to blame.
process.on("exit", (code) => {
  const task = endingTask();
  if (task)
    fail(
      task,
      new RpcError(ERROR_CODES.failed, `it ended the addon's process (exit code ${code})`, { kind: "exit" }),
    );
});
const split = createLineSplitter(receive);
process.stdin.on("data", split);
process.stdin.on("end", () => void leave());
process.stdin.on("error", () => process.exit(1));

function receive(line: string): void {
  const message = readLine(line);
  if (message?.kind === "request") answer(message.id, message.method, message.params);
  else if (message?.kind === "notification") hear(message.method, message.params);
  else if (message?.kind === "result" || message?.kind === "error") {
    const waiting = asked.get(message.id);
    asked.delete(message.id);
    if (message.kind === "result") waiting?.resolve(message.result);
    else waiting?.reject(refusalOf(message.error));
  } else writeOut(unreadableLine(message));
}

function answer(id: RequestId, method: string, params: unknown): void {
  const call = calls.open(id);
  // Before any code of the addon, which may block: then the call's own deadline applies, not that of an unresponsive
  // process. It costs 1 to 3 µs of a round trip's 42 (docs/performance.md).
  link.notify("ack", { id });
  let result: unknown;
  try {
    result = run(method, params, call);
  } catch (error) {
    fail(call, error);
    return;
  }
  if (!isPromise(result)) {
    succeed(call, result);
    return;
  }
  result.then(
    (value) => succeed(call, value),
    (error) => fail(call, error),
  );
}

function run(method: string, params: unknown, call: OpenCall): unknown {
  requireFitting(method, params);
  if (method === "describe") return describe(params as DescribeParams);
  if (method === "dispose") return leave(call);
  if (!addonCalls) {
    if (!described) throw new RpcError(ERROR_CODES.request, `${method} came before describe`);
    return described.then(() => run(method, params, call));
  }
  const found = Object.hasOwn(addonCalls, method) ? addonCalls[method] : undefined;
  if (!found) throw new RpcError(ERROR_CODES.method, `unknown method ${method.slice(0, 80)}`);
  return found(params as never, call);
}

function describe({ id }: DescribeParams): Promise<unknown> {
  if (described) throw new RpcError(ERROR_CODES.request, "describe came twice");
  described = register(id);
  return described;
}

async function register(derivedId: string): Promise<unknown> {
  const addon = await step("load", async () =>
    findRegister(await import(pathToFileURL(entry as string).href)),
  );
  const services = {
    host: createHostServices(link),
    handles: createSessionHandles(link),
    ui: createUi(link),
    sample: createSampling(link),
  };
  const recording = (): { readonly surface: RecordingSurface; readonly end: () => unknown } => {
    const skipped: SkippedCard[] = [];
    const surface = createSurface(addon.id ?? derivedId, {
      ...services,
      onUnfit({ kind, name, why }) {
        const reason = typeof why === "string" ? why : failureText(why, root as string);
        skipped.push(skippedCard(kind, name, reason));
      },
      onRenew(again) {
        const next = recording();
        again(next.surface);
        link.notify("registered", next.end());
      },
    });
    return {
      surface,
      end() {
        surface.seal();
        const manifest = surface.manifest();
        addonCalls = createAddonCalls(manifest, { link, output });
        return registrationOf(manifest, addon, skipped);
      },
    };
  };
  const { surface, end } = recording();
  await step("register", async () => addon.register(surface));
  const registration = end();
  mayAsk = true;
  return registration;
}

async function step<Result>(kind: "load" | "register", body: () => Promise<Result>): Promise<Result> {
  try {
    return await body();
  } catch (error) {
    throw new RpcError(ERROR_CODES.failed, failureText(error, root as string), failureData(kind, error));
  }
}

function failureData(kind: string, error: unknown): JsonValue {
  const stack = stackOf(error);
  return stack === undefined ? { kind } : { kind, stack };
}

function succeed(call: OpenCall, result: unknown): void {
  let line: string;
  try {
    line = resultLine(call.id, result);
    const excess = excessIn(line);
    if (excess !== undefined) throw new Error(excess);
  } catch (error) {
    fail(call, new Error(`its answer cannot be sent: ${errorText(error)}`));
    return;
  }
  end(call, line);
}

function fail(call: OpenCall, error: unknown): void {
  const known = error instanceof RpcError ? error : undefined;
  const code = known?.code ?? ERROR_CODES.failed;
  const data = known ? known.data : { stack: stackOf(error) };
  const message = known ? errorText(known) : failureText(error, root as string);
  end(call, errorLine(call.id, { code, message, data }));
}

function end(call: OpenCall, line: string): void {
  output.flush();
  if (calls.close(call)) writeOut(line);
}

function hear(method: string, params: unknown): void {
  const { id } = (params ?? {}) as { readonly id?: RequestId };
  const call = method === "cancel" && id !== undefined ? calls.get(id) : undefined;
  if (!call) return;
  call.abort(new RpcError(ERROR_CODES.cancelled, "the host no longer waits for this call"));
  // Its code may go on, but its answer is no longer awaited: one careless handler must not cost the whole process.
  setTimeout(
    () => fail(call, new RpcError(ERROR_CODES.cancelled, "the call was cancelled")),
    CANCEL_GRACE_MS,
  );
}

/** Ends the process, after its running calls. `call` is the request to do so: it is answered before the end. */
async function leave(call?: OpenCall): Promise<never> {
  if (call) calls.close(call);
  calls.abortAll(new RpcError(ERROR_CODES.cancelled, "the addon is being stopped"));
  await calls.settle(DISPOSE_GRACE_MS);
  output.flush();
  if (call) writeOut(resultLine(call.id, {}));
  process.exit(0);
}

function die(what: string, error: unknown): never {
  output.flush();
  if (addonCalls) {
    const stack = stackOf(error);
    if (stack !== undefined) link.notify("log", { text: stack });
    const text = `the addon ended because of ${what}: ${failureText(error, root as string)}`;
    link.notify("diagnostic", { severity: "error", text });
  }
  // While it registers it may report nothing; the host waits for the registration, so the reason goes into its answer.
  else {
    const data = failureData("register", error);
    for (const call of calls.all())
      fail(call, new RpcError(ERROR_CODES.failed, `${what}: ${errorText(error)}`, data));
  }
  process.exit(1);
}
