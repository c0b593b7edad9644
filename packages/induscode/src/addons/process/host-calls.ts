// Answers what an addon's process asks of the host, by its grants (invariant 3: enforced where it happens). Before its
// feature is installed, and while it describes itself, nothing has an effect.

import { resolve } from "node:path";
import { decodeUtf8, ScopeError } from "indusagi/capabilities";
import {
  Aborted,
  clamp,
  type Disposer,
  describeError,
  type JsonValue,
  type OutputBudget,
  type SessionScope,
} from "indusagi/core";
import type { CommandContext } from "../../feature/command.ts";
import { clampedLine, type HolderReach, reachOf } from "../../feature/host.ts";
import type { FeatureInstallContext } from "../../feature/install.ts";
import type { FeatureDiagnostic, FeatureFaultKind } from "../../feature/install-report.ts";
import type { MemoryStore } from "../../feature/memory-service.ts";
import type { ServiceAnswer } from "../../feature/services.ts";
import type { FeatureSessions, SessionRight, SessionRights } from "../../feature/sessions-service.ts";
import type { WorkItems } from "../../feature/work-items-service.ts";
import { permitsPath, type SandboxPolicy } from "../sandbox/sandbox-policy.ts";
import { diagnosticLine, LOG_BYTES_A_SECOND } from "./addon-log.ts";
import { createCallingSessions, type SessionCall } from "./calling-sessions.ts";
import { createLineAllowance } from "./line-allowance.ts";
import { type IncomingHandler, RpcError } from "./protocol/contract.ts";
import { type AddonToHost, ERROR_CODES, type FetchParams, type FetchResult } from "./protocol/messages.ts";
import { createUiCalls, type UiPlace } from "./ui-calls.ts";

/** What the host knows about an installed addon, whichever sessions call it. */
type Attachment = Pick<FeatureInstallContext, "featureId" | "grants" | "diagnostic" | "fault" | "session">;

interface HostCallsDeps {
  /** What it may reach, by its grants; paths are checked here as text, and further below by their real targets. */
  readonly policy: SandboxPolicy;
  /** The workspace, absolute. */
  readonly cwd: string;
  /**
   * What it may not write, even with the grant to write files: what other programs act on later without checking who wrote it.
   * The same as its sandbox protects, because a request to the host must not allow more than its process can do.
   */
  readonly isProtected: (realPath: string) => boolean;
  /** Writes a line to the addon's own log. */
  readonly log: (text: string) => void;
}

/** A session's call to the addon. */
interface CallUnderWay extends SessionCall {
  /** The command that it runs. */
  readonly command?: CommandContext | undefined;
}

export interface HostCalls {
  readonly handle: IncomingHandler;
  /** From now on the addon's requests have an effect. */
  readonly attach: (attachment: Attachment) => void;
  /**
   * While the addon registers, nothing it requests has an effect: the answer may be cached (schema, `describe`). The lines
   * of its report wait until it has registered.
   */
  readonly whileRegistering: <T>(work: () => Promise<T>) => Promise<T>;
  /** Takes the waiting lines. Lines that an earlier process already sent in its registration are not repeated. */
  readonly takeEarly: () => readonly FeatureDiagnostic[];
  /**
   * A session's call begins, with this request id, and ends when the returned function is called. Meanwhile the addon's
   * requests go to that session; what it asks of its command, it asks in the name of the person who typed it.
   */
  readonly begin: (requestId: number, call: CallUnderWay) => Disposer;
  /** A line about the addon from the host to the person; it waits until the addon is attached. */
  readonly tell: (kind: FeatureFaultKind, text: string) => void;
  /**
   * Reports from now on when the addon starts and stops waiting for the host, counting only requests it makes after this
   * call. Returns a function that stops the reports.
   */
  readonly watch: (onChange: (isServing: boolean) => void) => () => void;
  /** Its process has ended or is no longer used: consoles remove what they show of it, and its sessions end. */
  readonly gone: () => void;
}

type RequestContext = Parameters<IncomingHandler>[2];
type Answerer = (params: JsonValue, context: RequestContext) => JsonValue | Promise<JsonValue>;

/** Acknowledgements and cancellations are handled by the connection. */
type Methods = {
  readonly [M in Exclude<keyof AddonToHost, "ack" | "cancel">]: (
    params: AddonToHost[M]["params"],
    context: RequestContext,
  ) => unknown;
};

/** The most that one answer carries, in bytes: far below the longest frame. */
const TEXT_BUDGET: OutputBudget = { kind: "middle", maxBytes: 2 * 1024 * 1024 };
/** How many lines of one addon a person is shown per minute. */
const LINES_A_MINUTE = 60;
/** As many as the session takes from one feature: each further one would be reported to the person. */
const NOTICES_A_MINUTE = 20;
const WHICH_SESSION =
  'several sessions are calling this addon: specify which call this is for, in the key "during", by the id of the host\'s request';
const NO_CALL = "a question can be asked only during a call of a command, a tool, a handler or a task";
const MAX_READ_BYTES: number = 2 * 1024 * 1024;
/** What one run of a command may show the person, and give the model. */
const MAX_SAID_BYTES: number = 1024 * 1024;
const MAX_SENT_BYTES: number = 64 * 1024;

interface Watcher {
  serving: number;
  onChange: (isServing: boolean) => void;
}

interface RunningCommand {
  readonly context: CommandContext;
  saidBytes: number;
  sentBytes: number;
}

export function createHostCalls({ policy, cwd, isProtected, log }: HostCallsDeps): HostCalls {
  let attachment: Attachment | undefined;
  const commands = new Map<number | string, RunningCommand>();
  const callers = createCallingSessions();
  const lines = createLineAllowance({ count: LINES_A_MINUTE, perMs: 60_000 });
  const notices = createLineAllowance({ count: NOTICES_A_MINUTE, perMs: 60_000 });
  const logged = createLineAllowance({ count: LOG_BYTES_A_SECOND, perMs: 1_000 });
  /** The sessions in which one of its command lines is running. */
  const runningLines = new Set<SessionScope>();
  const watchers = new Set<Watcher>();
  /** Tied to the process: what it started ends with it. */
  let life = new AbortController();
  let registering = 0;
  const untold: (readonly [FeatureFaultKind, string])[] = [];
  const early: FeatureDiagnostic[] = [];
  let takenBefore: ReadonlySet<string> = new Set();

  const attached = (): Attachment => {
    if (attachment && registering === 0) return attachment;
    return fail("unavailable", "an addon cannot use the host while it registers");
  };
  const diagnostic: Attachment["diagnostic"] = (severity, text) => {
    const line = clampedLine(text);
    log(diagnosticLine({ severity, text: line }));
    if (attachment && registering === 0) attachment.diagnostic(severity, line);
    else early.push({ severity, text: line });
  };
  const takeEarly: HostCalls["takeEarly"] = () => {
    const found = early.splice(0);
    const fresh = found.filter(({ text }) => !takenBefore.has(text));
    if (found.length > 0) takenBefore = new Set(found.map(({ text }) => text));
    return fresh;
  };
  /** The session a request is for. Between calls, and once the caller's session has ended, it is the one that the others work for. */
  const calling = ({ during }: Pick<RequestContext, "during">): SessionScope => {
    const caller = callers.of(during);
    if (caller === "several") return fail("params", WHICH_SESSION);
    const { session, isWaiting } = caller;
    const found = isWaiting && session ? session : attached().session(session);
    return found ?? fail("unavailable", "no session is open");
  };
  const reachIn = (session: SessionScope): HolderReach => {
    const { featureId: feature, grants } = attached();
    return reachOf(session, { feature, grants }) ?? fail("unavailable", "no session is open");
  };
  const reach = (context: Pick<RequestContext, "during">): HolderReach => reachIn(calling(context));
  const uiIn = (session: SessionScope): UiPlace => ({ session, ui: reachIn(session).services.ui });
  /** Sends the person one more line, unless this minute's share is used up. */
  const speak = (tell: () => void): Record<string, never> => {
    const allowed = lines.take();
    if (!allowed.ok) {
      const notice = `it sent more than ${LINES_A_MINUTE} lines in a minute; the rest of this minute is dropped`;
      if (allowed.last) diagnostic("warning", notice);
      fail("limit", notice);
    }
    tell();
    return {};
  };
  const notify = (text: string, context: RequestContext): Record<string, never> => {
    requireGrant("model_notification");
    if (!notices.take().ok) fail("limit", `at most ${NOTICES_A_MINUTE} notices a minute reach the model`);
    reach(context).sinks.notifyModel(text);
    return {};
  };
  /** For actions the person is notified of each time: an addon that repeated them endlessly would drown out everything else. */
  const paced = <Service>(service: Service): Service => {
    if (!lines.take().ok)
      fail("limit", `at most ${LINES_A_MINUTE} times a minute: the person is notified of each`);
    return service;
  };
  const requireGrant = (kind: "alert" | "model_notification"): void => {
    if (!attached().grants.some((grant) => grant.kind === kind))
      fail("denied", `the grant ${kind} is missing`);
  };
  /** The command on whose behalf the addon acts: the call that it names, if that is a command; without a name, the last one that began. */
  const command = ({ during }: Pick<RequestContext, "during">): RunningCommand | undefined => {
    if (during !== undefined) return commands.get(during);
    if (callers.of(during) === "several") return fail("params", WHICH_SESSION);
    return [...commands.values()].at(-1);
  };

  const ui = createUiCalls<RequestContext>({
    fail,
    place: (context) => uiIn(calling(context)),
    /** A question goes only to the session of the call: between calls there is nobody to ask. */
    asking({ during }) {
      attached();
      const call = callers.asking(during);
      if (call === "several") return fail("params", WHICH_SESSION);
      if (!call) return fail("unavailable", NO_CALL);
      return { ...uiIn(call.session ?? calling({ during })), ended: call.ended };
    },
  });

  const methods: Methods = {
    log({ text }) {
      const allowed = logged.take(Buffer.byteLength(text));
      if (allowed.ok) log(text);
      else if (allowed.last) log(`more than ${LOG_BYTES_A_SECOND} bytes in a second: the rest is dropped`);
      return {};
    },
    diagnostic: ({ severity, text }) => speak(() => diagnostic(severity, text)),
    progress({ id, text }) {
      const running = commands.get(id);
      if (running) {
        const before = running.saidBytes;
        running.saidBytes += Buffer.byteLength(text);
        if (running.saidBytes <= MAX_SAID_BYTES) running.context.say(text);
        else {
          const notice = `it wrote more than ${MAX_SAID_BYTES} bytes; the rest is omitted`;
          if (before <= MAX_SAID_BYTES) running.context.say(notice);
          fail("limit", notice);
        }
        return {};
      }
      requireGrant("alert");
      const { sinks } = reach({ during: id });
      return speak(() => sinks.alert(text));
    },
    alert({ text }, context) {
      requireGrant("alert");
      const { sinks } = reach(context);
      return speak(() => sinks.alert(text));
    },
    notify: ({ text }, context) => notify(text, context),
    async exec({ command: line, args = [] }, context) {
      const { signal } = context;
      const session = calling(context);
      const run = serviceOf(reach(context).services.exec());
      // A line fires events, which may come back here: without this an addon could call itself endlessly.
      if (runningLines.has(session)) fail("limit", "another command line of this addon is running");
      runningLines.add(session);
      try {
        const { stdout, stderr, code } = await run(line, args, { signal });
        return { stdout: clamp(stdout, TEXT_BUDGET), stderr: clamp(stderr, TEXT_BUDGET), code };
      } finally {
        runningLines.delete(session);
      }
    },
    async readFile({ path }, context) {
      const fs = serviceOf(reach(context).services.files());
      const place = permitted(path);
      // Size and text come from one opening: between two, another file could take its place.
      const bytes = await refusingScope(fs.readBytes(place, { start: 0, maxBytes: MAX_READ_BYTES + 1 }));
      if (bytes.length > MAX_READ_BYTES) {
        const { size } = await refusingScope(fs.stat(place));
        fail("limit", `${path} has ${size} bytes; at most ${MAX_READ_BYTES} are read`);
      }
      return { text: decodeUtf8(bytes) };
    },
    async writeFile({ path, text }, context) {
      const place = permitted(path);
      const keepsOff = (realPath: string, written: string): boolean => {
        if (!isProtected(realPath) && !isProtected(written)) return false;
        return fail("denied", `${path} is protected: other programs act on it without checking who wrote it`);
      };
      const fs = serviceOf(reach(context).services.files({ keepsOff }));
      await refusingScope(fs.writeFile(place, text));
      return {};
    },
    fetch: (request, context) => fetchFor(request, reach(context), context.signal),
    secret: ({ id }, context) => ({ value: serviceOf(reach(context).services.secret(id)) }),
    workItemList: async ({ status }, context) => ({
      items: await kept(serviceOf(reach(context).services.workItems("read")), (items) => items.list(status)),
    }),
    workItemChanges: async ({ after }, context) => ({
      changes: await kept(serviceOf(reach(context).services.workItems("read")), (items) =>
        items.changes(after),
      ),
    }),
    workItemCreate: async (draft, context) => ({
      id: await kept(serviceOf(reach(context).services.workItems("write")), (items) => items.create(draft)),
    }),
    memorySearch: async ({ words, scope }, context) => ({
      entries: await kept(serviceOf(reach(context).services.memory("read")), (memory) =>
        memory.search(words, scope),
      ),
    }),
    memoryAdd: ({ text, scope }, context) => remember(context, (memory) => memory.add(text, scope)),
    memoryReplace: ({ old, text, scope }, context) =>
      remember(context, (memory) => memory.replace(old, text, scope)),
    async sessionSpawn(draft, context) {
      const { signal } = life;
      return {
        id: await kept(paced(serviceOf(reach(context).services.sessions("spawn"))), (sessions) =>
          sessions.spawn(draft, context.signal, signal),
        ),
      };
    },
    sessionList: async (_params, context) => ({
      sessions: await kept(serviceOf(reach(context).services.sessions("spawn")), (sessions) =>
        sessions.list(),
      ),
    }),
    sessionWait: async ({ id }, context) => ({
      session: await kept(serviceOf(reach(context).services.sessions("spawn")), (sessions) =>
        sessions.wait(id, context.signal),
      ),
    }),
    sessionStop: ({ id }, context) => spoken(context, "spawn", (sessions) => sessions.stop(id)),
    sessionMessage: ({ id, text }, context) =>
      spoken(context, "message", (sessions) => sessions.message(id, text)),
    sessionRestore({ id, text }, context) {
      const { signal } = life;
      return spoken(context, "restore", (sessions) => sessions.restore(id, text, signal));
    },
    workItemComment: ({ id, text }, context) => changed(context, (items) => items.comment(id, text)),
    workItemMove: ({ id, to, reason }, context) => changed(context, (items) => items.move(id, to, reason)),
    workItemDepend: ({ id, on }, context) => changed(context, (items) => items.depend(id, on)),
    sendMessage({ text }, context) {
      const running = command(context);
      if (running?.context.handles.sendMessage) {
        running.sentBytes += Buffer.byteLength(text);
        if (running.sentBytes > MAX_SENT_BYTES)
          fail(
            "limit",
            `a command may send the model at most ${MAX_SENT_BYTES} bytes, this one sent ${running.sentBytes}`,
          );
        running.context.handles.sendMessage(text);
        return {};
      }
      return notify(text, context);
    },
    ...ui.methods,
    async setModel({ name }, context) {
      const problem = await handle("setModel", context)(name);
      return problem === undefined ? {} : fail("failed", problem);
    },
    setThinking({ level }, context) {
      const problem = handle("setThinking", context)(level);
      return problem === undefined ? {} : fail("failed", problem);
    },
  };

  return {
    handle(method, params, context) {
      if (!Object.hasOwn(methods, method)) fail("method", `the host has no method "${method}"`);
      // The connection has checked the parameters against the method's schema.
      const run = methods[method as keyof Methods] as unknown as Answerer;
      const answer = run(params, context);
      // What is done by now takes no turn among the calls that run: the answer to a command would overtake its lines.
      return answer instanceof Promise ? served(answer) : answer;
    },
    watch(onChange) {
      const watcher: Watcher = { serving: 0, onChange };
      watchers.add(watcher);
      return () => {
        watchers.delete(watcher);
        watcher.onChange = () => undefined;
      };
    },
    attach(given) {
      attachment = given;
      for (const told of untold.splice(0)) given.fault(...told);
    },
    tell(kind, text) {
      if (attachment) attachment.fault(kind, text);
      else untold.push([kind, text]);
    },
    async whileRegistering(work) {
      registering++;
      try {
        return await work();
      } finally {
        registering--;
        if (attachment) for (const { severity, text } of takeEarly()) attachment.diagnostic(severity, text);
      }
    },
    takeEarly,
    gone() {
      life.abort();
      life = new AbortController();
      ui.clear();
    },
    begin(id, call) {
      const end = callers.begin(id, call);
      const running = call.command && { context: call.command, saidBytes: 0, sentBytes: 0 };
      if (running) commands.set(id, running);
      return () => {
        end();
        if (commands.get(id) === running) commands.delete(id); // a new process restarts the count
      };
    },
  };

  async function served(answer: Promise<JsonValue>): Promise<JsonValue> {
    const heard = [...watchers];
    for (const watcher of heard) if (++watcher.serving === 1) watcher.onChange(true);
    try {
      return await answer;
    } finally {
      for (const watcher of heard) if (--watcher.serving === 0) watcher.onChange(false);
    }
  }

  async function changed(
    context: RequestContext,
    work: (items: WorkItems) => Promise<void>,
  ): Promise<Record<string, never>> {
    await kept(serviceOf(reach(context).services.workItems("write")), work);
    return {};
  }

  async function remember(
    context: RequestContext,
    work: (memory: MemoryStore) => Promise<void>,
  ): Promise<Record<string, never>> {
    await kept(paced(serviceOf(reach(context).services.memory("write"))), work);
    return {};
  }

  async function spoken<Right extends SessionRight>(
    context: RequestContext,
    right: Right,
    work: (sessions: Pick<FeatureSessions, SessionRights[Right]>) => Promise<void>,
  ): Promise<Record<string, never>> {
    await kept(paced(serviceOf(reach(context).services.sessions(right))), work);
    return {};
  }

  /** A handle that acts on the session; only a command that a person typed may use it. */
  function handle<Name extends "setModel" | "setThinking">(
    name: Name,
    context: RequestContext,
  ): NonNullable<CommandContext["handles"][Name]> {
    const running = command(context);
    if (!running) return fail("denied", `${name} is for commands: no command of this addon is running`);
    return running.context.handles[name] ?? fail("unavailable", `this session does not support ${name}`);
  }

  function permitted(path: string): string {
    const absolute = resolve(cwd, path);
    if (!permitsPath(policy, absolute)) fail("denied", `${path} is outside the workspace ${cwd}`);
    return absolute;
  }
}

// `Host` would name a different site to a server of many, and the others determine where a message ends.
const RESERVED_HEADERS =
  /^(host|content-length|transfer-encoding|connection|keep-alive|upgrade|te|trailer|expect|proxy-.*)$/i;

/** If the file seam refuses a path because of where it really points, the request is refused. */
async function refusingScope<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ScopeError) fail("denied", error.message);
    throw error;
  }
}

/** Turns a store's refusal into one of this request: an invalid request, or something it could not do. */
async function kept<Store, T>(store: Promise<Store>, work: (store: Store) => Promise<T>): Promise<T> {
  try {
    return await work(await store);
  } catch (error) {
    const { kind } = error as { readonly kind?: unknown };
    if (error instanceof Aborted) throw error;
    const why =
      kind === "denied" ? kind : kind === "validation" || kind === "not_found" ? "params" : "failed";
    return fail(why, describeError(error));
  }
}

async function fetchFor(
  request: FetchParams,
  { services }: Pick<HolderReach, "services">,
  signal: AbortSignal,
): Promise<FetchResult> {
  const { url, method, headers, body } = request;
  const reserved = Object.keys(headers ?? {}).find((name) => RESERVED_HEADERS.test(name));
  if (reserved !== undefined)
    fail("denied", `the header ${JSON.stringify(reserved.slice(0, 100))} is set by the host`);
  if (!URL.canParse(url)) fail("params", `"${url.slice(0, 200)}" is not a URL`);
  const send = serviceOf(services.network(new URL(url).hostname.replace(/^\[|\]$/g, "")));
  const answer = await send({
    url,
    signal,
    method,
    headers,
    body,
  });
  if (answer.kind === "refused") return fail("denied", answer.message);
  if (answer.kind === "failed") return fail("failed", answer.message);
  return {
    status: answer.status,
    headers: answer.contentType === "" ? {} : { "content-type": answer.contentType },
    text: new TextDecoder().decode(answer.body),
  };
}

function serviceOf<Service>(answer: ServiceAnswer<Service>): Service {
  return answer.ok ? answer.service : fail(answer.why, answer.reason);
}

function fail(kind: keyof typeof ERROR_CODES, message: string): never {
  throw new RpcError(ERROR_CODES[kind], message);
}
