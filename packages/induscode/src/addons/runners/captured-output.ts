// Standard output belongs to the protocol. What an addon prints becomes a line for the person while one of its commands
// runs, and a line of its log otherwise.

import { AsyncLocalStorage } from "node:async_hooks";
import { Writable } from "node:stream";
import type { RequestId } from "../process/protocol/messages.ts";

/** Output is sent at this length, otherwise at the end of the event-loop turn: one message per line would cost more. */
const MAX_HELD_CHARACTERS = 64 * 1024;

export interface CapturedOutput {
  /** Runs `body`; what it prints, including from asynchronous work, belongs to the command with this id. */
  readonly during: <Result>(command: RequestId, body: () => Result) => Result;
  /** Sends held output, so that it comes before the answer that is about to be sent. */
  readonly flush: () => void;
}

interface CapturedOutputOptions {
  /** Whether a command still runs: what is printed after its end goes to the log. */
  readonly isRunning: (command: RequestId) => boolean;
  readonly progress: (command: RequestId, text: string) => void;
  readonly log: (text: string) => void;
}

/** Replaces `process.stdout`. */
export function captureOutput({ isRunning, progress, log }: CapturedOutputOptions): CapturedOutput {
  const commands = new AsyncLocalStorage<RequestId>();
  let held = "";
  let heldFor: RequestId | undefined;
  let isScheduled = false;

  function flush(): void {
    const text = held.endsWith("\n") ? held.slice(0, -1) : held;
    held = "";
    if (text === "") return;
    if (heldFor === undefined) log(text);
    else progress(heldFor, text);
  }

  function print(text: string): void {
    const command = commands.getStore();
    const owner = command !== undefined && isRunning(command) ? command : undefined;
    if (owner !== heldFor) flush();
    heldFor = owner;
    for (let from = 0; from < text.length; from += MAX_HELD_CHARACTERS) {
      held += text.slice(from, from + MAX_HELD_CHARACTERS);
      if (held.length >= MAX_HELD_CHARACTERS) flush();
    }
    if (held === "" || isScheduled) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      flush();
    });
  }

  const decoder = new TextDecoder();
  const stream = new Writable({
    decodeStrings: false,
    write(chunk: string | Uint8Array, _encoding, done) {
      print(typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true }));
      done();
    },
  });
  Object.defineProperty(process, "stdout", { configurable: true, enumerable: true, get: () => stream });
  process.once("exit", flush);
  return { during: (command, body) => commands.run(command, body), flush };
}
