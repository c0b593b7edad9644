// A session as a person follows it: what has ended scrolls up and stays; what is in progress is below and changes.

import { type JsonValue, printable } from "indusagi/core";
import type { ConductorEvent } from "../../conductor/contract.ts";
import { hangingColumn } from "../../console/columns.ts";
import { formatDuration, formatWait } from "../../console/figures.ts";
import { printableLine } from "../../console/printable-line.ts";
import { retryCause } from "../../console/transcript-lines.ts";
import type { BackgroundView, CallView, DelegateView, SettledView, ViewState } from "../../view/contract.ts";
import { EMPTY_VIEW, viewAfter, viewBetween } from "../../view/view.ts";
import { cut, type Line, span, widthOf, wrap } from "../screen/spans.ts";
import { callHead, isAllDone, isOwnCommand, itemLines, type Running, todoLines } from "./item-lines.ts";
import { createMarkdown, type Highlighter, type MarkdownStream } from "./markdown.ts";

interface TranscriptOptions {
  readonly columns: number;
  /** A monotonic clock in milliseconds. */
  readonly now: () => number;
  readonly highlight?: Highlighter;
  /** Whether the terminal shows links; default: yes. */
  readonly hasLinks?: boolean;
  /** The key that unfolds, as named in hints; undefined if the person removed all its keys. */
  readonly foldKey: string | undefined;
  /** Called only while something is running in the background. */
  readonly background?: () => readonly BackgroundFacts[];
}

/** What the background delegate or session with this id is doing. The texts are untrusted. */
export interface BackgroundFacts extends Pick<BackgroundView, "id"> {
  readonly objective: string;
  readonly ageMs: number;
  /** Its current call; absent while it waits for its model. */
  readonly doing?: string | undefined;
}

/** The call that a question is about: its id, empty for the person's own command, and the delegate that makes it. */
export interface AskedAbout {
  readonly id: string;
  readonly delegate?: string | undefined;
}

export interface Transcript {
  readonly show: (event: ConductorEvent) => void;
  /** Lines by the host: a greeting, output of a command. */
  readonly say: (lines: readonly Line[]) => void;
  /** What the person sent. */
  readonly sent: (text: string, note?: string) => void;
  /** The person's own command has started, with or without a task; `name` is the sign typed before it. */
  readonly command: (
    name: string,
    line: string,
  ) => {
    readonly progress: (tail: string) => void;
    readonly end: (state: CallView["state"], output: string) => void;
  };
  /** The rows settled since the last call. */
  readonly takeSettled: () => readonly Line[];
  /** What is in progress; `frame` is the animation frame, `asking` what the open question is about, if it is about a call. */
  readonly live: (frame: number, asking?: { readonly about: AskedAbout | undefined }) => readonly Line[];
  /** Whether something is moving: a call, a wait, a delegate in the background. */
  readonly isMoving: () => boolean;
  /** Lays everything out again. Returns the last `count` settled rows, and all that were never taken. */
  readonly resize: (columns: number, count: number) => readonly Line[];
  /**
   * Unfolds or refolds a foldable block visible in the last `count` rows: the chosen one, or else the last. False if there is
   * none. {@link Transcript.resize} then lays it out.
   */
  readonly toggleFold: (count: number) => boolean;
  /** Moves the choice `by` one block; without `by` nothing is chosen. False if there is no other. */
  readonly chooseFold: (count: number, by?: 1 | -1) => boolean;
  /** Everything, with nothing folded. */
  readonly unfolded: (columns: number) => readonly Line[];
  /** A `/command` is running, outside of a task. */
  readonly beginCommand: (name: string) => void;
  readonly endCommand: () => void;
  readonly beginSubmit: () => void;
  /** Ends what a submit left open. */
  readonly endSubmit: () => Pick<ViewState, "totals" | "fault">;
  readonly view: () => ViewState;
}

type Block =
  | { readonly kind: "said"; readonly lines: readonly Line[] }
  | { readonly kind: "person"; readonly text: string; readonly note?: string | undefined }
  | { readonly kind: "answer"; readonly text: string }
  | { readonly kind: "thought"; readonly text: string; readonly ms: number }
  | { readonly kind: "item"; readonly item: Exclude<SettledView, { kind: "answer" }> };

/** How much is kept to be shown again: in blocks, and in their characters. */
const MAX_BLOCKS = 3_000;
const MAX_KEPT = 8_000_000;

const WAITS = {
  summary: "summarising the conversation so far",
  connecting: "connecting",
  model: "waiting for the first token",
} as const;

/** Fewer columns than this have no room for who a delegate is, next to what it does. */
const NARROW = 60;

const SPINNER = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

export function createTranscript({
  now,
  highlight,
  hasLinks = true,
  foldKey,
  background = () => [],
  ...options
}: TranscriptOptions): Transcript {
  let { columns } = options;
  let view = EMPTY_VIEW;
  let settled: Line[] = [];
  const blocks: Block[] = [];
  let kept = 0;
  /** The first block whose rows have not all been taken. */
  let untaken = 0;
  let lastKind: string | undefined;
  let answer: MarkdownStream | undefined;
  /** The checklist as the model last set it. */
  let checklist: JsonValue | undefined;
  let isChecklistNew = false;
  let thinkingSince: number | undefined;
  let begunMs: number | undefined;
  let waitsSince = now();
  const startedMs = new Map<string, number>();
  /** The person's own running commands, by id. */
  const own = new Map<string, CallView>();
  let commands = 0;
  let command: { readonly name: string; readonly sinceMs: number } | undefined;
  /** The blocks that the person has unfolded, and the one chosen for folding. */
  const open = new WeakSet<Block>();
  let chosen: Block | undefined;
  /** How many rows the screen must grow so that nothing visible before an unfolding is lost. */
  let grownBy = 0;

  function add(block: Block): void {
    settled.push(...spaced(block, lastKind, columns, false));
    lastKind = kindOf(block);
    keep(block);
  }

  function keep(block: Block): void {
    blocks.push(block);
    kept += sizeOf(block);
    let left = 0;
    while (blocks.length - left > MAX_BLOCKS || (kept > MAX_KEPT && left < blocks.length - 1))
      kept -= sizeOf(blocks[left++] as Block);
    blocks.splice(0, left);
    untaken = Math.max(0, untaken - left);
  }

  function spaced(block: Block, before: string | undefined, width: number, unfolded: boolean): Line[] {
    const laid = blockLines(block, width, unfolded || open.has(block));
    const lines = block === chosen && !unfolded ? marked(laid) : laid;
    const isApart = before !== undefined && (kindOf(block) !== before || block.kind === "person");
    return lines.length > 0 && isApart ? [[], ...lines] : lines;
  }

  function blockLines(block: Block, width: number, unfolded: boolean): Line[] {
    switch (block.kind) {
      case "said":
        return block.lines.flatMap((line) => wrap(line, width, { rest: hangingOf(line, width) }));
      case "person":
        return personLines(block.text, width, block.note);
      case "thought":
        return thoughtLines(block, width, unfolded);
      case "answer": {
        const stream = createMarkdown(width, highlight, hasLinks);
        return [...stream.write(block.text), ...stream.end()];
      }
      case "item":
        return itemLines(block.item, { columns: width, unfolded, foldKey });
    }
  }

  /** Blocks with a shorter and a longer form that begin in the last `count` rows; the last one wherever it begins. */
  function foldable(count: number): readonly Block[] {
    const found: Block[] = [];
    let rows = 0;
    for (let i = blocks.length - 1; i >= 0 && rows < count; i--) {
      const block = blocks[i] as Block;
      const folded = blockLines(block, columns, false).length;
      const canFold = block.kind === "item" || block.kind === "thought";
      const unfolded = canFold ? blockLines(block, columns, true).length : folded;
      rows += open.has(block) ? unfolded : folded;
      if (folded !== unfolded && (rows <= count || found.length === 0)) found.unshift(block);
    }
    return found;
  }

  function grow(text: string): void {
    if (!answer) {
      endThinking();
      answer = createMarkdown(columns, highlight, hasLinks);
      if (lastKind !== undefined && lastKind !== "answer") settled.push([]);
      lastKind = "answer";
    }
    growOn(answer.write(text));
  }

  /** An empty line separates what was printed in the meantime from the rest of the answer below it. */
  function growOn(rows: readonly Line[]): void {
    if (rows.length > 0 && lastKind !== "answer") {
      if (rows[0]?.length !== 0) settled.push([]);
      lastKind = "answer";
    }
    settled.push(...rows);
  }

  function endAnswer(text: string): void {
    if (!answer) return;
    growOn(answer.end());
    answer = undefined;
    keep({ kind: "answer", text });
  }

  function endThinking(): void {
    const text = view.answer?.thinking ?? "";
    if (thinkingSince === undefined || text === "") return;
    add({ kind: "thought", text, ms: now() - thinkingSince });
    thinkingSince = undefined;
  }

  function settle(item: SettledView, textBefore: string): void {
    if (item.kind === "answer") {
      endAnswer(item.text);
      return;
    }
    if (item.kind === "retry") endAnswer(textBefore);
    if (item.kind === "call") {
      startedMs.delete(item.callId);
      if (item.name === "todo_set" && item.state === "ok") {
        checklist = item.input;
        isChecklistNew = true;
      }
    }
    add({ kind: "item", item });
  }

  function running(id: string, frame: number): Running {
    return { mark: spinner(frame), time: seconds(now() - (startedMs.get(id) ?? now())) };
  }

  /** The rows of calls; a call's seconds count from when its tool started. */
  function liveCalls(
    calls: readonly CallView[],
    {
      frame,
      lead,
      asking,
      session,
    }: {
      readonly frame: number;
      readonly lead: Line;
      readonly asking?: string | undefined;
      /** The delegate's. */
      readonly session?: string;
    },
  ): Line[] {
    const inner = columns - widthOf(lead);
    const asked = calls.find(
      (call) => !call.hasBegun && (isOwnCommand(call) ? asking === "" : call.callId === asking),
    );
    // A delegate's call is not known to wait for anything except the person.
    const how = (call: CallView): Running => {
      if (call === asked) return { mark: "?", time: "asking" };
      return call.hasBegun || session !== undefined
        ? running(session === undefined ? call.callId : `${session}/${call.callId}`, frame)
        : { mark: spinner(frame), time: "waiting" };
    };
    return calls.flatMap((call) => [
      [...lead, ...callHead(call, inner, how(call))],
      ...lastLines(call.tail ?? "").map((line) => cut([...lead, span("  "), span(line, "dim")], columns)),
    ]);
  }

  /** A delegate's objective and what it waits for, and its calls below. */
  function delegateRows(delegate: DelegateView, frame: number, asking: AskedAbout | undefined): Line[] {
    const asked = asking?.delegate === delegate.agent ? asking.id : undefined;
    const isAsking = asked !== undefined && delegate.calls.some(({ callId }) => callId === asked);
    const time = seconds(now() - (startedMs.get(delegate.sessionId) ?? now()));
    const wait = delegate.calls.length === 0 ? `waiting for its model  ${time}` : time;
    const tail = `  ${isAsking ? "asking" : wait}`;
    const first: Line = [
      span(`  ${isAsking ? "?" : spinner(frame)} ${printableLine(delegate.agent, 40)}`, "accent"),
    ];
    const room = columns - widthOf(first) - widthOf([span(tail)]) - 1;
    const objective = room < 8 ? "" : ` ${printableLine(delegate.objective.trim(), room)}`;
    const head = cut([...first, span(objective), span(tail, "dim")], columns);
    return [
      head,
      ...liveCalls(delegate.calls, {
        frame,
        lead: [span("    ")],
        asking: asked,
        session: delegate.sessionId,
      }),
    ];
  }

  /** What each one is doing; its objective only if there is room. */
  function backgroundRows(frame: number): Line[] {
    if (view.background.length === 0) return [];
    const facts = new Map(background().map((one) => [one.id, one]));
    return view.background.map(({ id, agent }) => {
      const { objective = "", ageMs = 0, doing = "waiting for its model" } = facts.get(id) ?? {};
      const name = printableLine(columns < NARROW ? id : `${id} (${agent})`, 40);
      const first: Line = [span(`  ${spinner(frame)} ${name}`, "accent")];
      const time = seconds(ageMs);
      const free = columns - widthOf(first) - time.length - 4;
      const at = printableLine(doing, Math.max(8, free < 40 ? free : free >> 1));
      const tail = span(`  ${at}  ${time}`, "dim");
      const room = columns - widthOf(first) - widthOf([tail]) - 1;
      return cut(
        [...first, span(room < 8 ? "" : ` ${printableLine(objective.trim(), room)}`), tail],
        columns,
      );
    });
  }

  function thinkingTail(): Line[] {
    const { thinking = "", text = "" } = view.answer ?? {};
    if (thinking === "" || text !== "") return [];
    const last = thinking.slice(-2_000).trimEnd().split("\n").at(-1) ?? "";
    const time = seconds(now() - (thinkingSince ?? now()));
    return [cut([span(`∴ thinking ${time}  `, "dim"), span(last, "dim", "italic")], columns)];
  }

  /** A command that ends at once does not get a row. */
  function commandLine(frame: number): Line[] {
    if (!command || now() - command.sinceMs < 1000) return [];
    const doing = `running /${printableLine(command.name, 40)}  ${seconds(now() - command.sinceMs)}`;
    return [cut([span(`${spinner(frame)} `, "accent"), span(doing, "dim")], columns)];
  }

  function waitLine(frame: number): Line[] {
    const { waits } = view;
    if (view.calls.length > 0 || (!waits && begunMs === undefined)) return [];
    const mark = span(`${spinner(frame)} `, "accent");
    if (!waits) {
      const doing = view.answer?.text ? "answering" : "working";
      return [cut([mark, span(`${doing}  ${seconds(now() - (begunMs ?? now()))}`, "dim")], columns)];
    }
    const gone = seconds(now() - waitsSince);
    if (waits.kind === "retry") {
      const left = Math.max(0, waits.retry.waitMs - (now() - waitsSince));
      const next = left > 0 ? `in ${formatWait(left)}` : `now  ${gone}`;
      const { attempt, of } = waits.retry;
      const text = `${retryCause(waits.retry)}: retry ${attempt}${of === undefined ? "" : ` of ${of}`} ${next}`;
      return [cut([mark, span(text, "warn")], columns)];
    }
    const text = `${waits.kind === "writing" ? `writing ${printableLine(waits.tool, 40)}` : WAITS[waits.kind]}  ${gone}`;
    return [cut([mark, span(text, "dim")], columns)];
  }

  return {
    show: (event) => {
      const before = view;
      const thinkingBefore = before.answer?.thinking ?? "";
      // Counted from its first progress event, which comes when the tool starts.
      if (event.kind === "tool_progress" && !startedMs.has(event.callId)) startedMs.set(event.callId, now());
      if (event.kind === "delegate" && event.event.kind === "tool_start")
        startedMs.set(`${event.sessionId}/${event.event.callId}`, now()); // ids of calls are a session's own
      if (event.kind === "delegate" && event.event.kind === "delegate_start")
        startedMs.set(event.sessionId, now());
      const next = viewAfter(view, event);
      // The time from the request to the first token is one wait.
      const hasConnected = before.waits?.kind === "connecting" && next.waits?.kind === "model";
      if (next.waits !== before.waits && !hasConnected) waitsSince = now();
      view = next;
      if (thinkingBefore === "" && view.answer?.thinking) thinkingSince = now();
      if (view.grown !== "") grow(view.grown);
      if (view.settled.length > 0 && thinkingSince !== undefined) {
        const text = before.answer?.thinking ?? "";
        if (text !== "") add({ kind: "thought", text, ms: now() - thinkingSince });
        thinkingSince = undefined;
      }
      for (const item of view.settled) settle(item, before.answer?.text ?? "");
    },
    say: (lines) => add({ kind: "said", lines }),
    sent: (text, note) => add({ kind: "person", text, note }),
    command: (name, line) => {
      const callId = `own-${++commands}`;
      const call: CallView = { kind: "call", callId, name, title: line, state: "running" };
      own.set(callId, call);
      return {
        progress: (tail) => {
          if (!startedMs.has(callId)) startedMs.set(callId, now());
          own.set(callId, { ...call, hasBegun: true, tail });
        },
        end: (state, output) => {
          const begun = startedMs.get(callId);
          own.delete(callId);
          startedMs.delete(callId);
          const time = begun === undefined ? {} : { durationMs: now() - begun };
          add({ kind: "item", item: { ...call, state, output, ...time } });
        },
      };
    },
    takeSettled: () => {
      const rows = settled;
      settled = [];
      untaken = blocks.length;
      return rows;
    },
    live: (frame, asking) => {
      const rows: Line[] = [
        ...(answer?.tail() ?? []),
        ...thinkingTail(),
        ...liveCalls([...view.calls, ...own.values()], {
          ...{ frame, lead: [] },
          asking: asking?.about?.delegate === undefined ? asking?.about?.id : undefined,
        }),
        ...view.delegates.flatMap((delegate) => delegateRows(delegate, frame, asking?.about)),
        ...backgroundRows(frame),
        ...(command ? (asking ? [] : commandLine(frame)) : waitLine(frame)),
      ];
      if (rows.length > 0 && lastKind !== "answer" && !answer) rows.unshift([]);
      const todos = begunMs === undefined || isAllDone(checklist) ? [] : todoLines(checklist, columns);
      return todos.length > 0 ? [...rows, [], ...todos] : rows;
    },
    isMoving: () =>
      begunMs !== undefined || command !== undefined || own.size > 0 || view.background.length > 0,
    resize: (width, count) => {
      columns = width;
      // For an answer in progress it is unknown which of the new rows correspond to rows already taken.
      let must = 0;
      let rows: Line[] = [];
      if (answer && view.answer) {
        answer = createMarkdown(columns, highlight, hasLinks);
        rows = answer.write(view.answer.text);
        if (settled.length > 0) must = rows.length;
      }
      settled = [];
      const wanted = count + grownBy;
      for (let i = blocks.length - 1; i >= 0 && (rows.length < wanted || i >= untaken); i--) {
        const before = blocks[i - 1];
        rows = [...spaced(blocks[i] as Block, before && kindOf(before), columns, false), ...rows];
        if (i >= untaken) must = rows.length;
      }
      grownBy = 0;
      untaken = blocks.length;
      return rows.slice(Math.max(0, rows.length - Math.max(wanted, must)));
    },
    toggleFold: (count) => {
      const can = foldable(count);
      const block = chosen && can.includes(chosen) ? chosen : can.at(-1);
      if (block === undefined) return false;
      chosen = block;
      if (open.delete(block)) return true;
      open.add(block);
      grownBy = blockLines(block, columns, true).length - blockLines(block, columns, false).length;
      return true;
    },
    chooseFold: (count, by) => {
      if (by === undefined) {
        chosen = undefined;
        return true;
      }
      const can = foldable(count);
      const next = chosen && can[can.indexOf(chosen) + by];
      if (next) chosen = next;
      return next !== undefined;
    },
    unfolded: (width) => {
      const rows = blocks.flatMap((block, i) => {
        const before = blocks[i - 1];
        return spaced(block, before && kindOf(before), width, true);
      });
      if (!view.answer || !answer) return rows;
      const open = createMarkdown(width, highlight, hasLinks);
      return [...rows, [], ...open.write(view.answer.text), ...open.end()];
    },
    beginCommand: (name) => {
      command = { name, sinceMs: now() };
    },
    endCommand: () => {
      command = undefined;
      const { waits: _, ...rest } = view; // left by a model call that the command made
      view = rest;
    },
    beginSubmit: () => {
      begunMs = now();
    },
    endSubmit: () => {
      const { totals, fault } = view;
      endThinking();
      endAnswer(view.answer?.text ?? "");
      const todos = isChecklistNew ? todoLines(checklist, columns) : [];
      if (todos.length > 0) add({ kind: "said", lines: todos });
      isChecklistNew = false;
      view = viewBetween(view);
      begunMs = undefined;
      for (const id of startedMs.keys()) if (!own.has(id)) startedMs.delete(id);
      return { totals, fault };
    },
    view: () => view,
  };
}

/** The chosen block begins with another sign, visible without colours too. */
function marked([head = [], ...lines]: Line[]): Line[] {
  const [first, ...rest] = head;
  if (first === undefined) return lines;
  return [[span("▸", "accent"), { ...first, text: first.text.slice(1) }, ...rest], ...lines];
}

function kindOf(block: Block): string {
  return block.kind === "item" ? block.item.kind : block.kind;
}

function sizeOf(block: Block): number {
  if (block.kind === "said") return block.lines.length * 80;
  if (block.kind === "item") {
    const { item } = block;
    return item.kind === "call" ? (item.output?.length ?? 0) + (item.diff?.length ?? 0) + 200 : 200;
  }
  return block.text.length + 100;
}

/** The mark before a line by others precedes each of its rows, however narrow the window becomes. */
function gutterOf([first]: Line): Line {
  if (first === undefined || !/^(?:▌ | {2}.{1,12}│ ?)$/.test(first.text)) return [];
  return [{ ...first, text: first.text.replace(/[^│▌]/g, " ") }];
}

function hangingOf(line: Line, columns: number): Line {
  const gutter = gutterOf(line);
  if (gutter.length > 0) return gutter;
  const column = hangingColumn(line.map(({ text }) => text).join(""), columns);
  return column === 0 ? [] : [span(" ".repeat(column))];
}

const LIVE_LINES = 5;

// Of a line redrawn repeatedly, such as a progress bar, the last state is shown.
function lastLines(tail: string): readonly string[] {
  const lines = tail.trimEnd().split("\n").slice(-LIVE_LINES);
  return lines
    .map((line) => line.slice(line.trimEnd().lastIndexOf("\r") + 1))
    .filter((line) => line.trim() !== "");
}

function spinner(frame: number): string {
  return SPINNER[frame % SPINNER.length] ?? "…";
}

function seconds(ms: number): string {
  const whole = Math.max(0, Math.floor(ms / 1000));
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

const MAX_PERSON_LINES = 200;

function personLines(text: string, columns: number, note: string | undefined): Line[] {
  const lines = printable(text).trimEnd().split("\n");
  const shown = lines.slice(0, MAX_PERSON_LINES);
  const rows = shown.flatMap((line, i) =>
    wrap([span(line, "person")], columns, {
      first: [span(i === 0 ? "› " : "  ", "accent")],
      rest: [span("  ")],
    }),
  );
  if (lines.length > shown.length) rows.push([span(`  … ${lines.length - shown.length} more lines`, "dim")]);
  if (note !== undefined) rows.push([span(`  ${note}`, "dim")]);
  return rows;
}

function thoughtLines(
  { text, ms }: Extract<Block, { kind: "thought" }>,
  columns: number,
  unfolded: boolean,
): Line[] {
  const head: Line = [span(`∴ thought for ${formatDuration(ms)}`, "dim")];
  if (!unfolded) return [head];
  const bar: Line = [span("  ")];
  const body = printable(text).trimEnd().split("\n");
  return [
    head,
    ...body.flatMap((line) => wrap([span(line, "dim", "italic")], columns, { first: bar, rest: bar })),
  ];
}
