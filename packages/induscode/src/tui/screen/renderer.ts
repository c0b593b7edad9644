// Draws on the normal screen by difference. Settled rows go into the terminal's own scroll-back and are never touched
// again; below them is a small region whose changed rows are redrawn.

import type { Cursor } from "../contract.ts";

/** What is visible now: finished rows above; rows that may still change below. */
export interface Frame {
  readonly settled: readonly string[];
  readonly live: readonly string[];
  /** Position within the live rows; without one the cursor is hidden. */
  readonly cursor?: Cursor | undefined;
}

export interface Renderer {
  readonly draw: (frame: Frame) => void;
  /** Removes the live region; the cursor is then where it began. */
  readonly erase: () => void;
  /**
   * Clears the visible screen, so that the next frame begins at its top; with `above` only the live region and that many rows
   * above it, so that it begins there.
   */
  readonly restart: (above?: number) => void;
  /** Somebody else wrote on the screen: the next frame begins in the row of the cursor, with nothing of the last one in it or below. */
  readonly forget: () => void;
}

const SYNC_ON = "\x1b[?2026h";
const SYNC_OFF = "\x1b[?2026l";
const HIDE = "\x1b[?25l";
const SHOW = "\x1b[?25h";
/**
 * Clears the cursor's row and all below, and leaves the cursor at the row's beginning. Not from the first cell: tmux treats that as a
 * clearing of the whole screen, and copies what was on it into the scroll-back.
 */
const CLEAR = "\r\x1b[K\x1b[C\x1b[J\r";

/** Writes to the terminal through `write`. Rows of a frame must not be wider than the terminal. */
export function createRenderer(write: (text: string) => void): Renderer {
  let shown: readonly string[] = [];
  let at: Cursor = { row: 0, column: 0 };
  let isHidden = false;
  /** Written with the next frame. */
  let before = "";

  function draw({ settled, cursor, ...frame }: Frame): void {
    const live = frame.live.length === 0 ? [""] : frame.live; // settled rows are followed by a row of their own
    const wanted = settled.length === 0 ? live : [...settled, ...live];
    let out = before;
    before = "";
    let row = at.row;
    let column = at.column;
    let changed = 0;

    const moveToRow = (to: number): void => {
      if (to === row) return;
      const by = Math.abs(to - row);
      out += `\x1b[${by === 1 ? "" : by}${to < row ? "A" : "B"}`;
      row = to;
    };
    const moveTo = (toRow: number, toColumn: number): void => {
      moveToRow(toRow);
      if (toColumn === column) return;
      if (toColumn === 0) out += "\r";
      else out += `\r\x1b[${toColumn === 1 ? "" : toColumn}C`;
      column = toColumn;
    };

    for (let i = 0; i < wanted.length; i++) {
      const text = wanted[i] ?? "";
      const old = shown[i];
      if (old === text) continue;
      changed += 1;
      if (old === undefined && i > 0) {
        moveToRow(i - 1);
        out += "\r\n"; // scrolls if the previous row was the last of the screen
        row = i;
        column = 0;
      }
      const same = old === undefined ? 0 : sameBeginning(old, text);
      moveTo(i, same);
      if (old !== undefined) out += "\x1b[K"; // before the text: after a full row it would erase the last cell
      out += text.slice(same);
      column = -1; // unknown: a carriage return comes first
    }
    if (shown.length > wanted.length) {
      changed += 1;
      moveTo(wanted.length, 0);
      out += "\x1b[J";
    }
    const last = Math.max(0, wanted.length - 1);
    const place = cursor
      ? { row: settled.length + cursor.row, column: cursor.column }
      : { row: last, column: 0 };
    moveTo(place.row, place.column);
    const hides = cursor === undefined && !isHidden;
    const shows = cursor !== undefined && isHidden;
    isHidden = cursor === undefined;
    shown = live;
    at = { row: place.row - settled.length, column: place.column };
    if (out === "" && !hides && !shows) return;
    const visibility = hides ? HIDE : shows ? SHOW : "";
    if (changed < 2) write(out + visibility);
    else if (isHidden) write(SYNC_ON + visibility + out + SYNC_OFF);
    else write(`${SYNC_ON}${HIDE}${out}${SHOW}${SYNC_OFF}`);
  }

  return {
    draw,
    erase: () => {
      const up = at.row > 0 ? `\x1b[${at.row}A` : "";
      if (shown.length > 0 || isHidden) write(`${up}${CLEAR}${isHidden ? SHOW : ""}`);
      isHidden = false;
      before = "";
      shown = [];
      at = { row: 0, column: 0 };
    },
    restart: (above) => {
      const up = at.row + (above ?? 0);
      const start = up > 0 ? `\x1b[${up}A` : "";
      before = (above === undefined ? "\x1b[H" : start) + CLEAR;
      shown = [];
      at = { row: 0, column: 0 };
    },
    forget: () => {
      write(CLEAR); // an unnoticed stop left what was drawn
      shown = [];
      at = { row: 0, column: 0 };
    },
  };
}

/** The length of the rows' common prefix in cells: plain ASCII only, whose width is certain. */
function sameBeginning(before: string, text: string): number {
  const most = Math.min(before.length, text.length);
  let at = 0;
  while (at < most) {
    const code = before.charCodeAt(at);
    if (code !== text.charCodeAt(at) || code < 0x20 || code > 0x7e) break;
    at += 1;
  }
  // A combining character that follows, or followed, belongs to the last cell.
  const isCombined = [before, text].some((row) => row.charCodeAt(at) > 0x7e);
  return at > 0 && isCombined ? at - 1 : at;
}
