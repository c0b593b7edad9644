// The modes of the terminal that the console needs, and that everybody else must find as they were: whatever ends the
// process, but for a kill that nobody hears, they are given back.

import { createDisposer, type Disposer } from "indusagi/core";
import { KEYS_OFF, KEYS_ON } from "../keys/decode.ts";

/** A row that a terminal takes for wider than we do is cut at the edge; it never makes two of one. */
const NO_WRAP = "\x1b[?7l";
const SANE = "\x1b[?7h\x1b[?25h\x1b[0m";

export interface TerminalInput extends NodeJS.ReadableStream {
  readonly setRawMode?: (on: boolean) => unknown;
}

interface ModesOptions {
  readonly input: TerminalInput;
  readonly write: (text: string) => void;
  /** Before the terminal is given to the shell: takes away what would be drawn over. */
  readonly onLeave: () => void;
  /** The process ends: the last moment at which something can be written. */
  readonly onExit: () => void;
  /** The terminal is the console's again, with whatever others wrote on it. */
  readonly onReturn: () => void;
}

export interface TerminalModes {
  /** Stops the process group as Ctrl+Z does, with the terminal given back meanwhile. */
  readonly suspend: () => void;
  /** Gives the terminal away while `work` runs: an editor, a pager. */
  readonly lend: <Result>(work: () => Promise<Result>) => Promise<Result>;
  /** Gives the terminal back. */
  readonly restore: Disposer;
}

/** A process that is stopped is so by then. */
const STOPPED_BY_MS = 100;

/** Takes the terminal until `restore`, or the process, ends. */
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
      // A terminal that went away has no modes any more.
    }
  };
  const onExit = (): void => {
    try {
      atExit();
    } finally {
      give();
    }
  };
  const stopped = (group: boolean): void => {
    onLeave();
    give();
    process.off("SIGTSTP", onStop);
    process.kill(group ? 0 : process.pid, group ? "SIGTSTP" : "SIGSTOP");
    process.on("SIGTSTP", onStop);
    // Without a shell above, nothing stops and nothing will be continued.
    setTimeout(() => {
      if (!isTaken && !isOver) onContinue();
    }, STOPPED_BY_MS);
  };
  const onStop = (): void => stopped(false);
  // Also after a stop that nobody could hear: the shell has set the terminal's modes meanwhile.
  const onContinue = (): void => {
    isTaken = false;
    take();
    onReturn();
  };

  take();
  process.once("exit", onExit);
  process.on("SIGTSTP", onStop);
  process.on("SIGCONT", onContinue);
  return {
    suspend: () => stopped(true),
    lend: async (work) => {
      onLeave();
      give();
      process.off("SIGCONT", onContinue);
      try {
        return await work();
      } finally {
        process.on("SIGCONT", onContinue);
        take();
        onReturn();
      }
    },
    restore: createDisposer(() => {
      isOver = true;
      process.off("exit", onExit);
      process.off("SIGTSTP", onStop);
      process.off("SIGCONT", onContinue);
      give();
    }),
  };
}
