/** What a command can do with the theme of a console that has one. */
export interface ThemeSwitch {
  readonly names: () => readonly string[];
  readonly current: () => string;
  /** If the theme follows the background: which one is used now, and why. */
  readonly why: () => string | undefined;
  /** `said` is for the person. */
  readonly choose: (name: string) => { readonly said: string; readonly isChosen: boolean };
}
