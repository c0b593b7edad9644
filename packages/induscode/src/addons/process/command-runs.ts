// The addon's commands that run, each with how much it has shown the person and given the model.

import type { Disposer } from "indusagi/core";
import type { CommandContext } from "../../feature/command.ts";
import { refuse } from "./refuse-request.ts";

/** What one run of a command may show the person, and give the model. */
const MAX_SAID_BYTES: number = 1024 * 1024;
const MAX_SENT_BYTES: number = 64 * 1024;

export class CommandRun {
  readonly #context: CommandContext;
  #saidBytes = 0;
  #sentBytes = 0;

  constructor(context: CommandContext) {
    this.#context = context;
  }

  get handles(): CommandContext["handles"] {
    return this.#context.handles;
  }

  say(text: string): void {
    const before = this.#saidBytes;
    this.#saidBytes += Buffer.byteLength(text);
    if (this.#saidBytes <= MAX_SAID_BYTES) {
      this.#context.say(text);
      return;
    }
    const notice = `it wrote more than ${MAX_SAID_BYTES} bytes; the rest is omitted`;
    if (before <= MAX_SAID_BYTES) this.#context.say(notice);
    refuse("limit", notice);
  }

  /** Counts a text for the model, and refuses it if this run has sent too much. */
  countSent(text: string): void {
    this.#sentBytes += Buffer.byteLength(text);
    if (this.#sentBytes <= MAX_SENT_BYTES) return;
    refuse(
      "limit",
      `a command may send the model at most ${MAX_SENT_BYTES} bytes, but this command sent ${this.#sentBytes}`,
    );
  }
}

/** By the id of the host's request that runs it. */
export class CommandRuns {
  readonly #runs = new Map<number | string, CommandRun>();

  /** The command runs until the returned function is called. */
  begin(id: number, context: CommandContext): Disposer {
    const run = new CommandRun(context);
    this.#runs.set(id, run);
    return () => {
      if (this.#runs.get(id) === run) this.#runs.delete(id); // a new process restarts the count
    };
  }

  named(id: number | string): CommandRun | undefined {
    return this.#runs.get(id);
  }

  last(): CommandRun | undefined {
    return [...this.#runs.values()].at(-1);
  }
}
