// What the terminal sends, as keys. Esc alone is the beginning of a sequence until a pause has shown that it is not.

import { ESCAPE_MS, type Input, type KeyDecoder } from "../contract.ts";
import type { TerminalInput } from "../screen/modes.ts";

interface KeyboardOptions {
  readonly input: TerminalInput;
  readonly decoder: KeyDecoder;
  readonly onInput: (input: Input) => void;
  /** All that has come was handed over. */
  readonly onRead: () => void;
  /** Nothing will come any more. */
  readonly onEnd: () => void;
}

/** Listens until it is closed. */
export function openKeyboard({ input, decoder, onInput, onRead, onEnd }: KeyboardOptions): () => void {
  let escaping: NodeJS.Timeout | undefined;
  const hand = (inputs: readonly Input[]): void => {
    for (const each of inputs) onInput(each);
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
  input.resume();
  return () => {
    clearTimeout(escaping);
    input.off("data", onData);
    input.off("end", onEnd);
    input.pause();
  };
}
