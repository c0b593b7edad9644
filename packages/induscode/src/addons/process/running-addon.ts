// One process of an addon while it is used, and whose fault it is when calls to it break off.

import { describeError, type JsonValue, monotonicMs } from "indusagi/core";
import { HostError } from "../../feature/fault-kind.ts";
import type { AddonId } from "../contract.ts";
import type { RootWindow } from "../sandbox/root-window/root-window.ts";
import type { AddonProcess } from "./addon-process.ts";
import type { AddonTimes } from "./addon-times.ts";
import { ProtocolBreach, type RequestOptions, RpcError } from "./protocol/contract.ts";
import type { HostToAddon } from "./protocol/messages.ts";

export class RunningAddon {
  readonly process: AddonProcess;
  /** Rejects with why it did not start. Every waiting call handles that. */
  readonly ready: Promise<void>;
  isReady = false;
  /** A call missed its deadline, which was counted: if the process is ended because of it, that is not a further fault. */
  isLate = false;
  /** The host ends it: calls that this interrupts are nobody's fault. */
  isEnding = false;
  /** The task that ended it: calls that this interrupts are the task's fault. */
  endedBy: string | undefined;
  readonly #times: AddonTimes;
  /** The tasks that run in it. */
  readonly #tasks = new Set<string>();

  /** In which its tools run; absent: none. */
  readonly window: RootWindow | undefined;

  constructor(
    process: AddonProcess,
    times: AddonTimes,
    register: (running: RunningAddon) => Promise<void>,
    window?: RootWindow,
  ) {
    this.process = process;
    this.window = window;
    this.#times = times;
    this.ready = register(this).then(() => {
      this.isReady = true;
    });
    this.ready.catch(() => undefined);
  }

  async request<M extends keyof HostToAddon>(
    method: M,
    params: HostToAddon[M]["params"],
    options: RequestOptions,
  ): Promise<HostToAddon[M]["result"]> {
    const sinceMs = monotonicMs();
    // The shapes are the schema's, whose values are JSON.
    const result = await this.process.request(method, params as unknown as JsonValue, options);
    this.#times.note(method, monotonicMs() - sinceMs);
    return result as HostToAddon[M]["result"]; // the connection has checked it against the method's schema
  }

  taskBegins(task: string): void {
    this.#tasks.add(task);
  }

  /** A task that the end of the process broke off counts as running: it may be why. */
  taskEnds(task: string, error?: unknown): void {
    if (!(error instanceof ProtocolBreach)) this.#tasks.delete(task);
    if (isOwnEnd(error)) this.endedBy = task;
  }

  /** What a call rejects with that the end of the process broke off. The system does not say which of the tasks ended it. */
  besideTasks(error: ProtocolBreach): Error {
    if (this.#tasks.size === 0) return error;
    const words = this.#tasks.size === 1 ? "its task" : "its tasks";
    const message = `${describeError(error)}, while ${words} ${[...this.#tasks].join(", ")} ran in it`;
    return new HostError(message, { cause: error, faultKind: "breach" });
  }
}

/** What a call rejects with when one of the addon's tasks ended the process. */
export function endedByTask(id: AddonId, task: string, error: ProtocolBreach): HostError {
  return new HostError(`the addon ${id} did not answer, because its task ${task} ended its process`, {
    cause: error,
    faultKind: "breach",
  });
}

/** Whether a task reports that it was the one to end the process. */
function isOwnEnd(error: unknown): boolean {
  if (!(error instanceof RpcError)) return false;
  const { data } = error;
  return typeof data === "object" && data !== null && "kind" in data && data.kind === "exit";
}
