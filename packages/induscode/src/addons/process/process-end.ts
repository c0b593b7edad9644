// How a process of an addon ended, in words, once everything that it wrote has been read.

import type { ChildProcess } from "node:child_process";
import { constants } from "node:os";
import type { Readable } from "node:stream";
import { signalGroup } from "indusagi/capabilities";

/**
 * How long a process may take from its answer to `dispose`, or the end of its input or output, to its exit; and from its
 * exit to the end of its pipes, which a child process that left its group may hold open.
 */
export const EXIT_GRACE_MS = 250;

export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** It closed its output, did not exit, and was ended for that. */
  readonly hasClosed: boolean;
}

/** Calls `onEnd` once, when the process has ended and its pipes are read to their end, or held open by somebody else. */
export function onProcessEnd(child: ChildProcess, stdout: Readable, onEnd: (end: ProcessEnd) => void): void {
  let patience: NodeJS.Timeout | undefined;
  let isKilled = false;
  // Nothing more can arrive. The exit, which usually follows, best explains why it closed its output: a process that is about
  // to end has its own exit code, however late that is heard of, and only one that is not ends by the signal.
  stdout.once("end", () => {
    patience ??= setTimeout(() => {
      isKilled = true;
      signalGroup(child.pid, "SIGKILL");
    }, EXIT_GRACE_MS);
  });
  child.once("exit", (code, signal) => {
    signalGroup(child.pid, "SIGKILL"); // what is left of its group would hold the pipes open
    const onDrained = (): void => {
      clearTimeout(patience);
      child.off("close", onDrained);
      onEnd({ code, signal, hasClosed: isKilled && signal === "SIGKILL" });
    };
    // A pipe may still contain what it wrote before it ended: the answer that somebody waits for, or why it ended.
    clearTimeout(patience);
    patience = setTimeout(onDrained, EXIT_GRACE_MS);
    child.once("close", onDrained);
  });
}

export function exitInWords({ code, signal, hasClosed }: ProcessEnd): string {
  if (hasClosed) return "it closed its output";
  const by = signal ?? signalOf(code);
  return by === undefined ? `its process exited with code ${code}` : `its process was killed by ${by}`;
}

export function serverEndInWords({ code, signal }: ProcessEnd, hasAnswered: boolean, words: string): string {
  const by = signal ?? signalOf(code);
  const how = by === undefined ? `ended with code ${code}` : `was ended by ${by}`;
  const when = hasAnswered ? "" : " before it answered";
  const said = words === "" ? ", and wrote nothing to its standard error" : `: ${words}`;
  const isOutOfMemory = by === "SIGTRAP" || by === "SIGABRT" || OUT_OF_MEMORY.test(words);
  return `the server ${how}${when}${said}${isOutOfMemory ? MORE_MEMORY : ""}`;
}

/** In the words of Node, Python, C++ and Go. */
const OUT_OF_MEMORY = /out of memory|MemoryError|bad_alloc|cannot allocate memory|ENOMEM/i;
const MORE_MEMORY = " (it probably reached its memory limit: memory-mb in its manifest)";

/** As shells do, a sandbox and `mcp-addon` end with this code and the number of the signal that ended what they started. */
const SIGNAL_CODES = 128;

function signalOf(code: number | null): string | undefined {
  const number = (code ?? 0) - SIGNAL_CODES;
  return Object.entries(constants.signals).find(([, each]) => each === number)?.[0];
}
