// One request of an addon: which session it is for, and what the addon may use there, by its grants.

import { resolve } from "node:path";
import type { SessionScope } from "indusagi/core";
import type { CommandContext } from "../../feature/command.ts";
import { type HolderReach, reachOf } from "../../feature/host.ts";
import { permitsPath, type SandboxPolicy } from "../sandbox/sandbox-policy.ts";
import type { AddonStanding } from "./addon-standing.ts";
import type { CallingSessions } from "./calling-sessions.ts";
import type { CommandRun, CommandRuns } from "./command-runs.ts";
import type { LineAllowance } from "./line-allowance.ts";
import type { IncomingHandler } from "./protocol/contract.ts";
import type { AddonToHost, Registration } from "./protocol/messages.ts";
import { refuse } from "./refuse-request.ts";
import type { UiPlace } from "./ui-calls.ts";

export interface HostCallsDeps {
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
  /** Takes what it contributes from now on; absent where that stays as it is. */
  readonly onRegistered?: ((found: Registration) => void) | undefined;
}

/** What is kept of an addon from one request to the next. */
export interface AddonDesk extends HostCallsDeps {
  readonly standing: AddonStanding;
  readonly callers: CallingSessions;
  readonly commands: CommandRuns;
  /** The calls of its tools, by the id of the host's request: what each does with the addon's words about it. */
  readonly toolCalls: Map<number | string, (text: string) => void>;
  /** Lines for the person, notices for the model, bytes of its log. */
  readonly lines: LineAllowance;
  readonly notices: LineAllowance;
  readonly logged: LineAllowance;
  /** How many answers of the model a call, and a session, has had. */
  readonly samples: {
    readonly calls: WeakMap<AbortSignal, number>;
    readonly sessions: WeakMap<SessionScope, number>;
  };
  /** The sessions in which one of its command lines is running. */
  readonly runningLines: Set<SessionScope>;
  /** Tied to the process: what it started ends with it. */
  readonly life: () => AbortSignal;
}

type RequestContext = Parameters<IncomingHandler>[2];

/** How many lines of one addon a person is shown per minute. */
export const LINES_A_MINUTE = 60;
const WHICH_SESSION =
  'several sessions are calling this addon: set "during" to the id of the host\'s request that this belongs to';
const NO_CALL = "a question can be asked only during a call of a command, a tool, a handler or a task";

export class AddonRequest {
  readonly desk: AddonDesk;
  readonly signal: AbortSignal;
  /** The host's request during which this one is made, if it says so. */
  readonly #during: RequestContext["during"];

  constructor(desk: AddonDesk, { signal, during }: RequestContext) {
    this.desk = desk;
    this.signal = signal;
    this.#during = during;
  }

  /** The session it is for. Between calls, and once the caller's session has ended, it is the one that the others work for. */
  session(): SessionScope {
    const caller = this.desk.callers.of(this.#during);
    if (caller === "several") return refuse("params", WHICH_SESSION);
    const { session, isWaiting } = caller;
    const found = isWaiting && session ? session : this.desk.standing.attached().session(session);
    return found ?? refuse("unavailable", "no session is open");
  }

  reach(session: SessionScope = this.session()): HolderReach {
    const { featureId: feature, grants } = this.desk.standing.attached();
    return reachOf(session, { feature, grants }) ?? refuse("unavailable", "no session is open");
  }

  services(): HolderReach["services"] {
    return this.reach().services;
  }

  ui(session: SessionScope = this.session()): UiPlace {
    return { session, ui: this.reach(session).services.ui };
  }

  /** A question goes only to the session of the call: between calls there is nobody to ask. */
  asking(): UiPlace & { readonly ended: AbortSignal } {
    this.desk.standing.attached();
    const call = this.desk.callers.asking(this.#during);
    if (call === "several") return refuse("params", WHICH_SESSION);
    if (!call) return refuse("unavailable", NO_CALL);
    return { ...this.ui(call.session), ended: call.ended };
  }

  /** The command on whose behalf the addon acts: the call that it names, if that is a command; without a name, the last one that began. */
  command(): CommandRun | undefined {
    const { callers, commands } = this.desk;
    if (this.#during !== undefined) return commands.named(this.#during);
    if (callers.of(undefined) === "several") return refuse("params", WHICH_SESSION);
    return commands.last();
  }

  /** A handle that acts on the session; only a command that a person typed may use it. */
  handle<Name extends "setModel" | "setThinking">(name: Name): NonNullable<CommandContext["handles"][Name]> {
    const running = this.command();
    if (!running) return refuse("denied", `${name} is for commands: no command of this addon is running`);
    return running.handles[name] ?? refuse("unavailable", `this session does not support ${name}`);
  }

  requireGrant(kind: "alert" | "model_notification"): void {
    if (!this.desk.standing.attached().grants.some((grant) => grant.kind === kind))
      refuse("denied", `the grant ${kind} is missing`);
  }

  permitted(path: string): string {
    const { cwd, policy } = this.desk;
    const absolute = resolve(cwd, path);
    if (!permitsPath(policy, absolute)) refuse("denied", `${path} is outside the workspace ${cwd}`);
    return absolute;
  }

  /** Sends the person one more line, unless this minute's share is used up. */
  speak(tell: () => void): Record<string, never> {
    const allowed = this.desk.lines.take();
    if (!allowed.ok) {
      const notice = `it sent more than ${LINES_A_MINUTE} lines in a minute; the rest of this minute is dropped`;
      if (allowed.last) this.desk.standing.diagnostic("warning", notice);
      refuse("limit", notice);
    }
    tell();
    return {};
  }

  /** For actions the person is notified of each time: an addon that repeated them endlessly would drown out everything else. */
  paced<Service>(service: Service): Service {
    if (!this.desk.lines.take().ok)
      refuse("limit", `at most ${LINES_A_MINUTE} times a minute: the person is notified of each`);
    return service;
  }
}

/** What is done for each request. Acknowledgements and cancellations are handled by the connection. */
export type Answers = {
  readonly [M in Exclude<keyof AddonToHost, "ack" | "cancel">]: (
    params: AddonToHost[M]["params"],
    request: AddonRequest,
  ) => unknown;
};
