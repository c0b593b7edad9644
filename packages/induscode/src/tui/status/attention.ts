// What reaches a person who is looking elsewhere: the window's title shows the state, and a notification says that something waits.

import { notifySequence, TITLE_BACK, TITLE_KEEP, titleSequence } from "./notify.ts";

/** `idle` until a task is running or a question is open. */
export type TitleState = "idle" | "working" | "asking";

export interface Attention {
  readonly show: (state: TitleState) => void;
  /** Sets the folder named in the title. */
  readonly place: (cwd: string) => void;
  /** Notifies, unless the window has the focus. */
  readonly notify: (text: string) => void;
  readonly setFocus: (isFocused: boolean) => void;
  /** Restores the previous title. */
  readonly close: () => void;
}

const MARKS: Readonly<Record<TitleState, string>> = { idle: "", working: "● ", asking: "? " };

export function createAttention(send: (sequence: string) => void, env: NodeJS.ProcessEnv): Attention {
  let isFocused = true;
  let folder: string | undefined;
  let title = "";
  send(TITLE_KEEP);
  return {
    show: (state) => {
      const next = `${MARKS[state]}indus${folder === undefined ? "" : ` · ${folder}`}`;
      if (next === title) return;
      title = next;
      send(titleSequence(next));
    },
    place: (cwd) => {
      folder = cwd.split("/").at(-1) ?? "";
    },
    notify: (text) => {
      if (!isFocused) send(notifySequence(text, env));
    },
    setFocus: (focused) => {
      isFocused = focused;
    },
    close: () => send(titleSequence("") + TITLE_BACK),
  };
}
