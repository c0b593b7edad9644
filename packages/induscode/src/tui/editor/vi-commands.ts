// vi's commands: how one is written, with its counts and operator, and what the single ones do.

import type { Action } from "../keys/actions.ts";
import { type Layout, placeOf } from "./layout.ts";
import { moveRows } from "./motions.ts";
import {
  borderBefore,
  type EditState,
  insert,
  kill,
  lineEnd,
  lineStart,
  moveTo,
  nextBorder,
  replaceRange,
  undo,
} from "./state.ts";
import { back, firstInLine, forward, lineNumbered, move, turnCase } from "./vi-motions.ts";
import { type Done, type Given, type OperatorName, operate, still } from "./vi-operators.ts";

export interface ViCommand {
  /** The keys after the counts and the operator. */
  readonly command: string;
  readonly operator: OperatorName | undefined;
  readonly times: number;
  /** Whether it has a count before everything else. */
  readonly isCounted: boolean;
}

export interface SingleGiven extends Given {
  readonly layout: () => Layout;
  /** The text last cut or copied as whole lines. */
  readonly lines: string | undefined;
}

type Single = (given: SingleGiven) => Done | { readonly action: Action } | undefined;

// Count, operator, count, command: `3d2w`. The command may be incomplete.
const COMMAND = /^([1-9]\d{0,3})?(?:([dcy])([1-9]\d{0,3})?)?([\s\S]{0,8})$/;
const CHANGES = /[dcxXsSDCpPrioaIAO~J]/;

/** `more`: the command is incomplete. Undefined: it is not a command. */
export function readCommand(keys: string): ViCommand | "more" | undefined {
  const parts = COMMAND.exec(keys);
  if (!parts) return undefined;
  const [, count = "", operator, second = "", command = ""] = parts;
  const isBegun = /^[fFtTrg]$/.test(command) || (operator !== undefined && /^[ia]$/.test(command));
  if (command === "" || isBegun) return "more";
  const times = Math.min(9_999, Number(count || 1) * Number(second || 1));
  return { command, operator: operator as OperatorName | undefined, times, isCounted: count !== "" };
}

/** Whether `.` repeats it. */
export function isChange({ command, operator }: ViCommand): boolean {
  return operator === undefined ? CHANGES.test(command[0] ?? "") : operator !== "y";
}

/** Undefined if the command does nothing here. */
export function perform({ command, operator, isCounted }: ViCommand, given: SingleGiven): ReturnType<Single> {
  if (operator !== undefined) return operate(operator, command, given);
  const single = SINGLES.get(command);
  if (single) return single(given);
  const { state, times, find } = given;
  const { text, cursor } = state;
  if (command[0] === "r" && command.length > 1) return replaceCharacters(given, command.slice(1));
  if (command === "G" && isCounted) return { state: moveTo(state, lineNumbered(text, times)) };
  const motion = move(command, { text, cursor, times, find });
  return motion && { state: moveTo(state, motion.to) };
}

const SINGLES: ReadonlyMap<string, Single> = new Map(
  Object.entries<Single>({
    i: ({ state }) => inserting(moveTo(state, state.cursor)),
    a: ({ state }) => inserting(moveTo(state, after(state))),
    I: ({ state }) => inserting(moveTo(state, firstInLine(state.text, state.cursor))),
    A: ({ state }) => inserting(moveTo(state, endOf(state))),
    o: ({ state }) => inserting(insert(moveTo(state, endOf(state)), "\n")),
    O: ({ state }) => {
      const start = lineStart(state.text, state.cursor);
      return inserting(moveTo(insert(moveTo(state, start), "\n"), start));
    },
    x: (given) => ({ state: cutForward(given) }),
    X: ({ state, times }) => {
      const { text, cursor } = state;
      return { state: kill(still(state), [back(text, cursor, times), cursor], "killLeft") };
    },
    s: (given) => inserting(cutForward(given)),
    S: (given) => operate("c", "c", given),
    D: ({ state }) => ({ state: cutToEnd(state) }),
    C: ({ state }) => inserting(cutToEnd(state)),
    Y: (given) => operate("y", "y", given),
    p: (given) => put(given, true),
    P: (given) => put(given, false),
    "~": ({ state, times }) => {
      const { text, cursor } = state;
      const to = forward(text, cursor, times);
      const turned = Array.from(text.slice(cursor, to), turnCase).join("");
      return { state: replaceRange(state, [cursor, to], turned) };
    },
    J: ({ state }) => {
      const end = endOf(state);
      if (end === state.text.length) return undefined;
      const joined = replaceRange(state, [end, firstInLine(state.text, end + 1)], " ");
      return { state: moveTo(joined, end) };
    },
    u: ({ state, times }) => {
      const steps = Array.from({ length: Math.min(times, state.past.length) });
      return { state: steps.reduce<EditState>(undo, state) };
    },
    "/": () => ({ action: "history.search" }), // as in a shell's vi mode
    v: () => ({ action: "externalEditor" }),
    j: (given) => rows(given, given.times),
    k: (given) => rows(given, -given.times),
  }),
);

function inserting(state: EditState): Done {
  return { state, inserts: true };
}

function endOf({ text, cursor }: EditState): number {
  return lineEnd(text, cursor);
}

/** Behind the character under the cursor. */
function after(state: EditState): number {
  const { text, cursor } = state;
  return cursor < endOf(state) ? nextBorder(text, cursor) : cursor;
}

function cutForward({ state, times }: SingleGiven): EditState {
  return kill(still(state), [state.cursor, forward(state.text, state.cursor, times)]);
}

function cutToEnd(state: EditState): EditState {
  return kill(still(state), [state.cursor, endOf(state)]);
}

/** From the first or last row, the history's lines. */
function rows({ state, layout }: SingleGiven, by: number): ReturnType<Single> {
  const all = layout();
  const { row } = placeOf(all, state.cursor);
  const target = Math.max(0, Math.min(all.length - 1, row + by));
  const moved = moveRows(state, target - row, all);
  if (target !== row && moved) return { state: moved };
  return { action: by < 0 ? "history.previous" : "history.next" };
}

function put({ state, times, lines }: SingleGiven, isAfter: boolean): Done | undefined {
  const [cut] = state.kills;
  if (cut === undefined || cut === "") return undefined;
  const all = cut.repeat(Math.min(times, 100));
  if (cut !== lines) {
    const at = isAfter ? after(state) : state.cursor;
    const done = insert(moveTo(state, at), all);
    return { state: moveTo(done, borderBefore(done.text, at + all.length)) };
  }
  const at = isAfter ? endOf(state) : lineStart(state.text, state.cursor);
  const done = insert(moveTo(state, at), isAfter ? `\n${all.slice(0, -1)}` : all);
  return { state: moveTo(done, isAfter ? at + 1 : at) };
}

function replaceCharacters({ state, times }: SingleGiven, character: string): Done | undefined {
  const { text, cursor } = state;
  const to = forward(text, cursor, times);
  if (to === cursor) return undefined;
  const done = replaceRange(state, [cursor, to], character.repeat(times));
  return { state: moveTo(done, borderBefore(done.text, cursor + character.length * times)) };
}
