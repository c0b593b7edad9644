// The plain console: line by line, for screen readers, dumb terminals and logs. It owns no session and draws
// nothing; it reads lines, runs them, and lets the transcript print what happens.

import { monotonicMs, printable } from "indusagi/core";
import type { ConductorEvent, SubmitEnd, UserContent } from "../conductor/contract.ts";
import { wrapHanging } from "./columns.ts";
import { type Dialogue, INSTEAD } from "./dialogue.ts";
import { type ParsedLine, parseLine } from "./parse-line.ts";
import { type CommandSession, createCommands } from "./person-commands.ts";
import type { PlainUi } from "./plain-ui.ts";
import { printableLine } from "./printable-line.ts";
import { createTranscript } from "./transcript.ts";
import { costLine, endLine } from "./transcript-lines.ts";

export interface PlainConsoleOptions extends CommandSession {
  readonly dialogue: Dialogue;
  /** Lines shown before the first prompt. */
  readonly greeting: readonly string[];
  /** What happened before in a session that goes on elsewhere: shown before the greeting. */
  readonly retold?: readonly ConductorEvent[] | undefined;
  /** Submitted before the first prompt. */
  readonly firstTask?: UserContent | undefined;
  /** Handled before the first typed line. */
  readonly firstLine?: string | undefined;
  /** Resolves when a task runs that somebody else began: it is followed, as one of this console's. */
  readonly begunElsewhere?: (() => Promise<void>) | undefined;
  /** The session goes on without this console: leaving stops no task, and its tasks may be begun elsewhere. */
  readonly goesOn?: boolean | undefined;
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
  const { dialogue, conductor, greeting, now = monotonicMs } = options;
  const transcript = createTranscript(dialogue);
  const showStatus = createStatusLines(options);
  if (options.retold) retell(options.retold);
  const unsubscribe = conductor.subscribe(transcript.show);
  let lastInterruptMs = Number.NEGATIVE_INFINITY;
  let exitCode = 0;
  const commands = createCommands(options, {
    say,
    sayUnknown: dialogue.line,
    begin: () => ({ end: (_state, output) => dialogue.line(printable(output)) }),
  });

  function say(text: string): void {
    dialogue.line(dialogue.isTerminal ? wrapHanging(text, dialogue.look().columns) : text);
  }

  // One that stops a task does not count.
  function onIdleInterrupt(): void {
    if (conductor.status().busy) {
      conductor.abort(); // what somebody else began
      return;
    }
    const before = lastInterruptMs;
    lastInterruptMs = now();
    if (lastInterruptMs - before < LEAVE_WINDOW_MS) dialogue.leave();
    else dialogue.line(dialogue.look().style.dim("press Ctrl+C again to quit"));
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
    const whole = content.length === 0 ? content : [...commands.takeHeard(), ...content]; // a task that is followed gets nothing
    const end = await dialogue.during(conductor.submit({ content: whole }), {
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

  function whileSubmitting(line: ParsedLine): string | undefined {
    if (line.kind === "command") void commands.run(line);
    if (line.kind === "shell") void commands.shell(line);
    if (line.kind !== "text") return undefined;
    conductor.steer([{ kind: "text", text: line.text }]);
    return dialogue.look().style.dim(STEERED);
  }

  function retell(events: readonly ConductorEvent[]): void {
    for (const event of events)
      if (event.kind === "entry" && event.entry.type === "user")
        dialogue.line(`› ${printable(textOf(event.entry.typed ?? event.entry.content))}`);
      else transcript.show(event);
    transcript.endSubmit();
  }

  try {
    for (const line of greeting) say(printableLine(line));
    if (options.firstTask) await submit(options.firstTask);
    let first = options.firstLine;
    for (;;) {
      if (dialogue.isTerminal) showStatus();
      const line = first ?? (await dialogue.nextLine(onIdleInterrupt, options.begunElsewhere?.()));
      first = undefined;
      if (line === undefined) return exitCode;
      if (line === INSTEAD) {
        await submit([]);
        continue;
      }
      const parsed = parseLine(line);
      if (parsed.kind === "empty") continue;
      if (!dialogue.isTerminal) dialogue.line(`› ${printable(line)}`); // a log shows what was asked
      if (parsed.kind === "text") await submit(await contentOf(parsed.text));
      else if (parsed.kind === "shell")
        await dialogue.during(commands.shell(parsed), { onInterrupt: createTaskInterrupt() });
      else await dialogue.during(commands.run(parsed), { onInterrupt: createTaskInterrupt() });
      const next = commands.takeSpoken();
      if (next) await submit(next);
      if (options.isOneTask) return exitCode;
    }
  } finally {
    if (!options.goesOn && conductor.status().busy) conductor.abort();
    unsubscribe();
    dialogue.close();
  }
}

function textOf(content: UserContent): string {
  return content.map((block) => (block.kind === "text" ? block.text : "[image]")).join("\n");
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
