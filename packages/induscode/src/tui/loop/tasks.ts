// What a person sends: the next task, a line for the running one, a command. And what they see of its result.

import type { ConductorEvent, SubmitEnd, UserContent } from "../../conductor/contract.ts";
import { parseLine } from "../../console/parse-line.ts";
import {
  type CommandSession,
  type Commands,
  createCommands,
  type ShownConductor,
} from "../../console/person-commands.ts";
import type { PlainConsoleOptions } from "../../console/plain-console.ts";
import { createStyle } from "../../console/style.ts";
import { costLine, endLine } from "../../console/transcript-lines.ts";
import type { ConsoleList } from "../../feature/command.ts";
import type { Submission } from "../contract.ts";
import type { Desk } from "../desk.ts";
import type { Stage } from "../screen/stage.ts";
import type { Mark } from "../screen/theme.ts";
import { editableOf, textOf } from "../transcript/replay.ts";
import type { Transcript } from "../transcript/transcript.ts";
import { typedLine, type WaitingLines } from "./waiting-lines.ts";

type TaskSession = CommandSession &
  Pick<PlainConsoleOptions, "firstTask" | "firstLine" | "isOneTask" | "begunElsewhere" | "goesOn">;

interface TaskParts {
  readonly transcript: Transcript;
  readonly stage: Pick<Stage, "draw" | "change" | "columns">;
  readonly lines: WaitingLines;
  readonly desk: Pick<Desk, "contentOf">;
  readonly say: (text: string, ...marks: readonly Mark[]) => void;
  readonly notify: (text: string) => void;
  /** A task or a command has started or ended. */
  readonly onChange: () => void;
  /** Resolves when the person leaves. */
  readonly leaving: Promise<undefined>;
  /** Lists that commands let the person choose from. */
  readonly list: ConsoleList;
  /** No key has asked for the list that comes next. */
  readonly opensByItself: () => void;
  readonly now: () => number;
}

export interface Tasks {
  /** Whether a task is running. */
  readonly isRunning: () => boolean;
  /** Whether a task or a command is running. */
  readonly isBusy: () => boolean;
  /** The number of alerts from addons since the last task began. */
  readonly alerts: () => number;
  readonly send: (submission: Submission) => void;
  /** Runs one line after the other, until the person leaves. Returns the exit code. */
  readonly run: (session: TaskSession) => Promise<number>;
}

/** After a turn this long, somebody who is looking elsewhere is notified. */
const LONG_TURN_MS = 10_000;
const EXIT_CODES: Readonly<Record<SubmitEnd["kind"], number>> = { complete: 0, faulted: 1, aborted: 130 };

export function createTasks(parts: TaskParts): Tasks {
  const { transcript, stage, lines, desk, say, leaving, now } = parts;
  let conductor: ShownConductor | undefined;
  let commands: Commands | undefined;
  let busy: "task" | "command" | undefined;
  let alerts = 0;
  let hasLeft = false;
  /** The log could not be written: what was typed before the person was asked waits for their next line. */
  let isHeld = false;
  /** Lines for the running task that wait until the images of one have been read. */
  let steering: Promise<void> | undefined;
  void leaving.then(() => {
    hasLeft = true;
  });

  function setBusy(what: typeof busy): void {
    busy = what;
    parts.onChange();
  }

  function send(submission: Submission): void {
    if (!commands || busy === undefined) {
      lines.add(submission);
      return;
    }
    const parsed = parseLine(submission.text);
    if (parsed.kind !== "text") sayUnsent(submission, say);
    if (parsed.kind === "command") void commands.run(parsed);
    else if (parsed.kind === "shell") void commands.shell(parsed).then(parts.onChange);
    else if (submission.images.length > 0) steerWith(contentOf(submission));
    else if (parsed.kind === "text") steerWith([{ kind: "text", text: parsed.text }]);
    stage.change();
  }

  function steerWith(told: UserContent | Promise<UserContent>): void {
    if (steering === undefined && !(told instanceof Promise)) {
      conductor?.steer(told);
      return;
    }
    const mine = steerAfter(steering, told).finally(() => {
      if (steering === mine) steering = undefined;
    });
    steering = mine;
  }

  async function steerAfter(
    earlier: Promise<void> | undefined,
    told: UserContent | Promise<UserContent>,
  ): Promise<void> {
    await earlier;
    conductor?.steer(await told);
  }

  async function contentOf(submission: Submission): Promise<UserContent> {
    const { content, problems } = await desk.contentOf(submission);
    for (const problem of problems) say(problem, "warn");
    return content;
  }

  async function picturesOf(line: Submission): Promise<UserContent> {
    return line.images.length === 0 ? [] : (await contentOf({ ...line, text: "" })).slice(1);
  }

  function onEvent(event: ConductorEvent): void {
    if (event.kind === "alert" && event.owner !== undefined) alerts += 1;
    transcript.show(event);
    if (event.kind === "entry" && event.entry.type === "delegate") parts.onChange();
    if (event.kind === "entry" && event.entry.type === "user" && event.entry.via === "steer") {
      const { typed, content } = event.entry;
      transcript.sent(textOf(typed ?? content), "joined the task");
    }
    stage.change();
  }

  async function submit(
    told: UserContent,
    conductor: ShownConductor,
    shown: string = textOf(told),
  ): Promise<number> {
    const begunMs = now();
    const content = told.length === 0 ? told : [...(commands?.takeHeard() ?? []), ...told]; // a task that is followed gets nothing
    if (told.length > 0) transcript.sent(shown);
    transcript.beginSubmit();
    alerts = 0;
    setBusy("task");
    stage.draw();
    const end = await Promise.race([conductor.submit({ content }), leaving]);
    const { totals, fault } = transcript.endSubmit();
    setBusy(undefined);
    if (!end) return 0;
    isHeld = end.kind === "faulted" && end.fault.kind === "log";
    const look = { style: createStyle(false), columns: stage.columns() };
    const said =
      end.kind === "faulted" && end.fault.message === fault?.message ? undefined : endLine(end, look);
    if (said !== undefined) say(said, end.kind === "faulted" ? "bad" : "warn");
    if (totals.turns > 0) say(costLine(totals, now() - begunMs, look), "dim");
    if (now() - begunMs > LONG_TURN_MS)
      parts.notify(end.kind === "complete" ? "The task is done." : "The task ended.");
    stage.draw();
    return EXIT_CODES[end.kind];
  }

  async function runLine(line: Submission, commands: Commands, conductor: ShownConductor): Promise<void> {
    const parsed = parseLine(line.text);
    if (parsed.kind === "empty") return;
    if (parsed.kind === "text")
      await submit(await contentOf({ ...line, text: parsed.text }), conductor, line.shown);
    else {
      transcript.sent(line.shown);
      setBusy("command");
      if (parsed.kind === "command") transcript.beginCommand(parsed.name);
      const work = parsed.kind === "shell" ? commands.shell(parsed) : commands.run(parsed);
      await Promise.race([work, leaving]);
      transcript.endCommand();
      setBusy(undefined);
      stage.draw();
    }
    const spoken = commands.takeSpoken();
    const pictures = parsed.kind === "text" ? [] : await picturesOf(line);
    if (spoken) await submit([...spoken, ...pictures], conductor, textOf(spoken));
    else if (pictures.length > 0) sayUnsent(line, say);
  }

  /** Lines typed while something ran that could not take them become the next task: the last one, joined by those before it. */
  async function submitLeft(before: number, conductor: ShownConductor): Promise<void> {
    for (;;) {
      await steering;
      const waiting = editableOf(conductor.waiting());
      const last = waiting.at(-1);
      if (hasLeft || isHeld || last === undefined || waiting.length <= before) return;
      conductor.takeBack([last]);
      await submit(last, conductor);
    }
  }

  return {
    isRunning: () => busy === "task",
    isBusy: () => busy !== undefined,
    alerts: () => alerts,
    send,
    run: async (session) => {
      conductor = session.conductor;
      commands = createCommands(session, { say, begin: transcript.command, list: parts.list });
      const unsubscribe = conductor.subscribe(onEvent);
      try {
        const code = session.firstTask ? await submit(session.firstTask, conductor) : 0;
        if (session.isOneTask) return code;
        if (session.firstLine !== undefined) {
          // Before what was typed meanwhile, which no list that opens now takes as its answer.
          parts.opensByItself();
          lines.addFirst(typedLine(session.firstLine));
        }
        await submitLeft(0, conductor);
        const nextLine = linesOr(session.begunElsewhere, lines);
        for (;;) {
          const line = await nextLine();
          if (line === undefined) return 0;
          const before = editableOf(conductor.waiting()).length;
          if (line === ELSEWHERE) await submit([], conductor);
          else await runLine(line, commands, conductor);
          await submitLeft(before, conductor);
        }
      } finally {
        if (!session.goesOn && conductor.status().busy) conductor.abort();
        unsubscribe();
      }
    },
  };
}

function sayUnsent({ shown, images }: Submission, say: TaskParts["say"]): void {
  if (images.length > 0) say(`the model gets no image with this line: ${shown}`, "warn");
}

/** In place of a line: a task that somebody else began is to be followed. */
const ELSEWHERE: unique symbol = Symbol("begun elsewhere");

type NextLine = Submission | undefined;

/** Tells of the next line or of a task that began elsewhere, whichever comes first; that line then comes next. */
function linesOr(
  begunElsewhere: TaskSession["begunElsewhere"],
  lines: WaitingLines,
): () => Promise<NextLine | typeof ELSEWHERE> {
  let next: Promise<NextLine> | undefined;
  return async () => {
    next ??= lines.next();
    const begun = begunElsewhere?.().then((): typeof ELSEWHERE => ELSEWHERE);
    const line = await (begun ? Promise.race([next, begun]) : next);
    if (line !== ELSEWHERE) next = undefined;
    return line;
  };
}
