import { expect, it } from "vitest";
import { nearest } from "./nearest.ts";

const TOOLS = ["bash", "read", "write", "edit", "webfetch", "todo_set"];

it.each([
  ["bsh", "bash"],
  ["Bsah", "bash"],
  ["reed", "read"],
  ["wriet", "write"],
  ["wefbetch", "webfetch"],
  ["todoset", "todo_set"],
  ["bash", "bash"],
])("%s is near to %s", (word, expected) => {
  expect(nearest(word, TOOLS)).toBe(expected);
});

it.each(["deploy", "skill", "", "x".repeat(10_000)])("nothing is near to %.20s", (word) => {
  expect(nearest(word, TOOLS)).toBeUndefined();
});
