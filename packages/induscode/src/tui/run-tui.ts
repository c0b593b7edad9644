// The rich console: one loop over keys, session events and the clock, drawn below a transcript that scrolls away.

import { Aborted, type Disposer, deferred, monotonicMs, printable } from "indusagi/core";
import type { Conductor } from "../conductor/contract.ts";
import type { PlainConsoleOptions } from "../console/plain-console.ts";
import { createStyle } from "../console/style.ts";
import type { ThemeSwitch } from "../console/theme-switch.ts";
import type { LineLook } from "../console/transcript-lines.ts";
import type { PermissionAsker } from "../feature/permission.ts";
import type { SessionUi } from "../feature/ui.ts";
import type { StatusPart } from "../view/status-parts.ts";
import type { TypedInto } from "./complete/contract.ts";
import type { Editor, Input, KeyDecoder } from "./contract.ts";
import type { Desk } from "./desk.ts";
import { keyOf } from "./keys/list-keys.ts";
import { createControls } from "./loop/controls.ts";
import { pressKey } from "./loop/key-route.ts";
import { allRead, openKeyboard } from "./loop/keyboard.ts";
import { picture } from "./loop/picture.ts";
import { createTasks, type Tasks } from "./loop/tasks.ts";
import { createWaitingLines, typedLine, type WaitingLines } from "./loop/waiting-lines.ts";
import { type Asking, createAsking } from "./questions/asking.ts";
import { createSessionQuestions, type SessionQuestions } from "./questions/session-questions.ts";
import type { ChangingPainter } from "./screen/changing-painter.ts";
import type { TerminalInput } from "./screen/modes.ts";
import { cut, hasLinks, type Line, paint, span } from "./screen/spans.ts";
import type { Output, Stage } from "./screen/stage.ts";
import type { Mark } from "./screen/theme.ts";
import { createAddonUi } from "./status/addon-ui.ts";
import type { StatusFacts } from "./status/status-line.ts";
import { statusRow } from "./status/status-row.ts";
import { openTerminal } from "./terminal.ts";
import type { Themes } from "./themes.ts";
import { createHighlighter } from "./transcript/highlight.ts";
import type { BackgroundFacts } from "./transcript/live-rows.ts";
import { type Past, replay, textOf } from "./transcript/replay.ts";
import { createTranscript, type Transcript } from "./transcript/transcript.ts";

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
  /** Calls the listener when a fact of the place, or its commands, changes by itself, until what it returns is called. */
  readonly onPlaceChange?: (listener: () => void) => Disposer | undefined;
  /** Switches to the next permission mode. Returns what to tell the person. */
  readonly nextMode?: () => string | Promise<string>;
  /** Everything that is or was running in the background. */
  readonly background?: () => readonly BackgroundFacts[];
  /** The session's earlier content: its end is shown again. */
  readonly past?: Past;
  /** Nobody has chosen a theme yet: where the background stays unknown, the person is asked for one. */
  readonly asksForTheme?: boolean;
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
  const { input, output, env, desk, statusParts: parts, now = monotonicMs } = options;
  const style = createStyle(false);
  const leaving = deferred<undefined>();
  const lines = createWaitingLines();
  let closed = false;
  let run: TuiRun | undefined;
  let keys = 0;

  // The parts

  const terminal = openTerminal({
    input,
    output,
    env,
    themes: options.themes,
    theme: options.theme,
    isStill: options.reducedMotion === true,
    compose: (columns, rows) => picture(pictured, columns, rows),
    again: (columns, count) => {
      asking.fit();
      return transcript.resize(columns, count).map((line) => paint(line, painter));
    },
    isPaging: () => controls.isPaging(),
    say: (line) => say(line, "warn"),
    onResizeMeanwhile: () => controls.redrawPager(),
    onBeat: () => {
      if (transcript.isMoving()) stage.draw();
    },
    onLeave: () => controls.closePager(),
    onReturn: () => asking.appear(),
    onExit: close,
    onGone: leave,
  });
  const { stage, colours, modes } = terminal;
  const { painter } = colours;
  const highlighter = createHighlighter(terminal.repaint); // code on the screen gets its colours
  const transcript = createTranscript({
    columns: stage.columns(),
    now,
    highlight: highlighter.highlight,
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
      stage.draw();
    },
  );
  const asking = createAsking({
    painter,
    size: () => ({ columns: stage.columns(), rows: stage.rows() }),
    say: transcript.say,
    editor,
    now,
    keys: () => keys,
    allRead,
    draw: stage.draw,
    onOpen: () => {
      showState();
      terminal.notify("A question is waiting for you.");
    },
    onClose: () => showState(),
  });
  const tasks = createTasks({
    transcript,
    stage,
    lines,
    desk,
    say,
    notify: terminal.notify,
    onChange: showState,
    leaving: leaving.promise,
    list: { pick: (...list) => questions.pick(...list), write: editor.put },
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
    isBusy: () => tasks.isBusy() || run?.conductor.status().busy === true,
    isClosed: () => closed,
    leave,
    showTree: () => sendTree(asking, lines),
    showCommands: () => openCommandList({ asking, questions, editor, stage, tasks, run }),
    now,
  });
  const questions = createSessionQuestions({ asking, look, endsTask: tasks.isRunning });
  const ui = createAddonUi({
    columns: stage.columns,
    hasLinks: hasLinks(env),
    highlighter,
    say: transcript.say,
    draw: stage.change,
    ask: questions.ofFeature,
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
    frame: terminal.frame,
    asksAbout: questions.about,
    statusRow: (columns: number) => {
      const hint = controls.hint();
      if (hint !== undefined) return cut([span(hint, "warn")], columns);
      return statusRow(run, columns, { addons: ui.items(), alerts: tasks.alerts(), parts });
    },
  };

  function look(): LineLook {
    return { style, columns: stage.columns(), rows: stage.rows() - 4 };
  }

  function showState(): void {
    const isRunning = tasks.isBusy() || transcript.isMoving();
    terminal.show(asking.isOpen() ? "asking" : isRunning ? "working" : "idle");
  }

  function say(text: string, ...marks: readonly Mark[]): void {
    transcript.say(text.split("\n").map((line) => [span(line, ...marks)]));
    stage.change();
  }

  function leave(): void {
    if (asking.hasLeft()) return;
    leaving.resolve(undefined);
    asking.leave();
    lines.end();
  }

  function begin(session: TuiRun): Disposer | undefined {
    run = session;
    terminal.place(session.cwd);
    showState();
    return session.onPlaceChange?.(editor.lookAgain);
  }

  // Keys

  function onInput(each: Input): void {
    if (closed) return;
    if (each.kind === "focus") terminal.setFocus(each.isFocused);
    if (each.kind === "reply") colours.hear(each.sequence);
    if (each.kind !== "key") return;
    keys += 1;
    pressKey(each.key, { controls, asking, questions, editor, tasks });
  }

  const closeKeyboard = openKeyboard({
    input,
    decoder: options.createDecoder(),
    onInput,
    onRead: stage.draw,
    onEnd: leave,
  });
  stage.draw();

  function close(): void {
    if (closed) return;
    controls.closePager();
    // The last output stays; the live region is removed.
    stage.draw();
    closed = true;
    asking.close();
    editor.close();
    terminal.close();
    closeKeyboard();
  }

  const open = { look, ui, leave, close, stage, colours, transcript, questions, asking, tasks, say, begin };
  return tuiOf({ ...open, notices: desk.notices });
}

/** A list opens as for any typed command: the keys pressed before it choose nothing. */
function sendTree(asking: Asking, lines: WaitingLines): void {
  asking.sent();
  lines.add(typedLine("/tree"));
}

interface CommandListParts {
  readonly asking: Asking;
  readonly questions: SessionQuestions;
  readonly editor: Editor;
  readonly stage: Stage;
  readonly tasks: Tasks;
  readonly run: TuiRun | undefined;
}

/** Its code is loaded with the first list. */
function openCommandList({ asking, questions, editor, stage, tasks, run }: CommandListParts): void {
  asking.sent();
  void import("./loop/command-list.ts").then(({ showCommandList }) =>
    showCommandList({
      ...{ commands: run?.commands ?? [], pick: questions.pick },
      write: (text) => {
        editor.put(text);
        stage.draw();
      },
      send: (text) => tasks.send(typedLine(text)),
    }),
  );
}

/** The answer runs `/theme`, which keeps it. Whoever leaves the question is asked at the next start; the terminal can answer meanwhile. */
async function askForTheme({ colours, asking, tasks, stage, say }: OpenParts): Promise<void> {
  if (!(await colours.isGuessing())) return;
  const { chooseTheme } = await import("./questions/choose-theme.ts");
  const chosen = await chooseTheme(asking, colours.told).catch((error: unknown) => {
    if (!(error instanceof Aborted)) throw error;
    say(`The terminal has answered: the theme is ${colours.current()}, ${colours.why()}.`);
    return undefined;
  });
  if (chosen !== undefined) tasks.send(typedLine(`/theme ${chosen}`));
  stage.draw();
}

interface OpenParts extends Pick<Tui, "look" | "ui" | "leave" | "close"> {
  readonly stage: Stage;
  readonly colours: ChangingPainter;
  readonly transcript: Transcript;
  readonly questions: SessionQuestions;
  readonly asking: Asking;
  readonly tasks: Tasks;
  readonly say: (text: string) => void;
  /** Shows the session's facts from now on, until what it returns is called. */
  readonly begin: (session: TuiRun) => Disposer | undefined;
  /** Told after the greeting. */
  readonly notices: readonly string[];
}

/** What others see of the open console. */
function tuiOf(parts: OpenParts): Tui {
  const { look, ui, leave, close, stage, colours, transcript, questions, tasks, say } = parts;
  return {
    look,
    line: (text) => say(printable(text)),
    ask: questions.permission,
    confirm: questions.yesOrNo,
    ui,
    retell: (past) => {
      replay(transcript, past);
      stage.draw();
    },
    leave,
    close,
    themes: colours,
    run: async (session) => {
      const unfollow = parts.begin(session);
      try {
        if (session.past) replay(transcript, session.past);
        transcript.say(greetingRows([...session.greeting, ...parts.notices, ...colours.notices]));
        stage.draw();
        colours.begin(); // the first drawing does not wait for the answer
        if (session.asksForTheme) void askForTheme(parts);
        return await tasks.run(session);
      } finally {
        unfollow?.();
        await colours.heard(); // otherwise the shell would read it as typed text
        close();
      }
    },
  };
}

function greetingRows(lines: readonly string[]): Line[] {
  const [head = "", ...rest] = lines.filter((line) => line !== "");
  return [[span(head, "bold")], ...rest.map((line) => [span(line, "dim")])];
}
