import { describe, expect, it } from "vitest";
import { toolTitle } from "./call-facts.ts";

describe("toolTitle", () => {
  it.each([
    ["a command", { command: "ls -a", timeout: 5 }, "ls -a"],
    ["a search by its pattern and its place", { path: "src", pattern: "x+" }, "src  x+"],
    ["a question to the person", { question: "Which database?", choices: ["a", "b"] }, "Which database?"],
    ["a list by its length", { items: [{ text: "one" }, { text: "two" }] }, "2 items"],
    [
      "a list among other arguments by what is in it",
      {
        action: "start",
        tasks: [
          { agent: "reviewer", objective: "Look." },
          { agent: "coder", objective: "Do." },
        ],
      },
      "start 2 tasks: reviewer  Look.; coder  Do.",
    ],
    ["a list of something else as it was sent", { all: [1], depth: 3 }, '{"all":[1],"depth":3}'],
    ["whatever else as it was sent", { depth: 3 }, '{"depth":3}'],
    ["an empty text as it was sent", { path: "" }, '{"path":""}'],
    ["nothing", {}, ""],
    ["what is not an object", ["ls"], ""],
  ])("describes %s", (_, input, title) => {
    expect(toolTitle(input)).toBe(title);
  });

  it.each([
    ["in the folder", "/home/me/shop/src/a.ts", "src/a.ts"],
    ["that is the folder", "/home/me/shop", "."],
    ["beside the folder", "/home/me/shop2/a.ts", "/home/me/shop2/a.ts"],
    ["told from the folder", "src/a.ts", "src/a.ts"],
  ])("tells a path %s", (_, path, title) => {
    expect(toolTitle({ path }, "/home/me/shop")).toBe(title);
    expect(toolTitle({ path })).toBe(path);
    expect(toolTitle({ command: `cat ${path}` }, "/home/me/shop")).toBe(`cat ${path}`); // what runs
  });

  it("has 500 characters at most", () => {
    expect(toolTitle({ command: "x".repeat(10_000) })).toHaveLength(500);
  });
});
