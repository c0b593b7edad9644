// A history for tests.

import type { History } from "../../packages/induscode/src/tui/history/contract.ts";

/** The lines of one session, which are not stored. */
export function createPlainHistory(): History {
  let lines: readonly string[] = [];
  return {
    lines: () => lines,
    add: (line) => {
      if (line.trim() !== "" && lines.at(-1) !== line) lines = [...lines.slice(-999), line];
    },
  };
}
