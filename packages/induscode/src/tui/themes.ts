// Which theme the screen has, and how another one comes to it. Whoever starts the console reads the files.

import type { Disposer } from "indusagi/core";
import type { Theme } from "./screen/theme.ts";

/** The theme that follows the terminal's background. */
export const AUTO = "auto";

export interface Themes {
  /** Of all that there are, the person's own among them. */
  readonly names: () => readonly string[];
  /** The theme of this name with what is wrong in its file; a text says why there is none. */
  readonly load: (name: string) => LoadedTheme | string;
  /** Calls back when the file of this theme has changed; of a built-in one nothing changes. */
  readonly watch: (name: string, onChange: () => void) => Disposer;
}

export interface LoadedTheme {
  readonly theme: Theme;
  readonly problems: readonly string[];
}

/** What a command may do to the theme of a console that has one. */
export interface ThemeSwitch {
  readonly names: () => readonly string[];
  readonly current: () => string;
  /** Of the theme that follows the background: which one that is now, and why. */
  readonly why: () => string | undefined;
  /** Answers what is to be said to the person. */
  readonly choose: (name: string) => string;
}
