// A prompt whose answer is not shown; output waits until it is over.

import type { LineInput } from "./line-input.ts";
import type { Screen } from "./screen.ts";

interface SecretPromptOptions {
  readonly text: string;
  readonly now: () => number;
  /** A key came at this time. */
  readonly onKey: (ms: number) => void;
  /** The line, or undefined if the person cancelled; its first key came so long after the prompt. */
  readonly onEnd: (line: string | undefined, afterMs: number) => void;
}

/** Returns a function that removes the prompt; `onEnd` is then not called. */
export function showSecretPrompt(
  screen: Screen,
  input: Pick<LineInput, "readSecret">,
  { text, now, onKey, onEnd }: SecretPromptOptions,
): () => void {
  screen.freshLine();
  screen.direct(text);
  const release = screen.hold();
  let isOver = false;
  const end = (): boolean => {
    if (isOver) return false;
    isOver = true;
    screen.direct("\n");
    release();
    return true;
  };
  const shownMs = now();
  let keyMs: number | undefined;
  const stop = input.readSecret(
    (line) => {
      if (end()) onEnd(line, (keyMs ?? shownMs) - shownMs);
    },
    () => {
      const ms = now();
      keyMs ??= ms;
      onKey(ms);
    },
  );
  return () => {
    stop();
    end();
  };
}
