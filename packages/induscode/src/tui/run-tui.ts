// The rich console: one loop over keys, events of the session and the clock, drawn below a transcript that scrolls away.

import { Aborted, monotonicMs, printable } from "indusagi/core";
import type { Conductor, ConductorEvent, SubmitEnd, UserContent } from "../conductor/contract.ts";
import { parseLine } from "../console/parse-line.ts";
import type { PlainConsoleOptions } from "../console/plain-console.ts";
import { createStyle } from "../console/style.ts";
import type { LineLook } from "../console/transcript-lines.ts";
import { costLine, endLine } from "../console/transcript-lines.ts";
import type { InstalledCommand, PermissionAsker, SessionUi } from "../feature/contract.ts";
import type { CallView } from "../view/contract.ts";
import {
  type Editor,
  ESCAPE_MS,
  type Input,
  type Key,
  type KeyDecoder,
  type Submission,
} from "./contract.ts";
import type { Desk } from "./desk.ts";
import { type Commands, createCommands } from "./loop/commands.ts";
import { createControls } from "./loop/controls.ts";
import { picture } from "./loop/picture.ts";
import { createPulse } from "./loop/pulse.ts";
import { createWaitingLines } from "./loop/waiting-lines.ts";
import { askForAddon } from "./questions/addon-dialog.ts";
import { createAsking } from "./questions/asking.ts";
import { askPermission, askYesOrNo } from "./questions/permission.ts";
import { createChangingPainter } from "./screen/changing-painter.ts";
import { type TerminalInput, takeTerminal } from "./screen/modes.ts";
import { cut, paint, span } from "./screen/spans.ts";
import { createStage, type Output } from "./screen/stage.ts";
import { colourDepth, type Mark } from "./screen/theme.ts";
import { createAddonUi } from "./status/addon-ui.ts";
import { createAttention } from "./status/attention.ts";
import type { StatusFacts } from "./status/status-line.ts";
import type { StatusPart } from "./status/status-parts.ts";
import { statusRow } from "./status/status-row.ts";
import type { ThemeSwitch, Themes } from "./themes.ts";
import { createHighlighter } from "./transcript/highlight.ts";
import { type Past, replay, textOf } from "./transcript/replay.ts";
import { createTranscript } from "./transcript/transcript.ts";

export interface TuiOptions {
  readonly input: TerminalInput;
  readonly output: Output;
  readonly env: NodeJS.ProcessEnv;
  readonly themes: Themes;
  /** The theme to begin with; default: the terminal's own colours. */
  readonly theme?: string;
  /** The parts of the status line, in this order; default: all. */
  readonly statusParts?: readonly StatusPart[];
  /** Nothing moves but once a second. */
  readonly reducedMotion?: boolean;
  /** In the order in which a key goes through them. */
  readonly thinkingLevels: readonly Parameters<Conductor["setThinking"]>[0][];
  readonly desk: Desk;
  readonly openEditor: (
    onChange: () => void,
    commands: () => readonly InstalledCommand[],
    rows: () => number,
  ) => Editor;
  readonly createDecoder: () => KeyDecoder;
  /** A monotonic clock in milliseconds. */
  readonly now?: () => number;
}

export interface TuiRun extends Omit<PlainConsoleOptions, "dialogue" | "now" | "ui"> {
  /** What the status line shows beyond what the session itself tells. */
  readonly place?: () => Partial<StatusFacts>;
  /** What the session held already: its end is shown again. */
  readonly past?: Past;
}

/** The same doors as the plain console's dialogue, so that whoever asks need not know which console there is. */
export interface Tui {
  readonly look: () => LineLook;
  readonly line: (text: string) => void;
  readonly ask: PermissionAsker;
  readonly confirm: (lines: readonly string[]) => Promise<"yes" | "no" | undefined>;
  /** What features show and ask. */
  readonly ui: SessionUi;
  readonly leave: () => void;
  readonly close: () => void;
  readonly themes: ThemeSwitch;
  /** Runs the console until the person leaves, then closes it. Answers the exit code. */
  readonly run: (options: TuiRun) => Promise<number>;
}

/** A turn that took so long is worth a word to somebody who looks elsewhere. */
const LONG_TURN_MS = 10_000;

/** Takes the terminal until `close`. */
export function openTui(options: TuiOptions): Tui {
  const { input, output, env, desk, now = monotonicMs } = options;
  const style = createStyle(false);
  const leaving = Promise.withResolvers<undefined>();
  const lines = createWaitingLines();
  let left = false;
  let closed = false;
  let run: TuiRun | undefined;
  let commands: Commands | undefined;
  let busySince: number | undefined;
  let asksAbout: string | undefined;
  let alerts = 0;
  let lastKeyMs = Number.NEGATIVE_INFINITY;
  let escaping: NodeJS.Timeout | undefined;

  // The parts

  const colours = createChangingPainter({
    themes: options.themes,
    depth: colourDepth(env),
    wanted: options.theme ?? "terminal",
    onChange: () => {
      if (!closed && !controls.isPaging()) stage.redraw();
    },
    say: (line) => say(line, "warn"),
  });
  const { painter } = colours;
  const stage = createStage({
    output,
    compose: (columns, rows) => picture(pictured, columns, rows),
    again: (columns, count) => transcript.resize(columns, count).map((line) => paint(line, painter)),
    onGone: leave,
  });
  const transcript = createTranscript({
    columns: stage.columns(),
    now,
    highlight: createHighlighter(() => stage.change()),
  });
  const editor = options.openEditor(
    () => stage.draw(),
    () => run?.commands ?? [],
    () => stage.rows(),
  );
  const decoder = options.createDecoder();
  const modes = takeTerminal({
    input,
    write: stage.send,
    onLeave: () => {
      controls.closePager();
      stage.pause();
    },
    onReturn: () => stage.resume(),
  });
  const attention = createAttention(stage.send, env);
  const pulse = createPulse({
    isStill: options.reducedMotion === true,
    onBeat: () => {
      if (transcript.isMoving()) stage.draw();
    },
  });
  const asking = createAsking({
    painter,
    size: () => ({ columns: stage.columns(), rows: stage.rows() }),
    say: transcript.say,
    editor,
    now,
    lastKeyMs: () => lastKeyMs,
    draw: () => {
      if (!closed) stage.draw();
    },
    onOpen: () => {
      showState();
      attention.notify("A question waits for you.");
    },
    onClose: () => showState(),
  });
  const controls = createControls({
    stage,
    modes,
    editor,
    asking,
    lines,
    folds: transcript,
    pages: (columns) => transcript.unfolded(columns).map((line) => paint(cut(line, columns), painter)),
    input,
    editElsewhere: desk.editElsewhere,
    thinkingLevels: options.thinkingLevels,
    conductor: () => run?.conductor,
    isBusy: () => busySince !== undefined,
    isClosed: () => closed,
    leave,
    now,
  });
  const ui = createAddonUi({
    columns: stage.columns,
    say: transcript.say,
    draw: () => {
      if (!closed) stage.change();
    },
    ask: (feature, dialog, signal) =>
      asking.inTurn(async () => {
        if (signal.aborted) throw new Aborted();
        return left ? undefined : askForAddon(asking, feature, dialog, { look, signal });
      }),
  });
  const pictured = {
    painter,
    transcript,
    editor,
    asking,
    bars: ui.bars,
    queued: lines.queued,
    frame: pulse.frame,
    asksAbout: () => asksAbout,
    statusRow: (columns: number) => {
      const hint = controls.hint();
      if (hint !== undefined) return cut([span(hint, "warn")], columns);
      return statusRow(run, columns, { addons: ui.items(), alerts, parts: options.statusParts });
    },
  };

  function look(): LineLook {
    return { style, columns: stage.columns(), rows: stage.rows() - 4 };
  }

  function showState(): void {
    const isBusy = busySince !== undefined;
    pulse.set(isBusy && !asking.isOpen());
    attention.show(asking.isOpen() ? "asking" : isBusy ? "working" : "idle");
  }

  function setBusy(sinceMs: number | undefined): void {
    busySince = sinceMs;
    showState();
  }

  function say(text: string, ...marks: readonly Mark[]): void {
    transcript.say(text.split("\n").map((line) => [span(line, ...marks)]));
    stage.change();
  }

  function leave(): void {
    if (left) return;
    left = true;
    leaving.resolve(undefined);
    asking.leave();
    lines.end();
  }

  // Keys

  function onData(chunk: Buffer | string): void {
    clearTimeout(escaping);
    for (const each of decoder.write(chunk)) onInput(each);
    if (decoder.isWaiting())
      escaping = setTimeout(() => {
        for (const each of decoder.flush()) onInput(each);
        if (!closed) stage.draw();
      }, ESCAPE_MS);
    if (!closed && !controls.isPaging()) stage.draw();
  }

  function onInput(each: Input): void {
    if (closed) return;
    if (each.kind === "focus") attention.setFocus(each.isFocused);
    if (each.kind === "key") onKey(each.key);
  }

  function onKey(key: Key): void {
    controls.clearHint();
    if (controls.take(key)) return;
    const isAnswer = asking.press(key);
    lastKeyMs = now();
    if (isAnswer) return;
    for (const event of editor.press(key)) {
      if (event.kind === "submit") send(event.submission);
      else controls.act(event.action);
    }
  }

  // Lines

  function send(submission: Submission): void {
    if (asking.takeLine(submission.text)) return;
    if (!commands || busySince === undefined) {
      lines.add(submission);
      return;
    }
    const parsed = parseLine(submission.text);
    if (parsed.kind === "command") void commands.run(parsed);
    else if (parsed.kind === "shell") void commands.shell(parsed);
    else if (submission.images.length > 0) void steerWithImages(submission);
    else if (parsed.kind === "text") lines.queue(parsed.text);
  }

  async function steerWithImages(submission: Submission): Promise<void> {
    const { content, problems } = await desk.contentOf(submission);
    for (const problem of problems) say(problem, "warn");
    run?.conductor.steer(content);
  }

  /** The session takes in what waits at the end of a call or of an answer: that is when it is handed over. */
  function onEvent(event: ConductorEvent): void {
    if (event.kind === "alert" && event.owner !== undefined) alerts += 1;
    transcript.show(event);
    const takesLines =
      event.kind === "tool_end" ||
      (event.kind === "entry" && event.entry.type === "assistant" && event.entry.stop !== "interrupted");
    if (takesLines) for (const text of lines.takeQueued()) run?.conductor.steer([{ kind: "text", text }]);
    if (event.kind === "entry" && event.entry.type === "user" && event.entry.via === "steer") {
      const { typed, content } = event.entry;
      transcript.sent(textOf(typed ?? content), "joined the task");
    }
    stage.change();
  }

  async function submit(
    told: UserContent,
    { conductor }: TuiRun,
    shown: string = textOf(told),
  ): Promise<number> {
    const begunMs = now();
    const content = [...(commands?.takeHeard() ?? []), ...told];
    transcript.sent(shown);
    transcript.beginSubmit();
    alerts = 0;
    setBusy(begunMs);
    stage.draw();
    const end = await Promise.race([conductor.submit({ content }), leaving.promise]);
    const { totals, fault } = transcript.endSubmit();
    setBusy(undefined);
    if (!end) return 0;
    const look: LineLook = { style, columns: stage.columns() };
    const said =
      end.kind === "faulted" && end.fault.message === fault?.message ? undefined : endLine(end, look);
    if (said !== undefined) say(said, end.kind === "faulted" ? "bad" : "warn");
    if (totals.turns > 0) say(costLine(totals, now() - begunMs, look), "dim");
    if (now() - begunMs > LONG_TURN_MS)
      attention.notify(end.kind === "complete" ? "The task is done." : "The task ended.");
    stage.draw();
    return EXIT_CODES[end.kind];
  }

  async function runLine(line: Submission, commands: Commands, session: TuiRun): Promise<void> {
    const parsed = parseLine(line.text);
    if (parsed.kind === "empty") return;
    if (parsed.kind === "text") {
      const { content, problems } = await desk.contentOf({ ...line, text: parsed.text });
      for (const problem of problems) say(problem, "warn");
      await submit(content, session, line.shown);
    } else {
      transcript.sent(line.shown);
      busySince = now();
      const work = parsed.kind === "shell" ? commands.shell(parsed) : commands.run(parsed);
      await Promise.race([work, leaving.promise]);
      busySince = undefined;
      stage.draw();
    }
    const spoken = commands.takeSpoken();
    if (spoken) await submit(spoken, session);
  }

  const onEnd = (): void => leave();
  input.on("data", onData);
  input.on("end", onEnd);
  input.on("error", onEnd);
  input.resume();
  stage.draw();

  function close(): void {
    if (closed) return;
    controls.closePager();
    // What was said last stays; the region below goes.
    stage.draw();
    closed = true;
    pulse.set(false);
    clearTimeout(escaping);
    asking.close();
    colours.close();
    editor.close();
    stage.close();
    attention.close();
    modes.restore();
    input.off("data", onData);
    input.off("end", onEnd);
    input.pause();
  }

  return {
    look,
    line: (text) => say(printable(text)),
    ask: (asked, signal) =>
      asking.inTurn(async () => {
        asksAbout = asked.tool;
        const calls = (): readonly CallView[] => transcript.view().calls;
        try {
          return await askPermission(asking, asked, { look, calls, hasLeft: () => left, signal });
        } finally {
          asksAbout = undefined;
        }
      }),
    confirm: (asked) => asking.inTurn(async () => (left ? undefined : askYesOrNo(asking, asked))),
    ui,
    leave,
    close,
    themes: colours,
    run: async (session) => {
      run = session;
      commands = createCommands(session, say);
      const { conductor } = session;
      const unsubscribe = conductor.subscribe(onEvent);
      attention.place(session.cwd);
      showState();
      try {
        const [head = "", ...rest] = [...session.greeting, ...desk.notices, ...colours.notices].filter(
          (line) => line !== "",
        );
        if (session.past) replay(transcript, session.past);
        transcript.say([[span(head, "bold")], ...rest.map((line) => [span(line, "dim")])]);
        stage.draw();
        if (session.firstTask) await submit(session.firstTask, session);
        if (session.isOneTask) return 0;
        for (;;) {
          const line = await lines.next();
          if (line === undefined) return 0;
          await runLine(line, commands, session);
        }
      } finally {
        if (conductor.status().busy) conductor.abort();
        unsubscribe();
        close();
      }
    },
  };
}

const EXIT_CODES: Readonly<Record<SubmitEnd["kind"], number>> = { complete: 0, faulted: 1, aborted: 130 };
