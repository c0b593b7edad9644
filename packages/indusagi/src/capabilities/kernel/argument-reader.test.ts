import { expect, test } from "vitest";
import { ArgumentReader } from "./argument-reader.ts";

test("fields are read as what they are, and null counts as absent", () => {
  const args = new ArgumentReader({ path: "a", n: 3, t: 2.7, on: "true", off: null, kind: "dir" });
  expect([
    args.requiredText("path"),
    args.text("none"),
    args.positiveInt("n"),
    args.positiveInt("off"),
    args.positiveNumber("t"),
    args.flag("on"),
    args.flag("off"),
    args.oneOf("kind", ["file", "dir"]),
  ]).toEqual(["a", undefined, 3, undefined, 2, true, false, "dir"]);
  expect(args.problem).toBeUndefined();
});

test("every wrong field is named, with what was expected and what was found", () => {
  const args = new ArgumentReader({ path: 5, empty: "", n: 0, half: 1.5, flag: "yes", kind: "x" });
  args.requiredText("path");
  args.requiredText("empty");
  args.requiredText("gone");
  args.positiveInt("n");
  args.positiveInt("half");
  args.flag("flag");
  args.oneOf("kind", ["file", "dir"]);
  expect(args.problem).toBe(
    '"path" must be a string, got a number. "empty" must not be empty. "gone" is missing: expected a string. ' +
      '"n" must be a positive whole number, got 0. "half" must be a positive whole number, got 1.5. ' +
      '"flag" must be true or false, got "yes". "kind" must be one of "file", "dir", got "x".',
  );
});

test("a value that is no object has no fields, and inherited names are no fields either", () => {
  expect(new ArgumentReader([]).problem).toBe("The arguments must be an object, got an array.");
  expect(new ArgumentReader("x").problem).toBe("The arguments must be an object, got a string.");
  expect(new ArgumentReader({}).raw("toString")).toBeUndefined();
});
