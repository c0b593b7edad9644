import { PassThrough } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, it } from "vitest";
import type { Input, KeyDecoder } from "../contract.ts";
import { openKeyboard } from "./keyboard.ts";

/** Each letter is an input. */
const decoder: KeyDecoder = {
  write: (chunk) => [...String(chunk)].map((sequence): Input => ({ kind: "reply", sequence })),
  flush: () => [],
  isWaiting: () => false,
};

it("hands over nothing while the input is paused, and then what was typed with the key that paused it", async () => {
  const input = new PassThrough();
  const taken: string[] = [];
  const close = openKeyboard({
    input,
    decoder,
    onInput(each) {
      if (each.kind === "reply") taken.push(each.sequence);
      if (taken.at(-1) === "g") input.pause();
    },
    onRead: () => taken.push("read"),
    onEnd: () => undefined,
  });
  input.write("agb");
  await nextTurn();
  input.write("c");
  await nextTurn();
  expect(taken).toEqual(["a", "g", "read"]);
  input.resume();
  await nextTurn();
  await nextTurn();
  expect(taken).toEqual(["a", "g", "read", "b", "read", "c", "read"]);
  close();
});
