// What reaches a person who looks elsewhere: the window's title says the state, and a notification that something waits.

import { notifySequence, TITLE_BACK, TITLE_KEEP, titleSequence } from "./notify.ts";

/** `idle` until a task is under way or a question waits. */
type TitleState = "idle" | "working" | "asking";

interface Attention {
  readonly show: (state: TitleState) => void;
  /** The folder that the title names. */
  readonly place: (cwd: string) => void;
  /** Says so where the window is not looked at. */
  readonly notify: (text: string) => void;
  readonly setFocus: (isFocused: boolean) => void;
  /** Puts the title back that there was. */
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
