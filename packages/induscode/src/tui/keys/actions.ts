// Every action that a key can trigger, with its default keys. `/keys`, the guide's table and keybindings.json are all derived
// from this.

import type { ScreenAction } from "../contract.ts";

interface ActionRow {
  readonly summary: string;
  readonly keys: readonly string[];
}

const EDITOR_ACTIONS = {
  "edit.submit": { summary: "send what is written", keys: ["enter"] },
  "edit.newline": { summary: "begin a new line", keys: ["shift+enter", "alt+enter", "ctrl+j"] },
  "edit.left": { summary: "one character left", keys: ["left", "ctrl+b"] },
  "edit.right": { summary: "one character right", keys: ["right", "ctrl+f"] },
  "edit.up": {
    summary: "one row up; in the first row, the line before in the history",
    keys: ["up", "ctrl+p"],
  },
  "edit.down": { summary: "one row down; in the last row, the line after", keys: ["down", "ctrl+n"] },
  "edit.wordLeft": { summary: "one word left", keys: ["alt+b", "ctrl+left", "alt+left"] },
  "edit.wordRight": { summary: "one word right", keys: ["alt+f", "ctrl+right", "alt+right"] },
  "edit.lineStart": { summary: "to the start of the line", keys: ["home", "ctrl+a"] },
  "edit.lineEnd": { summary: "to the end of the line", keys: ["end", "ctrl+e"] },
  "edit.textStart": { summary: "to the start of the text", keys: ["ctrl+home", "alt+<"] },
  "edit.textEnd": { summary: "to the end of the text", keys: ["ctrl+end", "alt+>"] },
  "edit.deleteLeft": {
    summary: "delete the character to the left",
    keys: ["backspace", "ctrl+h", "shift+backspace"],
  },
  "edit.deleteRight": { summary: "delete the character to the right", keys: ["delete"] },
  "edit.deleteOrLeave": {
    summary: "delete the character to the right; leave where nothing is written",
    keys: ["ctrl+d"],
  },
  "edit.killWordLeft": {
    summary: "cut the word to the left",
    keys: ["ctrl+w", "alt+backspace", "ctrl+backspace"],
  },
  "edit.killWordRight": {
    summary: "cut the word to the right",
    keys: ["alt+d", "alt+delete", "ctrl+delete"],
  },
  "edit.killToStart": { summary: "cut to the start of the line", keys: ["ctrl+u"] },
  "edit.killToEnd": { summary: "cut to the end of the line", keys: ["ctrl+k"] },
  "edit.yank": { summary: "put in what was cut last", keys: ["ctrl+y"] },
  "edit.yankPop": { summary: "after that: what was cut before it instead", keys: ["alt+y"] },
  "edit.undo": { summary: "undo", keys: ["ctrl+_", "ctrl+/", "ctrl+-"] },
  "edit.redo": { summary: "redo", keys: ["alt+z", "alt+/"] },
  "edit.complete": { summary: "complete a file, command or value", keys: ["tab"] },
  "edit.pasteImage": { summary: "put in the image on the clipboard", keys: ["ctrl+v", "alt+v"] },
  "history.previous": { summary: "the line before in the history", keys: ["alt+p"] },
  "history.next": { summary: "the line after in the history", keys: ["alt+n"] },
  "history.search": { summary: "search the history", keys: ["ctrl+r"] },
} as const satisfies Readonly<Record<string, ActionRow>>;

const SCREEN_ACTIONS = {
  interrupt: { summary: "interrupt the task; close what is open", keys: ["escape"] },
  cancel: { summary: "interrupt the task; empty the line; twice at an empty line, leave", keys: ["ctrl+c"] },
  leave: { summary: "leave", keys: [] },
  fold: {
    summary: "unfold the last long thing, or fold it again; then Up and Down choose another",
    keys: ["ctrl+o"],
  },
  pager: { summary: "page through everything", keys: ["ctrl+t"] },
  queue: { summary: "take back the lines that wait", keys: ["alt+up"] },
  thinking: { summary: "the next level of thinking", keys: ["shift+tab"] },
  externalEditor: { summary: "write in $VISUAL or $EDITOR", keys: ["ctrl+x ctrl+e", "ctrl+g"] },
  redraw: { summary: "draw the screen again", keys: ["ctrl+l"] },
  suspend: { summary: "stop, until the shell's fg", keys: ["ctrl+z"] },
} as const satisfies Readonly<Record<ScreenAction, ActionRow>>;

export type EditorAction = keyof typeof EDITOR_ACTIONS;
export type Action = EditorAction | ScreenAction;

/** All of them, in the order in which they are listed. */
export const ACTIONS: Readonly<Record<Action, ActionRow>> = { ...EDITOR_ACTIONS, ...SCREEN_ACTIONS };

export function isScreenAction(action: Action): action is ScreenAction {
  return Object.hasOwn(SCREEN_ACTIONS, action);
}
