// Previously sent lines: shapes only.

/** The lines sent in this folder, in this and other sessions. */
export interface History {
  /** The oldest first; the same array until one is added. */
  readonly lines: () => readonly string[];
  readonly add: (line: string) => void;
}
