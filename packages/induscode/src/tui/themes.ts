// Which theme the screen has, and how it is changed. Whoever starts the console reads the files.

import type { Disposer } from "indusagi/core";
import type { Theme } from "./screen/theme.ts";

/** The theme that follows the terminal's background. */
export const AUTO = "auto";

export interface Themes {
  /** The names of all themes, the person's own included. */
  readonly names: () => readonly string[];
  /** The theme of this name with the problems in its file; a string says why there is none. */
  readonly load: (name: string) => LoadedTheme | string;
  /** Calls back when this theme's file has changed; a built-in one never changes. */
  readonly watch: (name: string, onChange: () => void) => Disposer;
}

export interface LoadedTheme {
  readonly theme: Theme;
  readonly problems: readonly string[];
}
