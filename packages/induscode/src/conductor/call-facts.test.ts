import { describe, expect, it } from "vitest";
import { toolTitle } from "./call-facts.ts";

describe("toolTitle", () => {
  it.each([
    ["a command", { command: "ls -a", timeout: 5 }, "ls -a"],
    ["a search by its pattern and its place", { path: "src", pattern: "x+" }, "src  x+"],
    ["a question to the person", { question: "Which database?", choices: ["a", "b"] }, "Which database?"],
    ["a list by its length", { items: [{ text: "one" }, { text: "two" }] }, "2 items"],
    ["whatever else as it was sent", { depth: 3 }, '{"depth":3}'],
    ["an empty text as it was sent", { path: "" }, '{"path":""}'],
    ["nothing", {}, ""],
    ["what is not an object", ["ls"], ""],
  ])("describes %s", (_, input, title) => {
    expect(toolTitle(input)).toBe(title);
  });

  it("has 500 characters at most", () => {
    expect(toolTitle({ command: "x".repeat(10_000) })).toHaveLength(500);
  });
});
