// The rich console: one loop over keys, session events and the clock, drawn below a transcript that scrolls away.

import { Aborted, type Disposer, monotonicMs, printable } from "indusagi/core";
import type { Conductor } from "../conductor/contract.ts";
import type { PlainConsoleOptions } from "../console/plain-console.ts";
import { createStyle } from "../console/style.ts";
import type { ThemeSwitch } from "../console/theme-switch.ts";
import type { LineLook } from "../console/transcript-lines.ts";
import type { PermissionAsker } from "../feature/permission.ts";
import type { SessionUi } from "../feature/ui.ts";
import type { StatusPart } from "../view/status-parts.ts";
import type { TypedInto } from "./complete/contract.ts";
import type { Editor, Input, Key, KeyDecoder } from "./contract.ts";
import type { Desk } from "./desk.ts";
import { keyOf } from "./keys/list-keys.ts";
import { createControls } from "./loop/controls.ts";
import { allRead, openKeyboard } from "./loop/keyboard.ts";
import { picture } from "./loop/picture.ts";
import { createPulse } from "./loop/pulse.ts";
import { createTasks } from "./loop/tasks.ts";
import { createWaitingLines, typedLine } from "./loop/waiting-lines.ts";
import { askForAddon } from "./questions/addon-dialog.ts";
import { createAsking } from "./questions/asking.ts";
import { askPermission, askYesOrNo } from "./questions/permission.ts";
import { ASK_BACKGROUND } from "./screen/background.ts";
import { createChangingPainter } from "./screen/changing-painter.ts";
import { type TerminalInput, takeTerminal } from "./screen/modes.ts";
import { cut, hasLinks, paint, span } from "./screen/spans.ts";
import { createStage, type Output } from "./screen/stage.ts";
import { colourDepth, type Mark } from "./screen/theme.ts";
import { createAddonUi } from "./status/addon-ui.ts";
import { createAttention } from "./status/attention.ts";
import type { StatusFacts } from "./status/status-line.ts";
import { statusRow } from "./status/status-row.ts";
import { AUTO, type Themes } from "./themes.ts";
import { createHighlighter } from "./transcript/highlight.ts";
import { type Past, replay, textOf } from "./transcript/replay.ts";
import { type AskedAbout, type BackgroundFacts, createTranscript } from "./transcript/transcript.ts";

export interface TuiOptions {
  readonly input: TerminalInput;
  readonly output: Output;
  readonly env: NodeJS.ProcessEnv;
  readonly themes: Themes;
  /** The initial theme; default: the one that follows the terminal's background. */
  readonly theme?: string | undefined;
  /** The parts of the status line, in this order; default: all. */
  readonly statusParts?: readonly StatusPart[] | undefined;
  /** No animation: the screen is updated only once a second. */
  readonly reducedMotion?: boolean | undefined;
  /** In the order in which a key cycles through them. */
  readonly thinkingLevels: readonly Parameters<Conductor["setThinking"]>[0][];
  readonly desk: Desk;
  readonly openEditor: (
    onChange: () => void,
    into: () => TypedInto,
    rows: () => number,
    /** Shows a line in place of the status line until the next key. */
    hint: (text: string) => void,
  ) => Editor;
  readonly createDecoder: () => KeyDecoder;
  /** A monotonic clock in milliseconds. */
  readonly now?: () => number;
}

interface TuiRun extends Omit<PlainConsoleOptions, "dialogue" | "now" | "ui"> {
  /** What the status line shows beyond the session's own facts. */
  readonly place?: () => Partial<StatusFacts>;
  /** Calls the listener when a fact of the place changes by itself, until what it returns is called. */
  readonly onPlaceChange?: (listener: () => void) => Disposer | undefined;
  /** Switches to the next permission mode. Returns what to tell the person. */
  readonly nextMode?: () => string;
  /** Everything that is or was running in the background. */
  readonly background?: () => readonly BackgroundFacts[];
  /** The session's earlier content: its end is shown again. */
  readonly past?: Past;
}

/** The same functions as the plain console's dialogue, so that callers need not know which console is used. */
export interface Tui {
  readonly look: () => LineLook;
  readonly line: (text: string) => void;
  readonly ask: PermissionAsker;
  readonly confirm: (lines: readonly string[]) => Promise<"yes" | "no" | undefined>;
  /** What features show and ask. */
  readonly ui: SessionUi;
  /** Shows the end of another conversation, or of what remains of this one. */
  readonly retell: (past: Past) => void;
  readonly leave: () => void;
  readonly close: () => void;
  readonly themes: ThemeSwitch;
  /** Runs the console until the person leaves, then closes it. Returns the exit code. */
  readonly run: (options: TuiRun) => Promise<number>;
}

const NO_SESSION: TypedInto = { commands: [], handles: {} };

/** Takes the terminal until `close`. */
export function openTui(options: TuiOptions): Tui {
  const { input, output, env, desk, now = monotonicMs } = options;
  const style = createStyle(false);
  const leaving = Promise.withResolvers<undefined>();
  const lines = createWaitingLines();
  let left = false;
  let closed = false;
  let run: TuiRun | undefined;
  let asksAbout: AskedAbout | undefined;
  let keys = 0;

  // The parts

  const colours = createChangingPainter({
    themes: options.themes,
    depth: colourDepth(env),
    env,
    wanted: options.theme ?? AUTO,
    ask: () => stage.send(ASK_BACKGROUND),
    onChange: () => {
      if (!closed && !controls.isPaging()) stage.repaint();
    },
    say: (line) => say(line, "warn"),
  });
  const { painter } = colours;
  const stage = createStage({
    output,
    compose: (columns, rows) => picture(pictured, columns, rows),
    again: (columns, count) => {
      asking.fit();
      return transcript.resize(columns, count).map((line) => paint(line, painter));
    },
    onResizeMeanwhile: () => controls.redrawPager(),
    onGone: leave,
  });
  const transcript = createTranscript({
    columns: stage.columns(),
    now,
    highlight: createHighlighter(() => stage.change()),
    hasLinks: hasLinks(env),
    foldKey: keyOf(desk.bindings.table, "fold"),
    background: () => run?.background?.() ?? [],
  });
  const editor = options.openEditor(
    () => stage.draw(),
    () => run ?? NO_SESSION,
    () => stage.rows(),
    (text) => {
      controls.tell(text);
      if (!closed) stage.draw();
    },
  );
  const modes = takeTerminal({
    input,
    write: stage.send,
    onLeave: () => {
      controls.closePager();
      stage.pause();
    },
    onExit: close,
    onReturn: () => {
      asking.appear();
      stage.resume();
    },
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
    keys: () => keys,
    allRead,
    draw: () => {
      if (!closed) stage.draw();
    },
    onOpen: () => {
      showState();
      attention.notify("A question is waiting for you.");
    },
    onClose: () => showState(),
  });
  const tasks = createTasks({
    transcript,
    stage,
    lines,
    desk,
    say,
    notify: attention.notify,
    onChange: showState,
    leaving: leaving.promise,
    list: {
      pick: (...list) => asking.inTurn(async () => (left ? undefined : asking.pick(...list))),
      write: editor.put,
    },
    opensByItself: () => asking.opensByItself(),
    now,
  });
  const controls = createControls({
    stage,
    modes,
    editor,
    bindings: desk.bindings,
    asking,
    folds: transcript,
    pages: (columns) => transcript.unfolded(columns).map((line) => paint(cut(line, columns), painter)),
    input,
    editElsewhere: desk.editElsewhere,
    thinkingLevels: options.thinkingLevels,
    session: () => run,
    isBusy: tasks.isBusy,
    isClosed: () => closed,
    leave,
    showTree: () => {
      asking.sent();
      lines.add(typedLine("/tree"));
    },
    now,
  });
  const ui = createAddonUi({
    columns: stage.columns,
    hasLinks: hasLinks(env),
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
    queued: () => run?.conductor.waiting().map(textOf) ?? [],
    queueKey: keyOf(desk.bindings.table, "queue"),
    isTask: () => tasks.isRunning(),
    frame: pulse.frame,
    asksAbout: () => asksAbout,
    statusRow: (columns: number) => {
      const hint = controls.hint();
      if (hint !== undefined) return cut([span(hint, "warn")], columns);
      return statusRow(run, columns, {
        addons: ui.items(),
        alerts: tasks.alerts(),
        parts: options.statusParts,
      });
    },
  };

  function look(): LineLook {
    return { style, columns: stage.columns(), rows: stage.rows() - 4 };
  }

  function showState(): void {
    const isRunning = tasks.isBusy() || transcript.isMoving();
    pulse.set(isRunning && !asking.isOpen());
    attention.show(asking.isOpen() ? "asking" : isRunning ? "working" : "idle");
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

  function onInput(each: Input): void {
    if (closed) return;
    if (each.kind === "focus") attention.setFocus(each.isFocused);
    if (each.kind === "reply") colours.hear(each.sequence);
    if (each.kind === "key") onKey(each.key);
  }

  function onKey(key: Key): void {
    keys += 1;
    controls.clearHint();
    if (controls.take(key)) return;
    const isLeaving = (key.ctrl && key.name === "c") || (key.name === "escape" && asksAbout !== undefined);
    const endsTask = isLeaving && asking.isOpen() && tasks.isRunning();
    const isAnswer = asking.press(key);
    if (endsTask) controls.act("cancel"); // the question was not answered, which means no
    if (isAnswer) return;
    for (const event of editor.press(key)) {
      if (event.kind === "submit") {
        if (asking.takeLine(event.submission.text)) continue;
        // What only waits asks for no list; a command runs at once.
        if (!tasks.isBusy() || event.submission.text.startsWith("/")) asking.sent();
        tasks.send(event.submission);
      } else controls.act(event.action);
    }
  }

  const closeKeyboard = openKeyboard({
    input,
    decoder: options.createDecoder(),
    onInput,
    onRead: () => {
      if (!closed && !controls.isPaging()) stage.draw();
    },
    onEnd: leave,
  });
  stage.draw();

  function close(): void {
    if (closed) return;
    controls.closePager();
    // The last output stays; the live region is removed.
    stage.draw();
    closed = true;
    pulse.set(false);
    asking.close();
    colours.close();
    editor.close();
    stage.close();
    attention.close();
    modes.restore();
    closeKeyboard();
  }

  return {
    look,
    line: (text) => say(printable(text)),
    ask: (asked, signal) =>
      asking.inTurn(async () => {
        const { id = "", delegate } = asked.call ?? {};
        asksAbout = { id, delegate };
        try {
          const facts = { look, hasLeft: () => left, endsTask: tasks.isRunning };
          return await askPermission(asking, asked, { ...facts, signal });
        } finally {
          asksAbout = undefined;
        }
      }),
    confirm: (asked) => asking.inTurn(async () => (left ? undefined : askYesOrNo(asking, asked))),
    ui,
    retell: (past) => {
      replay(transcript, past);
      stage.draw();
    },
    leave,
    close,
    themes: colours,
    run: async (session) => {
      run = session;
      attention.place(session.cwd);
      showState();
      const unfollow = session.onPlaceChange?.(stage.change);
      try {
        const [head = "", ...rest] = [...session.greeting, ...desk.notices, ...colours.notices].filter(
          (line) => line !== "",
        );
        if (session.past) replay(transcript, session.past);
        transcript.say([[span(head, "bold")], ...rest.map((line) => [span(line, "dim")])]);
        stage.draw();
        colours.begin(); // the first drawing does not wait for the answer
        return await tasks.run(session);
      } finally {
        unfollow?.();
        await colours.heard(); // otherwise the shell would read it as typed text
        close();
      }
    },
  };
}
