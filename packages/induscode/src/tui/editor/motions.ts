// The actions that need only the text and its layout: motions, deletions, cuts, undo.

import type { EditorAction } from "../keys/actions.ts";
import { type Layout, offsetAt, placeOf } from "./layout.ts";
import {
  borderBefore,
  type EditState,
  erase,
  insert,
  kill,
  lineEnd,
  lineStart,
  moveTo,
  nextBorder,
  redo,
  undo,
  wordLeft,
  wordRight,
  yank,
  yankPop,
} from "./state.ts";

/** The next state; undefined if the action is not one of these, or would leave the text. */
export function act(state: EditState, action: EditorAction, layout: () => Layout): EditState | undefined {
  const { text, cursor } = state;
  switch (action) {
    case "edit.newline":
      return insert(state, "\n");
    case "edit.left":
      return moveTo(state, borderBefore(text, cursor));
    case "edit.right":
      return moveTo(state, nextBorder(text, cursor));
    case "edit.up":
      return moveRows(state, -1, layout());
    case "edit.down":
      return moveRows(state, 1, layout());
    case "edit.wordLeft":
      return moveTo(state, wordLeft(text, cursor));
    case "edit.wordRight":
      return moveTo(state, wordRight(text, cursor));
    case "edit.lineStart":
      return moveTo(state, lineStart(text, cursor));
    case "edit.lineEnd":
      return moveTo(state, lineEnd(text, cursor));
    case "edit.textStart":
      return moveTo(state, 0);
    case "edit.textEnd":
      return moveTo(state, text.length);
    case "edit.deleteLeft":
      return erase(state, borderBefore(text, cursor), cursor);
    case "edit.deleteRight":
    case "edit.deleteOrLeave":
      return erase(state, cursor, nextBorder(text, cursor));
    case "edit.killWordLeft":
      return kill(state, [wordLeft(text, cursor), cursor], "killLeft");
    case "edit.killWordRight":
      return kill(state, [cursor, wordRight(text, cursor)]);
    case "edit.killToStart":
      return kill(state, [previousOr(lineStart(text, cursor), cursor, -1), cursor], "killLeft");
    case "edit.killToEnd":
      return kill(state, [cursor, Math.min(text.length, previousOr(lineEnd(text, cursor), cursor, 1))]);
    case "edit.yank":
      return yank(state);
    case "edit.yankPop":
      return yankPop(state);
    case "edit.undo":
      return undo(state);
    case "edit.redo":
      return redo(state);
    default:
      return undefined;
  }
}

/** At the edge of a line its line break is cut, so that the key has an effect. */
function previousOr(edge: number, cursor: number, step: 1 | -1): number {
  return edge === cursor ? Math.max(0, edge + step) : edge;
}

/** Up or down; undefined if there is no such row. */
export function moveRows(state: EditState, by: number, layout: Layout): EditState | undefined {
  const { row, column } = placeOf(layout, state.cursor);
  const target = row + by;
  if (target < 0 || target >= layout.length) return undefined;
  const goal = state.goal ?? column;
  return moveTo(state, offsetAt(layout, target, goal), goal);
}
