// The rich console: one loop over keys, events of the session and the clock, drawn below a transcript that scrolls away.

import { Aborted, describeError, monotonicMs, printable } from "indusagi/core";
import type { Conductor, ConductorEvent, SubmitEnd, UserContent } from "../conductor/contract.ts";
import { plural } from "../console/figures.ts";
import { findCommand } from "../console/find-command.ts";
import { type ParsedLine, parseLine } from "../console/parse-line.ts";
import type { PlainConsoleOptions } from "../console/plain-console.ts";
import { printableLine } from "../console/printable-line.ts";
import { questionLines } from "../console/question-lines.ts";
import { runShellLine } from "../console/shell-line.ts";
import { createStyle } from "../console/style.ts";
import type { LineLook } from "../console/transcript-lines.ts";
import { costLine, endLine } from "../console/transcript-lines.ts";
import type {
  InstalledCommand,
  PermissionAnswer,
  PermissionAsker,
  PermissionQuestion,
} from "../feature/contract.ts";
import {
  type Editor,
  ESCAPE_MS,
  type Input,
  type Key,
  type KeyDecoder,
  type ScreenAction,
  type Submission,
} from "./contract.ts";
import type { Desk } from "./desk.ts";
import { createQuestion, type OpenQuestion } from "./questions/question.ts";
import { changeLines } from "./questions/what-it-changes.ts";
import { type TerminalInput, takeTerminal } from "./screen/modes.ts";
import { openPager, type Pager } from "./screen/pager.ts";
import { cut, type Line, paint, span, wrap } from "./screen/spans.ts";
import { createStage, type Output } from "./screen/stage.ts";
import { colourDepth, createPainter, THEMES } from "./screen/theme.ts";
import { notifySequence, TITLE_BACK, TITLE_KEEP, titleSequence } from "./status/notify.ts";
import { type StatusFacts, statusLine } from "./status/status-line.ts";
import type { ThemeName } from "./theme-names.ts";
import { createHighlighter } from "./transcript/highlight.ts";
import { createTranscript } from "./transcript/transcript.ts";

export interface TuiOptions {
  readonly input: TerminalInput;
  readonly output: Output;
  readonly env: NodeJS.ProcessEnv;
  readonly theme?: ThemeName;
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

export interface TuiRun extends Omit<PlainConsoleOptions, "dialogue" | "now"> {
  /** What the status line shows beyond what the session itself tells. */
  readonly place?: () => Partial<StatusFacts>;
}

/** The same doors as the plain console's dialogue, so that whoever asks need not know which console there is. */
export interface Tui {
  readonly look: () => LineLook;
  readonly line: (text: string) => void;
  readonly ask: PermissionAsker;
  readonly confirm: (lines: readonly string[]) => Promise<"yes" | "no" | undefined>;
  readonly leave: () => void;
  readonly close: () => void;
  /** Runs the console until the person leaves, then closes it. Answers the exit code. */
  readonly run: (options: TuiRun) => Promise<number>;
}

const LEAVE_WINDOW_MS = 2000;
const SPIN_MS = 100;
const CALM_MS = 1000;
/** A turn that took so long is worth a word to somebody who looks elsewhere. */
const LONG_TURN_MS = 10_000;

/** Takes the terminal until `close`. */
export function openTui(options: TuiOptions): Tui {
  const { input, output, env, desk, now = monotonicMs } = options;
  const painter = createPainter(THEMES[options.theme ?? "terminal"], colourDepth(env));
  const style = createStyle(false);
  const leaving = Promise.withResolvers<undefined>();
  const queue: string[] = [];
  let left = false;
  let closed = false;
  let run: TuiRun | undefined;
  let busySince: number | undefined;
  let hint: string | undefined;
  let question: OpenQuestion | undefined;
  let questions: Promise<unknown> = Promise.resolve();
  let pager: Pager | undefined;
  let isFocused = true;
  let lastKeyMs = Number.NEGATIVE_INFINITY;
  let lastCancelMs = Number.NEGATIVE_INFINITY;
  let frame = 0;
  let ticking: NodeJS.Timeout | undefined;
  let escaping: NodeJS.Timeout | undefined;
  let quieting: NodeJS.Timeout | undefined;
  let title = "";
  let wake: (() => void) | undefined;
  const isStill = options.reducedMotion === true;

  const stage = createStage({
    output,
    compose,
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
      closePager();
      stage.pause();
    },
    onReturn: () => stage.resume(),
  });
  stage.send(TITLE_KEEP);

  // What is to be seen

  function compose(
    columns: number,
    rows: number,
  ): { settled: string[]; live: string[]; cursor?: { row: number; column: number } } {
    const settled = transcript.takeSettled().map((line) => paint(line, painter));
    const bottom: string[] = [];
    for (const text of queue)
      bottom.push(paint(cut([span("⏎ ", "accent"), span(printableLine(text), "dim")], columns), painter));
    if (queue.length > 0)
      bottom.push(
        paint(cut([span("  joins at the next step (Alt+Up takes it back)", "dim")], columns), painter),
      );
    let cursor: { row: number; column: number } | undefined;
    if (question) {
      bottom.push(...question.rows(columns));
      bottom.push(...question.choiceLines().map((line) => paint(cut(line, columns), painter)));
      const quietInMs = question.quietInMs();
      if (quietInMs > 0) {
        const typed = printableLine(editor.text(), 60);
        const waiting = `  what you type still goes to your line (${typed}): pause to answer`;
        bottom.push(paint(cut([span(waiting, "warn")], columns), painter));
        clearTimeout(quieting);
        quieting = setTimeout(stage.draw, quietInMs + 1);
      }
    } else {
      if (takesReason)
        bottom.push(
          paint(cut([span("why not? Enter sends it; Esc says no more", "warn")], columns), painter),
        );
      bottom.push(""); // a rule would be drawn again with each row that comes
      const written = editor.render(columns);
      if (written.cursor) cursor = { row: bottom.length + written.cursor.row, column: written.cursor.column };
      bottom.push(...written.rows);
    }
    bottom.push(paint(statusRow(columns), painter));
    const room = rows - 1 - bottom.length;
    const above = transcript.live(isStill ? 0 : frame).map((line) => paint(cut(line, columns), painter));
    const shown = room <= 0 ? [] : above.slice(-room);
    const cutOff = room < 0 ? -room : 0;
    const live = [...shown, ...bottom.slice(cutOff)];
    const at = cursor && {
      row: cursor.row - cutOff + shown.length,
      column: Math.min(cursor.column, columns - 1),
    };
    return { settled, live, ...(at && at.row >= 0 ? { cursor: at } : {}) };
  }

  function statusRow(columns: number): Line {
    if (hint !== undefined) return cut([span(hint, "warn")], columns);
    if (!run) return cut([span("starting…", "dim")], columns);
    const { model, params, contextTokens, usage, costs } = run.conductor.status();
    const { thinking } = params;
    return statusLine(
      {
        model,
        ...(thinking === undefined ? {} : { thinking }),
        contextTokens,
        tokens: usage.inputTokens + usage.outputTokens + usage.cacheReadTokens + usage.cacheWriteTokens,
        dollars: costs.reduce((sum, { dollars }) => sum + dollars, 0),
        isUnpriced: costs.some(({ unpriced }) => unpriced > 0),
        jobs: 0,
        quarantined: 0,
        ...run.place?.(),
      },
      columns,
    );
  }

  function tick(): void {
    const moves = busySince !== undefined && !question;
    if (moves && !ticking) {
      ticking = setInterval(
        () => {
          frame += 1;
          if (transcript.isMoving()) stage.draw();
        },
        isStill ? CALM_MS : SPIN_MS,
      );
    } else if (!moves && ticking) {
      clearInterval(ticking);
      ticking = undefined;
    }
  }

  function setTitle(state: string): void {
    const next = `${state}indus${run ? ` · ${run.cwd.split("/").at(-1) ?? ""}` : ""}`;
    if (next === title) return;
    title = next;
    stage.send(titleSequence(next));
  }

  function notify(text: string): void {
    if (!isFocused) stage.send(notifySequence(text, env));
  }

  function say(
    text: string,
    ...marks: Parameters<typeof span> extends [string, ...infer M] ? M : never
  ): void {
    transcript.say(text.split("\n").map((line) => [span(line, ...marks)]));
    stage.change();
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
    if (!closed && !pager) stage.draw();
  }

  function onInput(each: Input): void {
    if (closed) return;
    if (each.kind === "focus") isFocused = each.isFocused;
    if (each.kind === "key") onKey(each.key);
  }

  function onKey(key: Key): void {
    hint = undefined;
    if (pager) {
      if (pager.press(key)) {
        closePager();
        stage.redraw();
      }
      return;
    }
    if (question?.press(key)) {
      lastKeyMs = now();
      return;
    }
    lastKeyMs = now();
    for (const event of editor.press(key)) {
      if (event.kind === "submit") send(event.submission);
      else act(event.action);
    }
  }

  function act(action: ScreenAction): void {
    switch (action) {
      case "interrupt":
        if (takesReason) takesReason("");
        else if (busySince !== undefined) interrupt();
        break;
      case "cancel":
        cancel();
        break;
      case "leave":
        if (busySince === undefined) leave();
        else hint = "Esc interrupts the task; then leave";
        break;
      case "suspend":
        modes.suspend();
        break;
      case "redraw":
        stage.redraw();
        break;
      case "fold":
      case "pager":
        pager = openPager({
          rows: (columns) => transcript.unfolded(columns).map((line) => paint(cut(line, columns), painter)),
          size: () => ({ columns: stage.columns(), rows: stage.rows() }),
          write: stage.send,
        });
        break;
      case "queue":
        takeBack();
        break;
      case "thinking":
        nextThinking();
        break;
      case "externalEditor":
        void editElsewhere();
        break;
    }
  }

  function nextThinking(): void {
    if (!run) return;
    const { params } = run.conductor.status();
    const at = options.thinkingLevels.indexOf(params.thinking ?? "off");
    const next = options.thinkingLevels[(at + 1) % options.thinkingLevels.length] ?? "off";
    run.conductor.setThinking(next);
    hint = `thinking is now ${next}`;
  }

  function closePager(): void {
    pager?.close();
    pager = undefined;
  }

  function interrupt(): void {
    lastCancelMs = Number.NEGATIVE_INFINITY;
    run?.conductor.abort();
    takeBack();
  }

  function cancel(): void {
    if (busySince !== undefined) {
      interrupt();
      return;
    }
    if (!editor.isEmpty()) {
      editor.put("");
      lastCancelMs = Number.NEGATIVE_INFINITY;
      return;
    }
    if (now() - lastCancelMs < LEAVE_WINDOW_MS) {
      leave();
      return;
    }
    lastCancelMs = now();
    hint = "press Ctrl+C again to leave";
  }

  // Lines that wait go back to where they can be edited.
  function takeBack(): void {
    if (queue.length === 0) return;
    const waiting = queue.splice(0).join("\n");
    editor.put(editor.isEmpty() ? waiting : `${waiting}\n${editor.text()}`);
  }

  function leave(): void {
    if (left) return;
    left = true;
    leaving.resolve(undefined);
    answerNobody?.();
    wake?.();
  }

  // Lines

  const lines: Submission[] = [];

  function send(submission: Submission): void {
    if (takesReason) {
      takesReason(submission.text);
      return;
    }
    if (!run || busySince === undefined) {
      lines.push(submission);
      wake?.();
      return;
    }
    const parsed = parseLine(submission.text);
    if (parsed.kind === "command") void runCommand(parsed);
    else if (parsed.kind === "shell") void runShell(parsed);
    else if (submission.images.length > 0) void steerWithImages(submission);
    else if (parsed.kind === "text") queue.push(parsed.text);
  }

  async function steerWithImages(submission: Submission): Promise<void> {
    const { content, problems } = await desk.contentOf(submission);
    for (const problem of problems) say(problem, "warn");
    run?.conductor.steer(content);
  }

  /** What the model is to hear of the person's own commands, with the next thing that it is told. */
  const heard: string[] = [];

  async function runShell(line: Extract<ParsedLine, { kind: "shell" }>): Promise<void> {
    if (!run) return;
    const end = await runShellLine(line, run.handles.exec);
    say(printable(end.shown));
    if (end.heard === undefined) return;
    if (run.conductor.status().busy) run.conductor.steer([{ kind: "text", text: end.heard }]);
    else heard.push(end.heard);
  }

  async function editElsewhere(): Promise<void> {
    const before = editor.text();
    input.pause();
    try {
      const text = await modes.lend(() => desk.editElsewhere(before));
      editor.put(text);
    } catch (error) {
      hint = printableLine(describeError(error));
    } finally {
      if (!closed) input.resume();
    }
    if (!closed) stage.draw();
  }

  /** The session takes in what waits at the end of a call or of an answer: that is when it is handed over. */
  function onEvent(event: ConductorEvent): void {
    transcript.show(event);
    const takesLines =
      event.kind === "tool_end" || (event.kind === "entry" && event.entry.type === "assistant");
    if (takesLines && queue.length > 0)
      for (const text of queue.splice(0)) run?.conductor.steer([{ kind: "text", text }]);
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
    busySince = begunMs;
    const content = [...heard.splice(0).map((text) => ({ kind: "text", text }) as const), ...told];
    transcript.sent(shown);
    transcript.beginSubmit();
    setTitle("● ");
    tick();
    stage.draw();
    const end = await Promise.race([conductor.submit({ content }), leaving.promise]);
    busySince = undefined;
    tick();
    const { totals, fault } = transcript.endSubmit();
    setTitle("");
    if (!end) return 0;
    const look: LineLook = { style, columns: stage.columns() };
    const said =
      end.kind === "faulted" && end.fault.message === fault?.message ? undefined : endLine(end, look);
    if (said !== undefined) say(said, end.kind === "faulted" ? "bad" : "warn");
    if (totals.turns > 0) say(costLine(totals, now() - begunMs, look), "dim");
    if (now() - begunMs > LONG_TURN_MS)
      notify(end.kind === "complete" ? "The task is done." : "The task ended.");
    stage.draw();
    return EXIT_CODES[end.kind];
  }

  let spoken: UserContent | undefined;

  // The fence around commands: features wrote them. Never rejects.
  async function runCommand({ name, args }: Extract<ParsedLine, { kind: "command" }>): Promise<void> {
    if (!run) return;
    const { conductor, handles, cwd } = run;
    const command = findCommand(run.commands, name);
    if (typeof command === "string") {
      say(command);
      return;
    }
    try {
      const words: string[] = [];
      const sendMessage = (text: string): void =>
        void (conductor.status().busy ? handles.sendMessage?.(text) : words.push(text));
      await command.run({
        args,
        cwd,
        say: (text) => say(printable(text).trimEnd()),
        handles: { ...handles, sendMessage },
      });
      if (words.length > 0) spoken = [{ kind: "text", text: words.join("\n") }];
    } catch (error) {
      const message = `/${command.name} of ${command.feature} failed: ${describeError(error)}`;
      const fault = { kind: "command", owner: command.feature, message, cause: error } as const;
      conductor.announce({ kind: "fault", fault });
    }
  }

  async function nextLine(): Promise<Submission | undefined> {
    for (;;) {
      if (left) return undefined;
      const waiting = queue.shift();
      if (waiting !== undefined) return { text: waiting, shown: waiting, images: [] };
      const line = lines.shift();
      if (line !== undefined) return line;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
      wake = undefined;
    }
  }

  // Questions

  let answerNobody: (() => void) | undefined;
  let takesReason: ((reason: string) => void) | undefined;

  function inTurn<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    const answer = questions.then(ask);
    questions = answer.catch(() => undefined);
    return answer;
  }

  function put<Answer>(
    rows: readonly Line[],
    choices: readonly { readonly key: string; readonly label: string; readonly answer: Answer }[],
    signal: AbortSignal | undefined,
  ): Promise<Answer | undefined> {
    if (signal?.aborted) return Promise.reject(new Aborted());
    return new Promise((resolve, reject) => {
      const reserved = choices.length + 4;
      // What does not fit below is put where it can be scrolled to.
      const isTall = rows.flatMap((row) => wrap(row, stage.columns())).length + reserved > stage.rows();
      if (isTall) transcript.say(rows);
      const done = (): void => {
        question = undefined;
        answerNobody = undefined;
        signal?.removeEventListener("abort", onAbort);
        tick();
        setTitle(busySince === undefined ? "" : "● ");
        if (!closed) stage.draw();
      };
      const settle = (answer: Answer | undefined, said: string): void => {
        if (!isTall) transcript.say(rows);
        transcript.say([[span("  → ", "accent"), span(said)]]);
        done();
        resolve(answer);
      };
      const onAbort = (): void => {
        done();
        reject(new Aborted());
      };
      signal?.addEventListener("abort", onAbort, { once: true });
      answerNobody = () => settle(undefined, "not answered");
      question = createQuestion<{ readonly answer: Answer; readonly label: string }>({
        rows: (columns) =>
          isTall
            ? [
                paint(
                  cut([span(`  the question stands above (${plural(rows.length, "row")})`, "warn")], columns),
                  painter,
                ),
              ]
            : [
                "",
                ...rows
                  .flatMap((row) => wrap(row, columns, { rest: [span("        │ ", "dim")] }))
                  .map((row) => paint(row, painter)),
              ],
        choices: choices.map(({ key, label, answer }) => ({ key, label, answer: { answer, label } })),
        onAnswer: ({ answer, label }) => settle(answer, label),
        onLeave: () => settle(undefined, "not answered"),
        now,
        lastKeyMs,
      });
      tick();
      setTitle("? ");
      notify("A question waits for you.");
      stage.draw();
    });
  }

  async function askNow(asked: PermissionQuestion, signal: AbortSignal): Promise<PermissionAnswer> {
    const lines = questionLines(asked, look());
    const rule = printableLine(asked.sessionRule, 60);
    const change = changeLines(transcript.view().calls, asked.tool, stage.columns());
    const answer = await put<"once" | "session" | "no" | "reason">(
      [...lines.slice(0, -1).map(questionRow), ...change],
      [
        { key: "y", label: "yes, once", answer: "once" },
        { key: "s", label: `yes, for this session: ${rule}`, answer: "session" },
        { key: "n", label: "no", answer: "no" },
        { key: "r", label: "no, and say why", answer: "reason" },
      ],
      signal,
    );
    if (answer === "reason") return readReason(signal);
    if (answer === undefined)
      return { kind: "no", reason: left ? "the input ended" : "the question was left open" };
    return { kind: answer };
  }

  // The next line that is sent is the reason; what was written before comes back after it.
  function readReason(signal: AbortSignal): Promise<PermissionAnswer> {
    const written = editor.text();
    editor.put("");
    return new Promise((resolve, reject) => {
      const done = (): void => {
        takesReason = undefined;
        answerNobody = undefined;
        signal.removeEventListener("abort", onAbort);
        editor.put(written);
        stage.draw();
      };
      const onAbort = (): void => {
        done();
        reject(new Aborted());
      };
      signal.addEventListener("abort", onAbort, { once: true });
      takesReason = (reason) => {
        done();
        transcript.say([[span("    ", "dim"), span(printableLine(reason))]]);
        resolve(reason.trim() === "" ? { kind: "no" } : { kind: "no", reason: reason.trim() });
      };
      answerNobody = () => takesReason?.("");
      stage.draw();
    });
  }

  async function confirmNow(asked: readonly string[]): Promise<"yes" | "no" | undefined> {
    if (left) return undefined;
    const last = asked.at(-1) ?? "";
    const labels = /^ {2}\[y\] (.{1,200}?) {2,9}\[n\] (.{1,200})$/.exec(last);
    const rows = (labels ? asked.slice(0, -1) : asked).map(questionRow);
    return put<"yes" | "no">(
      rows,
      [
        { key: "y", label: labels?.[1] ?? "yes", answer: "yes" },
        { key: "n", label: labels?.[2] ?? "no", answer: "no" },
      ],
      undefined,
    );
  }

  function look(): LineLook {
    return { style, columns: stage.columns(), rows: stage.rows() - 4 };
  }

  const onEnd = (): void => leave();
  input.on("data", onData);
  input.on("end", onEnd);
  input.on("error", onEnd);
  input.resume();
  stage.draw();

  function close(): void {
    if (closed) return;
    closePager();
    // What was said last stays; the region below goes.
    stage.draw();
    closed = true;
    clearInterval(ticking);
    clearTimeout(escaping);
    clearTimeout(quieting);
    editor.close();
    stage.close();
    stage.send(titleSequence("") + TITLE_BACK);
    modes.restore();
    input.off("data", onData);
    input.off("end", onEnd);
    input.pause();
  }

  return {
    look,
    line: (text) => say(printable(text)),
    ask: (asked, signal) => inTurn(() => askNow(asked, signal)),
    confirm: (asked) => inTurn(() => confirmNow(asked)),
    leave,
    close,
    run: async (options) => {
      run = options;
      const { conductor } = options;
      const unsubscribe = conductor.subscribe(onEvent);
      setTitle("");
      try {
        const [head = "", ...rest] = [...options.greeting, ...desk.notices].filter((line) => line !== "");
        transcript.say([[span(head, "bold")], ...rest.map((line) => [span(line, "dim")])]);
        stage.draw();
        if (options.firstTask) await submit(options.firstTask, options);
        for (;;) {
          const line = await nextLine();
          if (line === undefined) return 0;
          const parsed = parseLine(line.text);
          if (parsed.kind === "empty") continue;
          if (parsed.kind === "text") {
            const { content, problems } = await desk.contentOf({ ...line, text: parsed.text });
            for (const problem of problems) say(problem, "warn");
            await submit(content, options, line.shown);
          } else {
            transcript.sent(line.shown);
            busySince = now();
            await Promise.race([
              parsed.kind === "shell" ? runShell(parsed) : runCommand(parsed),
              leaving.promise,
            ]);
            busySince = undefined;
            stage.draw();
          }
          const next = spoken;
          spoken = undefined;
          if (next) await submit(next, options);
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

function textOf(content: UserContent): string {
  return content.map((block) => (block.kind === "text" ? block.text : "[image]")).join("\n");
}

const GUTTER = /^( {2}\S{0,12} {0,12}│ ?)([\s\S]*)$/;

/** A row of a question: its label is grey, what the question is about is not. */
function questionRow(row: string): Line {
  const parts = GUTTER.exec(row);
  if (parts) return [span(parts[1] ?? "", "dim"), span(parts[2] ?? "")];
  return row.startsWith("?") ? [span(row, "warn", "bold")] : [span(row)];
}
