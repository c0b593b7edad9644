// The lines that were sent before: shapes only.

/** What was sent in this folder, in this session and in others. */
export interface History {
  /** The oldest first; the same array until something comes. */
  readonly lines: () => readonly string[];
  readonly add: (line: string) => void;
}

/** The lines of one session, which nothing keeps. */
export function createPlainHistory(): History {
  let lines: readonly string[] = [];
  return {
    lines: () => lines,
    add: (line) => {
      if (line.trim() !== "" && lines.at(-1) !== line) lines = [...lines.slice(-999), line];
    },
  };
}
