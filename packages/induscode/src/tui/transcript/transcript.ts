// A session as a person follows it: what has ended scrolls up and stays; what is in progress is below and changes.

import type { JsonValue } from "indusagi/core";
import type { ConductorEvent } from "../../conductor/contract.ts";
import type { CallView, SettledView, ViewState } from "../../view/contract.ts";
import { EMPTY_VIEW, viewAfter, viewBetween } from "../../view/view.ts";
import type { Line } from "../screen/spans.ts";
import type { BlockLook } from "./block-lines.ts";
import { isAllDone, todoLines } from "./item-lines.ts";
import { KeptBlocks } from "./kept-blocks.ts";
import { type AskedAbout, type BackgroundFacts, liveRows } from "./live-rows.ts";
import { createMarkdown, type Highlighter } from "./markdown.ts";
import { Outflow } from "./outflow.ts";
import { Progress } from "./progress.ts";

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

/** An empty transcript. */
export function createTranscript(options: TranscriptOptions): Transcript {
  const { now, highlight, hasLinks, foldKey, background = () => [] } = options;
  const look: BlockLook = { foldKey, markdown: (columns) => createMarkdown(columns, highlight, hasLinks) };
  const kept = new KeptBlocks(look);
  const outflow = new Outflow(look, kept, options.columns);
  const progress = new Progress(now);
  let view = EMPTY_VIEW;
  /** As the model last set it, and whether it has not been printed since. */
  let checklist: { readonly input: JsonValue | undefined; readonly isNew: boolean } | undefined;
  /** The person's own running commands, by id. */
  const own = new Map<string, CallView>();
  let commands = 0;

  function endThinking(text = ""): void {
    const ms = progress.thinkingMs();
    if (ms === undefined || text === "") return;
    outflow.add({ kind: "thought", text, ms });
    progress.endThinking();
  }

  function settle(item: SettledView, textBefore: string): void {
    if (item.kind === "answer") {
      outflow.endAnswer(item.text);
      return;
    }
    if (item.kind === "delegate" && item.item.kind === "begun") return; // its live row shows it
    if (item.kind === "retry") outflow.endAnswer(textBefore);
    if (item.kind === "call") {
      progress.end(item.callId);
      if (item.name === "todo_set" && item.state === "ok") checklist = { input: item.input, isNew: true };
    }
    outflow.add({ kind: "item", item });
  }

  return {
    show: (event) => {
      const before = view;
      view = viewAfter(before, event);
      progress.heard(event, before, view);
      if (view.grown !== "") {
        if (!outflow.isAnswering) endThinking(view.answer?.thinking);
        outflow.grow(view.grown);
      }
      if (view.settled.length > 0) {
        endThinking(before.answer?.thinking);
        progress.endThinking();
      }
      for (const item of view.settled) settle(item, before.answer?.text ?? "");
    },
    say: (lines) => outflow.add({ kind: "said", lines }),
    sent: (text, note) => outflow.add({ kind: "person", text, note }),
    command: (name, line) => {
      const callId = `own-${++commands}`;
      const call: CallView = { kind: "call", callId, name, title: line, state: "running" };
      own.set(callId, call);
      return {
        progress: (tail) => {
          progress.begin(callId);
          own.set(callId, { ...call, hasBegun: true, tail });
        },
        end: (state, output) => {
          own.delete(callId);
          const durationMs = progress.end(callId);
          outflow.add({ kind: "item", item: { ...call, state, output, durationMs } });
        },
      };
    },
    takeSettled: () => outflow.take(),
    live: (frame, asking) => {
      const { columns } = outflow;
      const facts = { columns, frame, view, progress, own: own.values(), asking, background };
      const rows = [...outflow.tail(), ...liveRows(facts)];
      if (rows.length > 0 && !outflow.isInAnswer) rows.unshift([]);
      const isTask = progress.taskMs() !== undefined;
      const todos = isTask && !isAllDone(checklist?.input) ? todoLines(checklist?.input, columns) : [];
      return todos.length > 0 ? [...rows, [], ...todos] : rows;
    },
    isMoving: () =>
      progress.taskMs() !== undefined ||
      progress.command() !== undefined ||
      own.size > 0 ||
      view.background.length > 0,
    resize: (columns, count) => outflow.resize(columns, count, view.answer?.text),
    toggleFold: (count) => kept.toggle(count, outflow.columns),
    chooseFold: (count, by) => {
      if (by !== undefined) return kept.choose(count, outflow.columns, by);
      kept.chooseNone();
      return true;
    },
    unfolded: (columns) => outflow.unfolded(columns, view.answer?.text),
    beginCommand: (name) => progress.beginCommand(name),
    endCommand: () => {
      progress.endCommand();
      const { waits: _, ...rest } = view; // left by a model call that the command made
      view = rest;
    },
    beginSubmit: () => progress.beginTask(),
    endSubmit: () => {
      const { totals, fault } = view;
      endThinking(view.answer?.thinking);
      outflow.endAnswer(view.answer?.text ?? "");
      const todos = checklist?.isNew ? todoLines(checklist.input, outflow.columns) : [];
      if (todos.length > 0) outflow.add({ kind: "said", lines: todos });
      if (checklist) checklist = { ...checklist, isNew: false };
      view = viewBetween(view);
      progress.endTask((id) => own.has(id));
      return { totals, fault };
    },
    view: () => view,
  };
}
