// The terminal's input as keys. A lone Esc is treated as the beginning of a sequence until a pause shows otherwise.

import { setImmediate as nextTurn } from "node:timers/promises";
import { ESCAPE_MS, type Input, type KeyDecoder } from "../contract.ts";
import type { TerminalInput } from "../screen/modes.ts";

interface KeyboardOptions {
  /** While it is paused, nothing is handed over: what was typed with the key that lends the terminal waits for its return. */
  readonly input: TerminalInput;
  readonly decoder: KeyDecoder;
  readonly onInput: (input: Input) => void;
  /** Called after all input received so far was handed over. */
  readonly onRead: () => void;
  /** The input has ended. */
  readonly onEnd: () => void;
}

/** Listens until the returned function is called. */
export function openKeyboard({ input, decoder, onInput, onRead, onEnd }: KeyboardOptions): () => void {
  let escaping: NodeJS.Timeout | undefined;
  const waiting: Input[] = [];
  const hand = (inputs: readonly Input[]): void => {
    waiting.push(...inputs);
    for (let next = waiting[0]; next !== undefined && !input.isPaused(); next = waiting[0]) {
      waiting.shift();
      onInput(next);
    }
  };
  const onResume = (): void => {
    if (waiting.length === 0 || input.isPaused()) return; // the event comes late
    hand([]);
    onRead();
  };
  const onData = (chunk: Buffer | string): void => {
    clearTimeout(escaping);
    hand(decoder.write(chunk));
    if (decoder.isWaiting())
      escaping = setTimeout(() => {
        hand(decoder.flush());
        onRead();
      }, ESCAPE_MS);
    onRead();
  };
  input.on("data", onData);
  input.on("end", onEnd);
  input.on("error", onEnd);
  input.on("resume", onResume);
  input.resume();
  return () => {
    clearTimeout(escaping);
    input.off("data", onData);
    input.off("end", onEnd);
    input.off("resume", onResume);
    input.pause();
  };
}

/** Resolves once what was typed so far was handed over: between two turns of the event loop it is read. */
export async function allRead(): Promise<void> {
  await nextTurn();
  await nextTurn();
}
