// The terminal modes that the console needs. They are restored however the process ends, except by a signal that it cannot
// handle.

import { createDisposer, type Disposer } from "indusagi/core";
import { KEYS_OFF, KEYS_ON } from "../keys/decode.ts";

/** A row that the terminal considers wider than we do is cut at the edge instead of wrapped. */
const NO_WRAP = "\x1b[?7l";
const SANE = "\x1b[?7h\x1b[?25h\x1b[0m";

export interface TerminalInput extends NodeJS.ReadableStream {
  readonly setRawMode?: (on: boolean) => unknown;
}

interface ModesOptions {
  readonly input: TerminalInput;
  readonly write: (text: string) => void;
  /** Called before the terminal is given to the shell: removes what would be drawn over. */
  readonly onLeave: () => void;
  /** The process ends: the last chance to write something. */
  readonly onExit: () => void;
  /** The console has the terminal back, with whatever others wrote on it. */
  readonly onReturn: () => void;
}

export interface TerminalModes {
  /** Stops the process group as Ctrl+Z does; the terminal is restored meanwhile. */
  readonly suspend: () => void;
  /** Hands over the terminal while `work` runs: an editor, a pager. */
  readonly lend: <Result>(work: () => Promise<Result>) => Promise<Result>;
  /** Restores the terminal. */
  readonly restore: Disposer;
}

/** By then a stop signal has taken effect. */
const STOPPED_BY_MS = 100;

/** Takes the terminal until `restore`, or until the process ends. */
export function takeTerminal({
  input,
  write,
  onLeave,
  onExit: atExit,
  onReturn,
}: ModesOptions): TerminalModes {
  let isTaken = false;
  let isOver = false;
  const take = (): void => {
    if (isTaken) return;
    isTaken = true;
    input.setRawMode?.(true);
    write(KEYS_ON + NO_WRAP);
  };
  const give = (): void => {
    if (!isTaken) return;
    isTaken = false;
    write(KEYS_OFF + SANE);
    try {
      input.setRawMode?.(false);
    } catch {
      // A terminal that went away has no modes to restore.
    }
  };
  const onExit = (): void => {
    try {
      atExit();
    } finally {
      give();
    }
  };
  // As without a listener it ends the process at once.
  const onQuit = (): void => {
    try {
      onExit();
    } finally {
      process.kill(process.pid, "SIGQUIT");
    }
  };
  const stopped = (group: boolean): void => {
    onLeave();
    give();
    process.off("SIGTSTP", onStop);
    process.kill(group ? 0 : process.pid, group ? "SIGTSTP" : "SIGSTOP");
    process.on("SIGTSTP", onStop);
    // Without a parent shell, nothing stops and nothing will be continued.
    setTimeout(() => {
      if (!isTaken && !isOver) onContinue();
    }, STOPPED_BY_MS);
  };
  const onStop = (): void => stopped(false);
  // Also after an uncatchable stop: the shell has changed the terminal's modes meanwhile.
  const onContinue = (): void => {
    isTaken = false;
    take();
    onReturn();
  };

  take();
  process.once("exit", onExit);
  process.once("SIGQUIT", onQuit);
  process.on("SIGTSTP", onStop);
  process.on("SIGCONT", onContinue);
  return {
    suspend: () => stopped(true),
    lend: async (work) => {
      onLeave();
      give();
      // The borrower stops and continues with its own modes.
      process.off("SIGTSTP", onStop);
      process.off("SIGCONT", onContinue);
      try {
        return await work();
      } finally {
        process.on("SIGTSTP", onStop);
        process.on("SIGCONT", onContinue);
        take();
        onReturn();
      }
    },
    restore: createDisposer(() => {
      isOver = true;
      process.off("exit", onExit);
      process.off("SIGQUIT", onQuit);
      process.off("SIGTSTP", onStop);
      process.off("SIGCONT", onContinue);
      give();
    }),
  };
}
