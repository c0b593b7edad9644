import { describe, expect, it } from "vitest";
import { growthOf } from "../../../../tests/support/effort.ts";
import {
  type ArgumentCondition,
  conditionHolds,
  MAX_GLOB_LENGTH,
  MAX_GLOB_TEXT_LENGTH,
} from "./gate-condition.ts";

function condition(rules: Partial<ArgumentCondition>): ArgumentCondition {
  return { argument: "command", glob: [], startsWith: [], contains: [], ...rules };
}

describe("conditionHolds", () => {
  it.each([
    [{ glob: ["rm -rf *"] }, "rm -rf /", true],
    [{ glob: ["rm -rf *"] }, "sudo rm -rf /", false],
    [{ glob: ["*rm -rf*"] }, "cd x && rm -rf y", true],
    [{ glob: ["ls", "rm ?x"] }, "rm -x", true],
    [{ startsWith: ["rm "] }, "rm x", true],
    [{ startsWith: ["rm "] }, "xrm x", false],
    [{ contains: ["mkfs", "rm -rf"] }, "echo; rm -rf x", true],
    [{ contains: ["mkfs", "rm -rf"] }, "echo", false],
    [{ startsWith: ["git push"], contains: ["--force"] }, "git push --force", true],
    [{ startsWith: ["git push"], contains: ["--force"] }, "git push", false],
  ])("%j on %j: %s", (rules, command, holds) => {
    expect(conditionHolds(condition(rules), { command })).toBe(holds);
  });

  it("takes runs of white space for one blank, in the rule and in the argument", () => {
    const command = "rm \t\n -rf   /";
    expect(command.includes("rm -rf")).toBe(false); // what a plain comparison would say
    expect(conditionHolds(condition({ contains: ["rm  -rf"] }), { command })).toBe(true);
  });

  it.each([
    [{}],
    [{ other: "rm -rf" }],
    [null],
    ["rm -rf"],
    [["rm -rf"]],
    [JSON.parse('{"__proto__":{"command":"x"}}')],
  ])("does not hold for %j, which has no such argument", (args) =>
    expect(conditionHolds(condition({ glob: ["*"] }), args)).toBe(false),
  );

  it("compares an argument that is not text as its JSON", () => {
    const edits = condition({ argument: "edits", contains: ['"new":"x"'] });
    expect(conditionHolds(edits, { edits: [{ old: "y", new: "x" }] })).toBe(true);
  });

  it("holds for a text too long for globs: padding is no way past a gate", () => {
    const command = `rm -rf / #${"x".repeat(MAX_GLOB_TEXT_LENGTH)}`;
    expect(conditionHolds(condition({ glob: ["never"] }), { command })).toBe(true);
  });

  it("answers in time on the worst text and glob that it takes", () => {
    const glob = `*${"a".repeat(MAX_GLOB_LENGTH - 2)}b`;
    const worst = condition({ glob: [glob] });
    const holds = (length: number): boolean => conditionHolds(worst, { command: "a".repeat(length) });
    expect(holds(MAX_GLOB_TEXT_LENGTH)).toBe(false);
    expect(
      growthOf([MAX_GLOB_TEXT_LENGTH / 100, MAX_GLOB_TEXT_LENGTH / 10, MAX_GLOB_TEXT_LENGTH], holds),
    ).toBe("even");
  });
});
