// The plain console: line by line, for screen readers, dumb terminals and logs. It owns no session and draws
// nothing; it reads lines, runs them, and lets the transcript print what happens.

import { describeError, monotonicMs, printable } from "indusagi/core";
import type { Conductor, SubmitEnd, UserContent } from "../conductor/contract.ts";
import type { InstalledCommand } from "../feature/command.ts";
import type { SessionHandles } from "../feature/services.ts";
import { wrapHanging } from "./columns.ts";
import type { Dialogue } from "./dialogue.ts";
import { findCommand } from "./find-command.ts";
import { type ParsedLine, parseLine } from "./parse-line.ts";
import type { PlainUi } from "./plain-ui.ts";
import { printableLine } from "./printable-line.ts";
import { runShellLine } from "./shell-line.ts";
import { createTranscript } from "./transcript.ts";
import { costLine, endLine } from "./transcript-lines.ts";

export interface PlainConsoleOptions {
  readonly dialogue: Dialogue;
  readonly conductor: Conductor;
  /** Read again for each line: features come and go. */
  readonly commands: readonly InstalledCommand[];
  readonly cwd: string;
  /** What commands can act through here. */
  readonly handles: SessionHandles;
  /** Lines shown before the first prompt. */
  readonly greeting: readonly string[];
  /** Submitted before the first prompt. */
  readonly firstTask?: UserContent | undefined;
  /** Handled before the first typed line. */
  readonly firstLine?: string | undefined;
  /** Leaves once that task is done. */
  readonly isOneTask?: boolean;
  /** The content sent for a line that names files with `@`. `problems` are for the person. */
  readonly contentOf?: (
    text: string,
  ) => Promise<{ readonly content: UserContent; readonly problems: readonly string[] }>;
  /** The permission mode, shown before the first prompt and whenever it is another one. */
  readonly mode?: () => string | undefined;
  /** What features display. */
  readonly ui?: Pick<PlainUi, "changedStatus">;
  /** A monotonic clock in milliseconds. */
  readonly now?: () => number;
}

// Two Ctrl+C at the prompt within this time leave the console: enough time to do it on purpose, too short to happen by accident.
const LEAVE_WINDOW_MS = 2000;
const STEERED = "(joins at the next step)";

/**
 * Runs the console until its input ends or the person leaves, then closes `dialogue`; a running task is stopped
 * first. Returns the process's exit code: 0, or for piped input that of the last task (1 faulted, 130 aborted).
 */
export async function runPlainConsole(options: PlainConsoleOptions): Promise<number> {
  const { dialogue, conductor, cwd, handles, greeting, now = monotonicMs } = options;
  const transcript = createTranscript(dialogue);
  const showStatus = createStatusLines(options);
  const unsubscribe = conductor.subscribe(transcript.show);
  let lastInterruptMs = Number.NEGATIVE_INFINITY;
  let exitCode = 0;
  let spoken: UserContent | undefined;

  function say(text: string): void {
    dialogue.line(dialogue.isTerminal ? wrapHanging(text, dialogue.look().columns) : text);
  }

  // One that stops a task does not count.
  function onIdleInterrupt(): void {
    const before = lastInterruptMs;
    lastInterruptMs = now();
    if (lastInterruptMs - before < LEAVE_WINDOW_MS) dialogue.leave();
    else dialogue.line(dialogue.look().style.dim("press Ctrl+C again to leave"));
  }

  // The second Ctrl+C leaves a task that does not stop, however late it comes.
  function createTaskInterrupt(): () => void {
    let aborted = false;
    return () => {
      if (aborted) dialogue.leave();
      aborted = true;
      conductor.abort();
    };
  }

  async function submit(content: UserContent): Promise<void> {
    const begunMs = now();
    const before = heard.splice(0).map((text) => ({ kind: "text", text }) as const);
    const end = await dialogue.during(conductor.submit({ content: [...before, ...content] }), {
      onLine: (line) => whileSubmitting(parseLine(line)),
      onInterrupt: createTaskInterrupt(),
    });
    const { totals, fault: shownFault } = transcript.endSubmit();
    if (!end) return;
    const look = dialogue.look();
    const said =
      end.kind === "faulted" && end.fault.message === shownFault?.message ? undefined : endLine(end, look);
    if (said !== undefined) dialogue.line(said);
    if (totals.turns > 0) dialogue.line(costLine(totals, now() - begunMs, look));
    if (!dialogue.isTerminal) exitCode = EXIT_CODES[end.kind];
  }

  // What comes through a pipe may be anyone's text: it sends no files.
  async function contentOf(text: string): Promise<UserContent> {
    if (!options.contentOf || !dialogue.isTerminal || !text.includes("@")) return [{ kind: "text", text }];
    const { content, problems } = await options.contentOf(text);
    problems.forEach(say);
    return content;
  }

  /** Output of the person's own commands that the model reads along with its next message. */
  const heard: string[] = [];

  async function runShell(line: Extract<ParsedLine, { kind: "shell" }>): Promise<void> {
    const end = await runShellLine(line, handles.exec);
    dialogue.line(printable(end.shown));
    if (end.heard === undefined) return;
    if (conductor.status().busy) conductor.steer([{ kind: "text", text: end.heard }]);
    else heard.push(end.heard);
  }

  function whileSubmitting(line: ParsedLine): string | undefined {
    if (line.kind === "command") void runCommand(line);
    if (line.kind === "shell") void runShell(line);
    if (line.kind !== "text") return undefined;
    conductor.steer([{ kind: "text", text: line.text }]);
    return dialogue.look().style.dim(STEERED);
  }

  // The fence around commands, which features wrote. Never rejects.
  async function runCommand({ name, args }: Extract<ParsedLine, { kind: "command" }>): Promise<void> {
    const command = findCommand(options.commands, name);
    if (typeof command === "string") {
      dialogue.line(command);
      return;
    }
    try {
      const said: string[] = [];
      // During a task a message joins it; otherwise the text that a command sends to the model becomes the next task.
      const sendMessage = (text: string): void =>
        void (conductor.status().busy ? handles.sendMessage?.(text) : said.push(text));
      await command.run({
        args,
        cwd,
        say: (text) => say(printable(text).trimEnd()),
        handles: { ...handles, sendMessage },
      });
      if (said.length > 0) spoken = [{ kind: "text", text: said.join("\n") }];
    } catch (error) {
      const message = `/${command.name} of ${command.feature} failed: ${describeError(error)}`;
      const fault = { kind: "command", owner: command.feature, message, cause: error } as const;
      conductor.announce({ kind: "fault", fault }); // received here too, as by every listener
    }
  }

  try {
    for (const line of greeting) say(printableLine(line));
    if (options.firstTask) await submit(options.firstTask);
    let first = options.firstLine;
    for (;;) {
      if (dialogue.isTerminal) showStatus();
      const line = first ?? (await dialogue.nextLine(onIdleInterrupt));
      first = undefined;
      if (line === undefined) return exitCode;
      const parsed = parseLine(line);
      if (parsed.kind === "empty") continue;
      if (!dialogue.isTerminal) dialogue.line(`› ${printable(line)}`); // a log shows what was asked
      if (parsed.kind === "text") await submit(await contentOf(parsed.text));
      else if (parsed.kind === "shell")
        await dialogue.during(runShell(parsed), { onInterrupt: createTaskInterrupt() });
      else await dialogue.during(runCommand(parsed), { onInterrupt: createTaskInterrupt() });
      const next = spoken;
      spoken = undefined;
      if (next) await submit(next);
      if (options.isOneTask) return exitCode;
    }
  } finally {
    if (conductor.status().busy) conductor.abort();
    unsubscribe();
    dialogue.close();
  }
}

const EXIT_CODES: Readonly<Record<SubmitEnd["kind"], number>> = { complete: 0, faulted: 1, aborted: 130 };

/** Before a prompt: what features display and the permission mode, where that has changed. */
function createStatusLines({ dialogue, mode, ui }: PlainConsoleOptions): () => void {
  let shown: string | undefined;
  return () => {
    const say = (text: string): void => dialogue.line(dialogue.look().style.dim(text));
    const status = ui?.changedStatus();
    if (status !== undefined) say(status);
    const now = mode?.();
    if (now !== undefined && now !== shown) say(`permission mode: ${now}`);
    shown = now;
  };
}
