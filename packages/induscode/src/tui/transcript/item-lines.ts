// Something that has ended, as lines: what it was, how it ended, and what it did. When folded, long content shows its beginning
// and end and how much is in between; when unfolded, all of it.

import { isTable, type JsonValue, printable } from "indusagi/core";
import { formatDuration, plural } from "../../console/figures.ts";
import { printableLine } from "../../console/printable-line.ts";
import {
  CALL_STATES,
  callName,
  DIAGNOSTIC_PAINTS,
  diagnosticText,
  endedText,
  outputLines,
  retryText,
} from "../../console/transcript-lines.ts";
import type { CallView, SettledView } from "../../view/contract.ts";
import { cut, type Line, type Span, span, widthOf, wrap } from "../screen/spans.ts";
import type { Mark } from "../screen/theme.ts";
import { diffRows } from "./diff-lines.ts";
import { foundCount } from "./found-count.ts";

interface ItemLook {
  readonly columns: number;
  /** Shows everything. */
  readonly unfolded: boolean;
  /** The key that unfolds; undefined if there is none. */
  readonly foldKey: string | undefined;
}

type ItemOf<Kind extends SettledView["kind"]> = Extract<SettledView, { kind: Kind }>;

/** The lines of an ended item; an answer is not one, as it is laid out while it streams. */
export function itemLines(item: Exclude<SettledView, { kind: "answer" }>, look: ItemLook): Line[] {
  switch (item.kind) {
    case "call":
      return callLines(item, look);
    case "delegate":
      return delegateLines(item, look);
    case "alert":
      return alertLines(item, look);
    case "diagnostic":
      return wrap([span(diagnosticText(item), DIAGNOSTIC_PAINTS[item.severity])], look.columns, HANGING);
    case "fault":
      return wrap([span(`indus: ${item.fault.message.trim()}`, "bad")], look.columns, HANGING);
    case "retry":
      return [cut([span(retryText(item), "warn")], look.columns)];
  }
}

const HANGING = { rest: [span("  ")] };

const MAX_NAME = 40;
const MAX_STATUS = 60;
const MIN_TITLE = 16;

/** `✓ bash npm test  exit code 0  1.2 s`, and below it what it did. */
function callLines(call: CallView, look: ItemLook): Line[] {
  // The list itself stands above the editor, and is printed when the task ends.
  if (call.name === "todo_set" && call.state === "ok" && !look.unfolded) return [];
  return [callHead(call, look.columns), ...callBody(call, look)];
}

/** The row of a call; while it runs, `running` replaces its mark and time. */
export function callHead(call: CallView, columns: number, running?: Running): Line {
  const { mark, word, paint } = CALL_STATES[call.state];
  const name = callName(call);
  const said = call.status === undefined ? "" : printableLine(call.status, MAX_STATUS);
  // The mark says that it failed; a status that repeats the state is not shown.
  const state = call.state === "failed" && said !== "" ? [] : [word];
  const quiet = (call.state === "ok" && said === "exit code 0") || (word !== "" && said.startsWith(word));
  const time = call.durationMs === undefined ? (running?.time ?? "") : formatDuration(call.durationMs);
  const counts = countsOf(call);
  const tail = [...state, quiet ? "" : said, counts, time].filter((part) => part !== "").join("  ");
  const first = [span(running?.mark ?? mark, running ? "accent" : paint), span(" "), span(name, "bold")];
  const room = columns - widthOf(first) - widthOf([span(tail)]) - 3;
  const about = call.name === "todo_set" ? "" : call.title.trim(); // the checklist is shown separately
  const title = printableLine(about, Math.max(MIN_TITLE, room));
  return cut(
    [...first, span(title === "" ? "" : ` ${title}`), span(tail === "" ? "" : `  ${tail}`, "dim")],
    columns,
  );
}

/** A command by the person, named after the sign typed before it. */
export const isOwnCommand = ({ name }: CallView): boolean => name.startsWith("!");

export interface Running {
  readonly mark: string;
  readonly time: string;
}

const GUTTER = "  ";
const FOLDED_DIFF_LINES = 40;
const HEAD_LINES = 3;
const TAIL_LINES = 5;
const REASON_LINES = 8;
/** The most lines laid out when everything is shown. */
const MAX_LINES = 5_000;

function callBody(call: CallView, { columns, unfolded, foldKey }: ItemLook): Line[] {
  const inner = columns - GUTTER.length;
  const indent = (lines: readonly Line[]): Line[] => lines.map((line) => [span(GUTTER), ...line]);
  if (call.state === "ok" && call.diff !== undefined) {
    const { rows, hidden } = diffRows(call.diff, inner, unfolded ? MAX_LINES : FOLDED_DIFF_LINES);
    return indent([...rows, ...(hidden > 0 ? [more(hidden, foldKey)] : [])]);
  }
  if (call.name === "todo_set" && call.state === "ok") return indent(todoLines(call.input, inner));
  const isCommand = call.name === "bash" || isOwnCommand(call);
  if (call.state === "ok" && !isCommand && !unfolded) return [];
  const lines = outputLines(call);
  if (lines.length === 0) return [];
  const marks: readonly Mark[] = call.state === "failed" && !isCommand ? ["bad"] : ["dim"];
  const [head, tail] = isCommand || call.state === "ok" ? [HEAD_LINES, TAIL_LINES] : [REASON_LINES, 1];
  if (call.reason !== undefined && call.output === undefined)
    return indent(lines.slice(0, 1).map((line) => cut([span(line, ...marks)], inner))); // of a delegate's call, this is all
  const isWhole = call.state === "refused" || call.name === "exit_plan_mode"; // a cut reason explains nothing
  return indent(folded(lines, { head, tail, unfolded, foldKey, columns: inner, marks, isWhole }));
}

/** The first and last lines, and how many are in between. */
function folded(
  lines: readonly string[],
  {
    head,
    tail,
    unfolded,
    foldKey,
    columns,
    marks,
    isWhole,
  }: ItemLook & {
    readonly head: number;
    readonly tail: number;
    readonly marks: readonly Mark[];
    /** Long lines go on in the next row. */
    readonly isWhole: boolean;
  },
): Line[] {
  // What the sandbox says is for people: its end matters.
  const rowsOf = (line: string): Line[] =>
    unfolded || isWhole || line.startsWith("sandbox: ")
      ? wrap([span(line, ...marks)], columns)
      : [cut([span(line, ...marks)], columns)];
  const most = unfolded ? MAX_LINES : head + tail + 1;
  if (lines.length <= most) return lines.flatMap(rowsOf);
  const [first, last] = unfolded ? [MAX_LINES - 100, 100] : [head, tail];
  return [
    ...lines.slice(0, first).flatMap(rowsOf),
    more(lines.length - first - last, foldKey),
    ...lines.slice(-last).flatMap(rowsOf),
  ];
}

function more(lines: number, foldKey: string | undefined): Line {
  const hint = foldKey === undefined ? "" : ` (${foldKey} unfolds)`;
  return [span(`… ${plural(lines, "more line")}${hint}`, "dim")];
}

/** What a search found or an edit changed, in a few words. */
function countsOf(call: CallView): string {
  if (call.state !== "ok") return "";
  if (call.diff !== undefined) {
    const { added, removed } = diffRows(call.diff, 80, 0);
    return `+${added} −${removed}`;
  }
  if (call.name === "todo_set") return todoCount(call.input);
  return call.output === undefined ? "" : foundCount(call.name, call.output); // a delegate's is not known to indus
}

const TODO_MARKS: Readonly<Record<string, { readonly box: string; readonly marks: readonly Mark[] }>> = {
  done: { box: "☑", marks: ["dim", "strike"] },
  active: { box: "▸", marks: ["bold"] },
  pending: { box: "☐", marks: [] },
};

function todoCount(input: JsonValue | undefined): string {
  const items: readonly JsonValue[] = isTable(input) && Array.isArray(input.items) ? input.items : [];
  const done = items.filter((item) => isTable(item) && item.status === "done").length;
  return `${done} of ${items.length} done`;
}

/** Whether nothing of it is left to do. */
export function isAllDone(input: JsonValue | undefined): boolean {
  const items = isTable(input) && Array.isArray(input.items) ? input.items : [];
  return items.every((item) => isTable(item) && item.status === "done");
}

/** The checklist given to `todo_set`. */
export function todoLines(input: JsonValue | undefined, columns: number): Line[] {
  const items = isTable(input) && Array.isArray(input.items) ? input.items : [];
  return items.flatMap((item) => {
    if (!isTable(item) || typeof item.text !== "string") return [];
    const { box, marks } = TODO_MARKS[String(item.status)] ?? { box: "☐", marks: [] };
    return [
      cut([span(`${box} `, item.status === "active" ? "accent" : "dim"), span(item.text, ...marks)], columns),
    ];
  });
}

function delegateLines({ agent, item }: ItemOf<"delegate">, look: ItemLook): Line[] {
  if (item.kind === "begun") return [];
  const name: Span = span(`  ${printableLine(agent, MAX_NAME)} `, "dim");
  if (item.kind === "ended") {
    const { mark, paint } = CALL_STATES[item.state];
    return [cut([name, span(mark, paint), span(` ${endedText(item)}`, "dim")], look.columns)];
  }
  const rows = itemLines(item, { ...look, columns: look.columns - widthOf([name]) });
  return rows.map((row, i) => (i === 0 ? [name, ...row] : [span("    "), ...row]));
}

function alertLines({ text, owner }: ItemOf<"alert">, { columns }: ItemLook): Line[] {
  const shown = owner === undefined ? printable(text).trimEnd() : printableLine(text).trimEnd();
  const lines = shown.split("\n");
  return lines.flatMap((line, i) =>
    wrap([span(line)], columns, { first: [span(i === 0 ? "! " : "  ", "warn")], rest: [span("  ")] }),
  );
}
