// One code addon of a session: its process, started on first use, its faults, its quarantine and its times. Every call to
// it either answers, or rejects with an error that names it and has been counted.

import {
  Aborted,
  abortable,
  clamp,
  type Disposer,
  describeError,
  type JsonValue,
  monotonicMs,
  type OutputBudget,
  type SessionScope,
} from "indusagi/core";
import type { CommandContext } from "../../feature/command.ts";
import { faultKindOf, HostError } from "../../feature/fault-kind.ts";
import { NotRunning } from "../../feature/fence.ts";
import type { AddonFaultKind, AddonId } from "../contract.ts";
import type { ConfinedCommand } from "../sandbox/contract.ts";
import { type AddonProcess, startAddonProcess } from "./addon-process.ts";
import type { AddonTimes } from "./addon-times.ts";
import { createFaultWindow, QUARANTINE_FAULTS } from "./fault-window.ts";
import type { HostCalls } from "./host-calls.ts";
import {
  ProtocolBreach,
  type ProtocolLimits,
  type RequestOptions,
  RpcError,
  Unsendable,
} from "./protocol/contract.ts";
import { type HostToAddon, PROTOCOL_VERSION, type Registration } from "./protocol/messages.ts";

/** The most of an error's stack that goes into its log. */
const MAX_STACK = 4_000;
/** How long a process may take to start and register unless its manifest says otherwise, in milliseconds. */
export const START_MS = 10_000;
/** How long it may take to exit on its own when the session ends. */
const DISPOSE_MS = 1_000;
/** How much of its last fault is reported and stored. */
const LAST_FAULT_BUDGET: OutputBudget = { kind: "head", maxBytes: 200, notice: () => "…" };

interface RemoteAddonDeps {
  /** For messages; `project:redact` once it is known. */
  readonly id: AddonId;
  /** Compiles, looks for interpreters, confines. */
  readonly launch: () => Promise<Launch>;
  readonly describe: HostToAddon["describe"]["params"];
  /** From the cache; if absent, the first start requests it. */
  readonly registration?: Registration | undefined;
  readonly limits: ProtocolLimits;
  /** Instead of {@link START_MS}. */
  readonly startMs?: number | undefined;
  /** It is there for an MCP server. */
  readonly isServer?: boolean;
  readonly calls: HostCalls;
  readonly log: (text: string) => void;
  readonly times: AddonTimes;
  /** Reports what no caller sees: that it ended between calls, or that it is now in quarantine. */
  readonly tell: (kind: AddonFaultKind, text: string) => void;
  readonly quarantine: QuarantineSlot;
  /** Called when a later start registers something else, which may be right; what it returns is why that start fails. */
  readonly onChanged?: ((found: Registration) => string) | undefined;
}

/** How to start the process. */
export interface Launch extends Pick<ConfinedCommand, "argv"> {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** This addon's place in the quarantine. */
interface QuarantineSlot {
  readonly isIn: () => boolean;
  /** What it guards and whether that is open meanwhile, in sentences. */
  readonly guards: (registration: Registration | undefined) => readonly string[];
  readonly enter: (why: string) => Promise<void>;
  readonly leave: () => Promise<void>;
}

/** Whether it registers the same; the words about what it leaves out may change. */
function isSame(one: Registration, other: Registration): boolean {
  const [first, second] = [one, other].map(({ skipped: _, ...registered }) => JSON.stringify(registered));
  return first === second;
}

/** Whether the answer to `describe` says that the addon's own `register` failed. */
function isRefusedRegistration(error: unknown): boolean {
  if (!(error instanceof RpcError)) return false;
  const { data } = error;
  return typeof data === "object" && data !== null && "kind" in data && data.kind === "register";
}

/** Whether a task reports that it was the one to end the process. */
function isOwnEnd(error: unknown): boolean {
  if (!(error instanceof RpcError)) return false;
  const { data } = error;
  return typeof data === "object" && data !== null && "kind" in data && data.kind === "exit";
}

/** What a call to an addon in quarantine rejects with; it does not count as a further fault. */
export class Quarantined extends NotRunning {
  override readonly name = "Quarantined";
}

export interface RemoteAddon {
  /** Starts the process unless it runs, and returns what it registers. Rejects with the reason if it fails. */
  readonly register: () => Promise<Registration>;
  /** One call. Rejects with the addon's error, or why there is no answer; both name the addon. */
  readonly call: <M extends Exclude<keyof HostToAddon, "describe" | "cancel" | "dispose">>(
    method: M,
    params: HostToAddon[M]["params"],
    options: CallOptions<HostToAddon[M]["result"]>,
  ) => Promise<HostToAddon[M]["result"]>;
  readonly state: () => "quarantined" | "running" | "waiting";
  /** Ends the process; the next call starts another, with all earlier faults forgotten. */
  readonly restart: () => Promise<void>;
  /** Ends the process for good. Idempotent, never rejects. */
  readonly dispose: () => Promise<void>;
}

interface CallOptions<Answer> extends Pick<RequestOptions, "signal"> {
  /** Throws if an answer fits the protocol but not the question; that counts as a fault like any other. */
  readonly check?: (answer: Answer) => void;
  /** How a failure is counted. A task's failure ends the task and not the addon: it is not counted. */
  readonly faultKind: AddonFaultKind | "task";
  /** The calling session; without one, what the addon asks meanwhile goes to the session it belongs to. */
  readonly session?: SessionScope | undefined;
  /** The command that the call runs. */
  readonly command?: CommandContext;
}

export function createRemoteAddon(deps: RemoteAddonDeps): RemoteAddon {
  const { id, limits, startMs = START_MS, isServer = false, calls, log, times, tell, quarantine } = deps;
  const faults = createFaultWindow();
  let registration = deps.registration;
  let running:
    | {
        readonly process: AddonProcess;
        readonly ready: Promise<void>;
        isReady: boolean;
        /** A call missed its deadline, which was counted: if the process is ended because of it, that is not a further fault. */
        isLate: boolean;
        /** The host ends it: calls that this interrupts are nobody's fault. */
        isEnding: boolean;
        /** The tasks that run in it. */
        readonly tasks: Set<string>;
        /** The task that ended it: calls that this interrupts are the task's fault. */
        endedBy: string | undefined;
      }
    | undefined;
  /** How many calls wait for the process to start. */
  let starting = 0;
  let disposed = false;
  let lastCounted: unknown;
  const wayOut = `to run it again: indus addons restart ${id}`;
  // In quarantine whether it can be stored or not: even if the file cannot be written, it applies in this session.
  let isOut = false;
  let stored: Promise<void> = Promise.resolve();
  const isQuarantined = (): boolean => isOut || quarantine.isIn();

  return {
    async register() {
      await start(new AbortController().signal); // the first exchange has its own deadline
      if (!registration) throw new Error(`the addon ${id} did not register`);
      return registration;
    },
    async call(method, params, { signal, faultKind, check, session, command }) {
      if (isQuarantined()) throw new Quarantined(`the addon ${id} is in quarantine; ${wayOut}`);
      const task = method === "task/start" ? (params as HostToAddon["task/start"]["params"]).id : undefined;
      let asked = running;
      let endCall: Disposer | undefined;
      try {
        // Queue up after calls already waiting for the start, so that calls arrive in the order in which they were made.
        if (asked?.isReady !== true || starting > 0) await start(signal);
        asked = running;
        if (task !== undefined) asked?.tasks.add(task);
        const answer = await request(asked?.process ?? gone(), method, params, {
          signal,
          onId: (requestId) => {
            endCall = calls.begin(requestId, { session, command, isTask: task !== undefined });
          },
        });
        check?.(answer);
        if (task !== undefined) asked?.tasks.delete(task);
        return answer;
      } catch (error) {
        if (task !== undefined && !(error instanceof ProtocolBreach)) asked?.tasks.delete(task);
        if (task !== undefined && asked && isOwnEnd(error)) asked.endedBy = task;
        // After a protocol breach another is likely: this process is not used any further.
        if (error instanceof ProtocolBreach && running === asked) {
          running = undefined;
          calls.gone();
        }
        // A cancelled call is nobody's fault; a missed deadline is the addon's. A message too long for a frame, which the
        // host could not even send, is not the addon's fault either.
        const isCancelled = signal.aborted && signal.reason instanceof Aborted;
        const isGone = error instanceof ProtocolBreach && error.kind === "closed" && task === undefined;
        if (isGone && asked?.endedBy !== undefined)
          throw new HostError(
            `the addon ${id} did not answer, because its task ${asked.endedBy} ended its process`,
            {
              cause: error,
              faultKind: "breach",
            },
          );
        const isOurs = isCancelled || asked?.isEnding === true || error instanceof Unsendable;
        if (!isOurs && !(error instanceof Quarantined)) {
          if (signal.aborted && asked) asked.isLate = true;
          countFault(faultKind, error);
        }
        throw isGone && asked && asked.tasks.size > 0 ? besideTasks(error, asked.tasks) : error;
      } finally {
        endCall?.();
      }
    },
    state: () => (isQuarantined() ? "quarantined" : running ? "running" : "waiting"),
    async restart() {
      faults.clear();
      isOut = false;
      await quarantine.leave();
      await end();
    },
    async dispose() {
      disposed = true;
      await end();
      await stored; // a quarantine that is not stored would end with this process
    },
  };

  /** The system does not say which of them ended it. */
  function besideTasks(error: unknown, tasks: ReadonlySet<string>): HostError {
    const words = tasks.size === 1 ? "its task" : "its tasks";
    const message = `${describeError(error)}, while ${words} ${[...tasks].join(", ")} ran in it`;
    return new HostError(message, { cause: error, faultKind: "breach" });
  }

  async function end(): Promise<void> {
    const ending = running;
    running = undefined;
    calls.gone();
    if (ending === undefined) return;
    ending.isEnding = true;
    await ending.process.dispose(DISPOSE_MS);
  }

  async function request<M extends keyof HostToAddon>(
    process: AddonProcess,
    method: M,
    params: HostToAddon[M]["params"],
    options: RequestOptions,
  ): Promise<HostToAddon[M]["result"]> {
    const sinceMs = monotonicMs();
    // The shapes are the schema's, whose values are JSON.
    const result = await process.request(method, params as unknown as JsonValue, options);
    times.note(method, monotonicMs() - sinceMs);
    return result as HostToAddon[M]["result"]; // the connection has checked it against the method's schema
  }

  function ended(): Error {
    return new Error(`the addon ${id} was ended with its session`);
  }

  function gone(): never {
    throw new Error(`the addon ${id} ended`);
  }

  async function start(signal: AbortSignal): Promise<void> {
    if (disposed) throw ended();
    running ??= await launch();
    const { ready } = running;
    starting++;
    try {
      await abortable(ready, signal);
    } catch (error) {
      throw error instanceof Aborted ? signal.reason : error; // the reason for the cancellation says more
    } finally {
      starting--;
    }
  }

  async function launch(): Promise<NonNullable<typeof running>> {
    const sinceMs = monotonicMs();
    const { argv, cwd, env } = await deps.launch();
    if (running) return running; // another call was faster
    if (disposed) throw ended(); // disposed meanwhile: nobody would end this process
    const process = startAddonProcess({
      argv,
      cwd,
      env,
      isServer,
      limits,
      handle: calls.handle,
      onLog: log,
      onGone: (why) => {
        if (running === undefined || running.process === process) calls.gone();
        if (running?.process !== process) return;
        const { isReady, isLate, endedBy } = running;
        running = undefined;
        if (isLate && why.kind === "hung") lastCounted = why;
        log(`${why.message}\n`);
        // Waiting callers learn of it from their calls; if the addon fails while idle, nobody is waiting.
        if (isReady && process.pending() === 0 && endedBy === undefined)
          countFault("handler", why, { isUnheard: true });
      },
    });
    const ready = handshake(process).then(
      () => {
        times.note("start", monotonicMs() - sinceMs);
        if (running?.process === process) running.isReady = true;
      },
      async (error: unknown) => {
        if (running?.process === process) running = undefined;
        logFault("register", describeError(error), error);
        await process.dispose(0); // what it wrote to its log before failing gives the reason, and is still in the pipe
        const faultKind = isRefusedRegistration(error) ? "register" : faultKindOf(error, "load");
        // An addon's own answer is complete, and the words about its end already include its last lines.
        const isPlain =
          error instanceof RpcError || (error instanceof ProtocolBreach && error.kind === "closed");
        const words = isPlain ? "" : process.lastWords();
        throw new HostError(`${describeError(error)}${words}`, { cause: error, faultKind });
      },
    );
    ready.catch(() => undefined); // every waiting call handles it
    const started = {
      process,
      ready,
      isReady: false,
      isLate: false,
      isEnding: false,
      tasks: new Set<string>(),
      endedBy: undefined,
    };
    running = started;
    return started;
  }

  /** The first exchange of every process: it must register what is committed. */
  async function handshake(process: AddonProcess): Promise<void> {
    const deadline = new AbortController();
    const late = new Error(
      isServer
        ? `the server did not answer within ${startMs / 1_000} s, which start-seconds in [run] sets`
        : `the addon ${id} did not register within ${startMs} ms`,
    );
    const timer = setTimeout(() => deadline.abort(late), startMs);
    const found = await calls
      .whileRegistering(() =>
        request(process, "describe", deps.describe, { signal: deadline.signal, isPatient: true }),
      )
      .finally(() => clearTimeout(timer));
    if (found.protocol !== PROTOCOL_VERSION)
      throw new Error(
        `the addon ${id} speaks protocol ${found.protocol}; this host speaks ${PROTOCOL_VERSION}`,
      );
    if (registration && !isSame(registration, found))
      throw new Error(
        deps.onChanged?.(found) ??
          `the addon ${id} registered something different from before: what it registers must not depend on when it starts`,
      );
    registration = found;
  }

  /** For its author, with the stack if the answer contained one. */
  function logFault(kind: string, why: string, error: unknown): void {
    const { stack } = ((error instanceof RpcError && error.data) || {}) as { readonly stack?: unknown };
    log(`fault: ${kind}: ${why}\n${typeof stack === "string" ? `${stack.slice(0, MAX_STACK)}\n` : ""}`);
  }

  function countFault(
    kind: CallOptions<never>["faultKind"],
    error: unknown,
    { isUnheard = false } = {},
  ): void {
    const why = describeError(error);
    if (kind === "task") {
      logFault(kind, why, error);
      return;
    }
    if (error === lastCounted) return; // one breakdown rejects every waiting call
    lastCounted = error;
    logFault(kind, why, error);
    if (isUnheard) tell(faultKindOf(error, kind), `the addon ${id} failed: ${why}`);
    const isLast = faults.note(kind);
    if (!isLast) return;
    faults.clear();
    running?.process.kill();
    running = undefined;
    calls.gone();
    isOut = true;
    // The addon's own words may be long: they come last so that they displace nothing, and must not fill the store.
    const last = clamp(why, LAST_FAULT_BUDGET);
    tell(
      "quarantine",
      [
        `the addon ${id} is in quarantine after ${QUARANTINE_FAULTS} ${kind} faults in five minutes.`,
        ...quarantine.guards(registration),
        `To run it again: indus addons restart ${id}.`,
        `The last fault: ${last}`,
      ].join(" "),
    );
    stored = quarantine.enter(last).then(
      () => {
        isOut = false; // from now on the store says when it ends: another terminal may release it
      },
      (failure: unknown) => tell("quarantine", `it could not be stored: ${describeError(failure)}`),
    );
  }
}
