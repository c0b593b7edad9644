import { EventEmitter } from "node:events";
import { expect, test } from "vitest";
import { type TerminalInput, takeTerminal } from "./modes.ts";

/** How many handlers the process has for stop and continue. */
const handlers = (): readonly number[] =>
  ["SIGTSTP", "SIGCONT"].map((signal) => process.listenerCount(signal));

test("while the terminal is lent, stopping and continuing are the borrower's", async () => {
  const before = handlers();
  const held = before.map((count) => count + 1);
  const modes = takeTerminal({
    input: new EventEmitter() as TerminalInput,
    write: () => undefined,
    onLeave: () => undefined,
    onExit: () => undefined,
    onReturn: () => undefined,
  });
  expect(handlers()).toEqual(held);
  await modes.lend(async () => expect(handlers()).toEqual(before));
  await expect(modes.lend(() => Promise.reject(new Error("no editor")))).rejects.toThrow("no editor");
  expect(handlers()).toEqual(held);
  modes.restore();
  expect(handlers()).toEqual(before);
});
