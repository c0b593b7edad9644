// Editors that a command opened although there is no terminal. Most programs of that kind end at once; vim warns, waits for two seconds,
// and then draws a screen for keys that never come.

import { readlinkSync } from "node:fs";
import { basename } from "node:path";
import { fromProc } from "../../core/process-facts.ts";
import { argumentsOf, markedProcesses, signalProcess } from "./marked-processes.ts";

/** What vim says before it draws anything. */
const WARNING = "Vim: Warning: Input is not from a terminal";
const EDITOR = /^(?:r?vim?|r?view|vimdiff|vim\.\w+)$/;
/** It has something to do by itself, after which it may end. */
const COMMANDS = /^(?:-[csSeE]|--cmd|\+\S)/;

/** Whether this output is that of an editor that may wait for keys. */
export function saysEditorOpened(chunk: Buffer): boolean {
  return chunk.includes(WARNING);
}

/** Ends the editors of a command that read from nowhere. Returns how many; none where the system does not show arguments. */
export function endWaitingEditors(mark: string): number {
  return markedProcesses(mark).filter((pid) => isWaiting(pid) && signalProcess(pid, "SIGKILL")).length;
}

function isWaiting(pid: number): boolean {
  const [program = "", ...args] = argumentsOf(pid) ?? [];
  if (!EDITOR.test(basename(program)) || args.some((each) => COMMANDS.test(each))) return false;
  return fromProc(() => readlinkSync(`/proc/${pid}/fd/0`)) === "/dev/null";
}
