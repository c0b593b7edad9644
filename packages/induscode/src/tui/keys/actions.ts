// Every action that a key can trigger, with its default keys. `/keys`, the guide's table and keybindings.json are all derived
// from this.

import type { ScreenAction } from "../contract.ts";

interface ActionRow {
  readonly summary: string;
  readonly keys: readonly string[];
}

const EDITOR_ACTIONS = {
  "edit.submit": { summary: "send the text", keys: ["enter"] },
  "edit.newline": { summary: "insert a new line", keys: ["shift+enter", "alt+enter", "ctrl+j"] },
  "edit.left": { summary: "one character left", keys: ["left", "ctrl+b"] },
  "edit.right": { summary: "one character right", keys: ["right", "ctrl+f"] },
  "edit.up": {
    summary: "one row up; in the first row, the previous line in the history",
    keys: ["up"],
  },
  "edit.down": {
    summary: "one row down; in the last row, the next line in the history",
    keys: ["down", "ctrl+n"],
  },
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
    summary: "delete the character to the right; quit if the line is empty",
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
  "edit.yank": { summary: "insert the text that was cut last", keys: ["ctrl+y"] },
  "edit.yankPop": {
    summary: "right after inserting: replace that text with what was cut before it",
    keys: ["alt+y"],
  },
  "edit.undo": { summary: "undo", keys: ["ctrl+_", "ctrl+/", "ctrl+-"] },
  "edit.redo": { summary: "redo", keys: ["alt+z", "alt+/"] },
  "edit.complete": { summary: "complete a file, command or value", keys: ["tab"] },
  "edit.pasteImage": { summary: "insert the image on the clipboard", keys: ["ctrl+v", "alt+v"] },
  "history.previous": { summary: "the previous line in the history", keys: ["alt+p"] },
  "history.next": { summary: "the next line in the history", keys: ["alt+n"] },
  "history.search": { summary: "search the history", keys: ["ctrl+r"] },
} as const satisfies Readonly<Record<string, ActionRow>>;

const SCREEN_ACTIONS = {
  interrupt: { summary: "interrupt the task; close what is open", keys: ["escape"] },
  cancel: { summary: "interrupt the task; clear the line; twice on an empty line, quit", keys: ["ctrl+c"] },
  leave: { summary: "quit indus", keys: [] },
  fold: {
    summary: "unfold the last folded block, or fold it again; then Up and Down choose another",
    keys: ["ctrl+o"],
  },
  pager: { summary: "page through everything", keys: ["ctrl+t"] },
  commands: { summary: "find a command, by its name or what it does", keys: ["ctrl+p"] },
  queue: { summary: "take back the queued lines", keys: ["alt+up"] },
  mode: { summary: "the next permission mode", keys: ["shift+tab"] },
  thinking: { summary: "the next thinking level", keys: ["alt+t"] },
  externalEditor: { summary: "edit in $VISUAL or $EDITOR", keys: ["ctrl+x ctrl+e", "ctrl+g"] },
  redraw: { summary: "redraw the screen", keys: ["ctrl+l"] },
  suspend: { summary: "suspend indus until you run fg in the shell", keys: ["ctrl+z"] },
} as const satisfies Readonly<Record<ScreenAction, ActionRow>>;

export type EditorAction = keyof typeof EDITOR_ACTIONS;
export type Action = EditorAction | ScreenAction;

/** All of them, in the order in which they are listed. */
export const ACTIONS: Readonly<Record<Action, ActionRow>> = { ...EDITOR_ACTIONS, ...SCREEN_ACTIONS };

export function isScreenAction(action: Action): action is ScreenAction {
  return Object.hasOwn(SCREEN_ACTIONS, action);
}
