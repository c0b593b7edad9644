// vi's operators d c y over a motion, over words and over whole lines.

import { type EditState, erase, kill, lineEnd, lineStart, MOST_KILLS, moveTo, nextBorder } from "./state.ts";
import { type Find, firstInLine, move, wordAround, wordEndHere } from "./vi-motions.ts";

/** Where a command begins. */
export interface Given {
  readonly state: EditState;
  readonly times: number;
  /** What was last looked for in the line. */
  readonly find: Find | undefined;
}

/** What a command did. */
export interface Done {
  readonly state: EditState;
  /** Insert mode begins. */
  readonly inserts?: boolean;
  /** Only of an operator: its text if it took whole lines, else undefined. */
  readonly lines?: string | undefined;
}

type Range = readonly [number, number];

interface Operator {
  readonly range: (state: EditState, range: Range) => Done;
  /** `kept` is the state with the lines among its cuts. */
  readonly lines: (kept: EditState, range: Range, isUpwards: boolean) => Done;
}

const OPERATORS = {
  d: {
    range: (state, range) => ({ state: kill(still(state), range) }),
    lines: (kept, [start, end]) => {
      const { length } = kept.text;
      const cut = end < length ? erase(kept, start, end + 1) : erase(kept, Math.max(0, start - 1), end);
      return { state: moveTo(cut, firstInLine(cut.text, Math.min(start, cut.text.length))) };
    },
  },
  c: {
    range: (state, range) => ({ state: kill(still(state), range), inserts: true }),
    lines: (kept, [start, end]) => ({ state: erase(kept, start, end), inserts: true }),
  },
  y: {
    range: (state, [from, to]) => ({ state: keeping(moveTo(state, from), state.text.slice(from, to)) }),
    lines: (kept, [start], isUpwards) => ({ state: moveTo(kept, isUpwards ? start : kept.cursor) }),
  },
} satisfies Readonly<Record<string, Operator>>;

export type OperatorName = keyof typeof OPERATORS;

/** Over what `command` covers; undefined if it is no motion, or one without a target. */
export function operate(name: OperatorName, command: string, given: Given): Done | undefined {
  const operator: Operator = OPERATORS[name];
  const { state } = given;
  if (command !== name && !/^(?:[jkG]|gg)$/.test(command)) {
    const range = rangeOf(name, command, given);
    return range && { ...operator.range(state, range), lines: undefined };
  }
  const range = linesOf(command, command === name ? given.times - 1 : given.times, state);
  const lines = `${state.text.slice(...range)}\n`;
  const isUpwards = command === "k" || command === "gg";
  return { ...operator.lines(keeping(still(state), lines), range, isUpwards), lines };
}

/** Cuts by two commands stay two texts. */
export function still(state: EditState): EditState {
  return moveTo(state, state.cursor);
}

function keeping(state: EditState, cut: string): EditState {
  return { ...state, kills: [cut, ...state.kills].slice(0, MOST_KILLS) };
}

function rangeOf(name: OperatorName, command: string, { state, times, find }: Given): Range | undefined {
  const { text, cursor } = state;
  const from = { text, cursor, times, find };
  if (command === "iw" || command === "aw") return wordAround(text, cursor, command === "aw");
  const isWord = /^[wW]$/.test(command);
  // As in vi: `cw` does not include the following blanks.
  if (name === "c" && isWord && /\S/.test(text[cursor] ?? " "))
    return ordered(cursor, endWithin(nextBorder(text, wordEndHere(from, command === "W"))));
  const motion = move(command, from);
  if (!motion) return undefined;
  const to = motion.isInclusive ? nextBorder(text, motion.to) : motion.to;
  return ordered(cursor, isWord ? endWithin(to) : to);

  /** `dw` on the last word of a line keeps the line break. */
  function endWithin(to: number): number {
    return times === 1 ? Math.min(to, lineEnd(text, cursor)) : to;
  }
}

function ordered(from: number, to: number): Range {
  return to < from ? [to, from] : [from, to];
}

/** The lines from the cursor's on, and `more` of them. */
function linesOf(command: string, more: number, { text, cursor }: EditState): Range {
  let start = lineStart(text, cursor);
  let end = lineEnd(text, cursor);
  if (command === "gg") return [0, end];
  if (command === "G") return [start, text.length];
  for (let n = 0; n < more; n++) {
    if (command === "k") start = start === 0 ? 0 : lineStart(text, start - 1);
    else end = end === text.length ? end : lineEnd(text, end + 1);
  }
  return [start, end];
}
