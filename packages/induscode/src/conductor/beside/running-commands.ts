// The command lines that people and features run beside the conversation.

import type { Deck } from "../../deck/contract.ts";
import type { Conductor } from "../contract.ts";

// The same limit as the bash tool's.
const MAX_COMMAND_MS = 600_000;

export interface Commands {
  readonly exec: Conductor["exec"];
  /** Ends all that run. */
  readonly abort: () => void;
}

export function createCommands(deck: Pick<Deck, "exec">): Commands {
  const running = new Set<AbortController>();
  return {
    async exec(command, signal, by, progress) {
      const controller = new AbortController();
      const ends = [controller.signal, AbortSignal.timeout(MAX_COMMAND_MS)];
      running.add(controller);
      try {
        return await deck.exec(command, AbortSignal.any(signal ? [...ends, signal] : ends), by, progress);
      } finally {
        running.delete(controller);
      }
    },
    abort() {
      for (const controller of running) controller.abort();
    },
  };
}
