import { expect, test } from "vitest";
import { createContinuation, parseLine } from "./parse-line.ts";

test("a slash and a name is a command, with the rest as its arguments", () => {
  expect(parseLine("/help")).toEqual({ kind: "command", name: "help", args: "" });
  expect(parseLine("  /model  a/b c \n")).toEqual({ kind: "command", name: "model", args: "a/b c" });
  expect(parseLine("/note one\ntwo")).toEqual({ kind: "command", name: "note", args: "one\ntwo" });
});

test("a path is not a command", () => {
  for (const text of ["/usr/bin is broken", "/", "/ help", "//x", "see /help"]) {
    expect(parseLine(text)).toEqual({ kind: "text", text });
  }
});

test("an exclamation mark is a command for the shell, two keep its output from the model", () => {
  expect(parseLine("!ls -l")).toEqual({ kind: "shell", command: "ls -l", isShared: true });
  expect(parseLine("!! git status ")).toEqual({ kind: "shell", command: "git status", isShared: false });
  for (const text of ["!", "!!", "!!!", "wow!"]) expect(parseLine(text)).toEqual({ kind: "text", text });
});

test("a question mark alone asks for help, in a sentence it does not", () => {
  expect(parseLine(" ? ")).toEqual({ kind: "command", name: "?", args: "" });
  for (const text of ["??", "why?", "? what"]) expect(parseLine(text)).toEqual({ kind: "text", text });
});

test("blanks alone are nothing", () => {
  expect([parseLine(""), parseLine(" \t\n")]).toEqual([{ kind: "empty" }, { kind: "empty" }]);
});

test("a backslash at the end continues the line; two do not", () => {
  const continuation = createContinuation();
  expect(continuation.push("a\\")).toBeUndefined();
  expect(continuation.pending()).toBe(true);
  expect(continuation.push("b\\\\\\")).toBeUndefined();
  expect(continuation.push("c\\\\")).toBe("a\nb\\\\\nc\\\\");
  expect([continuation.pending(), continuation.end()]).toEqual([false, undefined]);
  continuation.push("cut\\");
  expect(continuation.end()).toBe("cut");
});
