// The lines that were sent before: shapes only.

/** What was sent in this folder, in this session and in others. */
export interface History {
  /** The oldest first; the same array until something comes. */
  readonly lines: () => readonly string[];
  readonly add: (line: string) => void;
}
