// How long what is in progress has taken: the task, a wait, a call, the model's thinking, a command.

import type { ConductorEvent } from "../../conductor/contract.ts";
import type { ViewState } from "../../view/contract.ts";

/** All times are in milliseconds. */
export class Progress {
  readonly #now: () => number;
  /** Calls and the person's own commands by id, delegates by session, and a delegate's calls by both. */
  readonly #started = new Map<string, number>();
  #waitsSince: number;
  #thinkingSince: number | undefined;
  #taskSince: number | undefined;
  #command: { readonly name: string; readonly since: number } | undefined;

  constructor(now: () => number) {
    this.#now = now;
    this.#waitsSince = now();
  }

  /** The event has turned one view into the next. */
  heard(event: ConductorEvent, before: ViewState, after: ViewState): void {
    // A call counts from its first progress event, which comes when the tool starts.
    if (event.kind === "tool_progress") this.begin(event.callId);
    if (event.kind === "delegate" && event.event.kind === "tool_progress")
      this.begin(callOf(event.sessionId, event.event.callId));
    if (event.kind === "delegate" && event.event.kind === "tool_end")
      this.end(callOf(event.sessionId, event.event.callId));
    if (event.kind === "delegate" && event.event.kind === "delegate_start")
      this.#started.set(event.sessionId, this.#now());
    // The time from the request to the first token is one wait.
    const hasConnected = before.waits?.kind === "connecting" && after.waits?.kind === "model";
    if (after.waits !== before.waits && !hasConnected) this.#waitsSince = this.#now();
    if (!before.answer?.thinking && after.answer?.thinking) this.#thinkingSince = this.#now();
  }

  /** Starts the time of something, unless it has started. */
  begin(id: string): void {
    if (!this.#started.has(id)) this.#started.set(id, this.#now());
  }

  /** Ends the time of something. Returns it; undefined if it never started. */
  end(id: string): number | undefined {
    const since = this.#started.get(id);
    this.#started.delete(id);
    return since === undefined ? undefined : this.#now() - since;
  }

  beginTask(): void {
    this.#taskSince = this.#now();
  }

  /** What outlives the task keeps its time. */
  endTask(outlives: (id: string) => boolean): void {
    this.#taskSince = undefined;
    for (const id of this.#started.keys()) if (!outlives(id)) this.#started.delete(id);
  }

  beginCommand(name: string): void {
    this.#command = { name, since: this.#now() };
  }

  endCommand(): void {
    this.#command = undefined;
  }

  endThinking(): void {
    this.#thinkingSince = undefined;
  }

  /** How long this has taken so far; 0 if it has not started. */
  ms(id: string): number {
    return this.#since(this.#started.get(id)) ?? 0;
  }

  waitMs(): number {
    return this.#now() - this.#waitsSince;
  }

  thinkingMs(): number | undefined {
    return this.#since(this.#thinkingSince);
  }

  taskMs(): number | undefined {
    return this.#since(this.#taskSince);
  }

  command(): { readonly name: string; readonly ms: number } | undefined {
    return this.#command && { name: this.#command.name, ms: this.#now() - this.#command.since };
  }

  #since(begun: number | undefined): number | undefined {
    return begun === undefined ? undefined : this.#now() - begun;
  }
}

/** The name of a delegate's call: ids of calls are a session's own. */
export function callOf(session: string, callId: string): string {
  return `${session}/${callId}`;
}
