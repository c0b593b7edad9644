// For tests only: a terminal of 80 columns, with what a person would see on it.

import { PassThrough } from "node:stream";
import { monotonicMs } from "indusagi/core";
import { onTestFinished } from "vitest";
import { createDialogue, type Dialogue } from "../../packages/induscode/src/console/dialogue.ts";

export interface TestTerminal {
  readonly input: PassThrough & { readonly rawModes: boolean[] };
  readonly output: PassThrough & { readonly columns: number };
  /** Sends keys and waits until their effects are done. */
  readonly type: (keys: string) => Promise<void>;
  /** Waits for some turns of the event loop. */
  readonly settle: () => Promise<void>;
  /** Everything written so far. */
  readonly raw: () => string;
  /** The rows as shown, without trailing blanks. */
  readonly screen: () => string;
}

/** An output that records everything written to it. */
export function createTestOutput(): { readonly output: PassThrough; readonly written: () => string } {
  const output = new PassThrough();
  let written = "";
  output.setEncoding("utf8").on("data", (text: string) => {
    written += text;
  });
  return { output, written: () => written };
}

const COLUMNS = 80;
const TURNS = 60;

export function createTestTerminal(): TestTerminal {
  const rawModes: boolean[] = [];
  const input = Object.assign(new PassThrough(), {
    rawModes,
    setRawMode: (on: boolean) => rawModes.push(on),
  });
  const { output, written: raw } = createTestOutput();
  async function settle(): Promise<void> {
    for (let turn = 0; turn < TURNS; turn++) await new Promise(setImmediate);
  }
  return {
    input,
    output: Object.assign(output, { columns: COLUMNS }),
    settle,
    type: async (keys) => {
      input.write(keys);
      await settle();
    },
    raw,
    screen: () => render(raw()),
  };
}

/** A dialogue on a terminal of its own; it ends with the test. Whoever is at it reads for `restMs` before they press a key. */
export function openTestDialogue(restMs: number = 1000): {
  readonly terminal: TestTerminal & {
    /** The person reads for a second. */
    readonly read: () => Promise<void>;
  };
  readonly dialogue: Dialogue;
} {
  const terminal = createTestTerminal();
  let readMs = 0;
  const dialogue = createDialogue({
    ...terminal,
    isTerminal: true,
    colour: false,
    now: () => monotonicMs() + readMs,
  });
  onTestFinished(() => dialogue.close());
  const type = (keys: string): Promise<void> => {
    readMs += restMs;
    return terminal.type(keys);
  };
  const read = (): Promise<void> => {
    readMs += 1000;
    return terminal.settle();
  };
  return { terminal: { ...terminal, type, read }, dialogue };
}

// Text, CR, LF, and the CSI sequences that readline and the console use; any other is ignored.
function render(raw: string): string {
  const rows: string[][] = [[]];
  let row = 0;
  let column = 0;
  const rowAt = (index: number): string[] => {
    while (rows.length <= index) rows.push([]);
    return rows[index] ?? [];
  };
  for (const [piece, count, final] of raw.matchAll(/\x1b\[\??(\d*)[\d;]*([A-Za-z])|[\s\S]/gu)) {
    const amount = Number(count || 1);
    if (final === "G") column = amount - 1;
    else if (final === "A") row = Math.max(0, row - amount);
    else if (final === "C") column += amount;
    else if (final === "D") column = Math.max(0, column - amount);
    else if (final === "K") rowAt(row).splice(column);
    else if (final === "J") {
      rowAt(row).splice(column);
      rows.splice(row + 1);
    } else if (piece === "\r") column = 0;
    else if (piece === "\n") {
      row += 1;
      column = 0;
    } else if (final === undefined) {
      if (column >= COLUMNS) {
        row += 1;
        column = 0;
      }
      rowAt(row)[column] = piece;
      column += 1;
    }
  }
  const lines = rows.map((cells) =>
    Array.from(cells, (cell) => cell ?? " ")
      .join("")
      .trimEnd(),
  );
  return lines.join("\n").trimEnd();
}
