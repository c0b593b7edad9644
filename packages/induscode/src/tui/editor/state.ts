// The written text, the cursor, what was cut and what can be undone: a value, and functions that return the next one. The
// cursor is never inside a grapheme cluster.

import { printable } from "indusagi/core";
import { clusterLengths } from "./units.ts";

export interface Draft {
  readonly text: string;
  /** In UTF-16 units, at a cluster boundary. */
  readonly cursor: number;
}

export interface EditState extends Draft {
  readonly past: readonly Draft[];
  readonly future: readonly Draft[];
  /** The kind of the last step: consecutive typing is one step of undo, consecutive cuts are one text. */
  readonly last?: "type" | "erase" | "killLeft" | "killRight" | "yank";
  /** Cut texts, newest first. */
  readonly kills: readonly string[];
  /** What the last yank inserted, for replacing it by an earlier cut. */
  readonly yanked?: { readonly start: number; readonly at: number };
  /** The column that up and down aim for. */
  readonly goal?: number;
}

const MOST_STEPS = 500;
/** How many cuts are kept. */
export const MOST_KILLS = 60;

export const EMPTY: EditState = { text: "", cursor: 0, past: [], future: [], kills: [] };

/** The state after a step that changes no text. */
export function moveTo(state: EditState, cursor: number, goal?: number): EditState {
  const { last: _last, yanked: _yanked, goal: _goal, ...rest } = state;
  const moved = { ...rest, cursor: snap(state.text, cursor) };
  return goal === undefined ? moved : { ...moved, goal };
}

interface Change extends Draft {
  readonly last?: EditState["last"];
  /** Merged with the step before: one undo reverts both. */
  readonly isJoined?: boolean;
}

function change(state: EditState, { text, cursor, last, isJoined = false }: Change): EditState {
  const { last: _last, yanked: _yanked, goal: _goal, ...rest } = state;
  const past = isJoined
    ? state.past
    : [...state.past.slice(1 - MOST_STEPS), { text: state.text, cursor: state.cursor }];
  const next = { ...rest, text, cursor: snap(text, cursor), past, future: [] };
  return last === undefined ? next : { ...next, last };
}

/** Typed or pasted text, without anything that a terminal or a reader would obey. */
export function cleanText(text: string): string {
  return printable(text.replace(/\r\n?/g, "\n"));
}

/** Inserts text at the cursor; the text is clean, or a mark of something folded. */
export function insert(state: EditState, put: string, isTyped = false): EditState {
  if (put === "") return state;
  const { text, cursor } = state;
  const typed = isTyped && put.length <= 4 && put !== "\n";
  const isJoined = typed && state.last === "type" && !(/\s/.test(put) && /\S$/.test(text.slice(0, cursor)));
  const next = {
    text: text.slice(0, cursor) + put + text.slice(cursor),
    cursor: cursor + put.length,
    isJoined,
  };
  return change(state, typed ? { ...next, last: "type" } : next);
}

/** Removes the text between two offsets. */
export function erase(state: EditState, from: number, to: number): EditState {
  if (from >= to) return moveTo(state, state.cursor);
  const text = state.text.slice(0, from) + state.text.slice(to);
  const isJoined = state.last === "erase" && to - from <= 2;
  return change(state, { text, cursor: from, last: "erase", isJoined });
}

/** Removes the text between two offsets and keeps it for a yank; `last` is the direction of the cut. */
export function kill(
  state: EditState,
  [from, to]: readonly [number, number],
  last: "killLeft" | "killRight" = "killRight",
): EditState {
  if (from >= to) return moveTo(state, state.cursor);
  const cut = state.text.slice(from, to);
  const isMore = state.last === "killLeft" || state.last === "killRight";
  const [newest = "", ...older] = state.kills;
  const kills = isMore
    ? [last === "killLeft" ? cut + newest : newest + cut, ...older]
    : [cut, ...state.kills];
  const text = state.text.slice(0, from) + state.text.slice(to);
  return { ...change(state, { text, cursor: from, last }), kills: kills.slice(0, MOST_KILLS) };
}

/** Inserts the last cut. */
export function yank(state: EditState, at = 0): EditState {
  const put = state.kills[at];
  if (put === undefined || put === "") return moveTo(state, state.cursor);
  const { text, cursor } = state;
  const next = change(state, {
    text: text.slice(0, cursor) + put + text.slice(cursor),
    cursor: cursor + put.length,
    last: "yank",
  });
  return { ...next, yanked: { start: cursor, at } };
}

/** Right after a yank: replaces its text by the cut before it. */
export function yankPop(state: EditState): EditState {
  const { yanked, kills, text, cursor } = state;
  if (!yanked || kills.length < 2) return state;
  const at = (yanked.at + 1) % kills.length;
  const put = kills[at] ?? "";
  const next = change(state, {
    text: text.slice(0, yanked.start) + put + text.slice(cursor),
    cursor: yanked.start + put.length,
    last: "yank",
    isJoined: true,
  });
  return { ...next, yanked: { start: yanked.start, at } };
}

export function undo(state: EditState): EditState {
  const before = state.past.at(-1);
  if (!before) return moveTo(state, state.cursor);
  const { text, cursor } = state;
  return {
    ...moveTo({ ...state, ...before }, before.cursor),
    past: state.past.slice(0, -1),
    future: [...state.future, { text, cursor }],
  };
}

export function redo(state: EditState): EditState {
  const next = state.future.at(-1);
  if (!next) return moveTo(state, state.cursor);
  const { text, cursor } = state;
  return {
    ...moveTo({ ...state, ...next }, next.cursor),
    past: [...state.past, { text, cursor }],
    future: state.future.slice(0, -1),
  };
}

/** Replaces the whole text; one step of undo. */
export function replaceAll(state: EditState, text: string, cursor = text.length): EditState {
  return text === state.text ? moveTo(state, cursor) : change(state, { text, cursor });
}

/** Replaces the text between two offsets; one step of undo. */
export function replaceRange(
  state: EditState,
  [from, to]: readonly [number, number],
  put: string,
): EditState {
  const text = state.text.slice(0, from) + put + state.text.slice(to);
  return change(state, { text, cursor: from + put.length });
}

// Boundaries

/** The cluster boundaries of the line around `offset`: its start, and the cluster lengths in it. */
function lineAround(text: string, offset: number): { readonly start: number; readonly line: string } {
  const start = lineStart(text, offset);
  return { start, line: text.slice(start, lineEnd(text, offset)) };
}

export function lineStart(text: string, offset: number): number {
  return offset === 0 ? 0 : text.lastIndexOf("\n", offset - 1) + 1;
}

export function lineEnd(text: string, offset: number): number {
  const end = text.indexOf("\n", offset);
  return end < 0 ? text.length : end;
}

/** The boundary after the cluster that begins at `offset`. */
export function nextBorder(text: string, offset: number): number {
  if (offset >= text.length) return text.length;
  if (text[offset] === "\n") return offset + 1;
  const { start, line } = lineAround(text, offset);
  const lengths = clusterLengths(line);
  if (!lengths) return offset + 1;
  let at = start;
  for (const length of lengths) {
    at += length;
    if (at > offset) return at;
  }
  return at;
}

/** The boundary before the cluster that ends at `offset`. */
export function borderBefore(text: string, offset: number): number {
  if (offset <= 0) return 0;
  if (text[offset - 1] === "\n") return offset - 1;
  const { start, line } = lineAround(text, offset);
  const lengths = clusterLengths(line);
  if (!lengths) return offset - 1;
  let at = start;
  for (const length of lengths) {
    if (at + length >= offset) return at;
    at += length;
  }
  return at;
}

/** The boundary at `offset`, or the next one if it is inside a cluster. */
function snap(text: string, offset: number): number {
  const inside = Math.max(0, Math.min(offset, text.length));
  if (inside === 0 || inside === text.length) return inside;
  return nextBorder(text, borderBefore(text, inside));
}

const WORD = /[\p{L}\p{N}\p{M}_]/u;

/** The start of the word to the left. */
export function wordLeft(text: string, offset: number): number {
  let at = offset;
  while (at > 0 && !isWordBefore(text, at)) at = borderBefore(text, at);
  while (at > 0 && isWordBefore(text, at)) at = borderBefore(text, at);
  return at;
}

/** The end of the word to the right. */
export function wordRight(text: string, offset: number): number {
  let at = offset;
  while (at < text.length && !isWordAt(text, at)) at = nextBorder(text, at);
  while (at < text.length && isWordAt(text, at)) at = nextBorder(text, at);
  return at;
}

function isWordAt(text: string, at: number): boolean {
  return WORD.test(String.fromCodePoint(text.codePointAt(at) ?? 0));
}

function isWordBefore(text: string, at: number): boolean {
  return isWordAt(text, borderBefore(text, at));
}
