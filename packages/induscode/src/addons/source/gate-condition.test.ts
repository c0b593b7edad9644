import type { JsonValue } from "indusagi/core";
import { describe, expect, it } from "vitest";
import { growthOf } from "../../../../../tests/support/effort.ts";
import { LONG_ONLY } from "../../../../../tests/support/long-form.ts";
import type { NotAsked } from "../../feature/dispatch/time-budget.ts";
import {
  type ArgumentCondition,
  conditionHolds as holdsWithin,
  MAX_GLOB_LENGTH,
  MAX_GLOB_TEXT_LENGTH,
} from "./gate-condition.ts";
import { createGateEffort, MAX_GATE_EFFORT } from "./gate-effort.ts";

const conditionHolds = (rules: ArgumentCondition, args: JsonValue): boolean =>
  holdsWithin(rules, args, createGateEffort());

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

  describe("the effort of the rules of many gates", () => {
    const LONGEST = "a".repeat(65_000);
    const globs = Array.from({ length: 200 }, () => `*${"a".repeat(124)}b*`);
    const parts = Array.from({ length: 200 }, () => `${"a".repeat(1_000)}b${"a".repeat(3_000)}`);
    const worst = { globs: condition({ glob: globs }), parts: condition({ contains: parts }) };

    it.each(Object.entries(worst))(
      "of the worst %s is each text once for each rule, and fits",
      (_what, rules) => {
        for (const length of [650, 6_500, 65_000]) {
          let characters = 0;
          const effort = createGateEffort();
          const holds = holdsWithin(
            rules,
            { command: LONGEST.slice(0, length) },
            {
              ...effort,
              spend(more) {
                characters += more;
                effort.spend(more);
              },
            },
          );
          expect(holds).toBe(false);
          expect(characters).toBe(200 * length);
          expect(characters).toBeLessThan(MAX_GATE_EFFORT);
        }
      },
    );

    it.each(Object.entries(worst))(
      "of the worst %s grows with the number of rules and no faster",
      (what, rules) => {
        const few = (count: number): ArgumentCondition => ({
          ...rules,
          glob: rules.glob.slice(0, count),
          contains: rules.contains.slice(0, count),
        });
        const command = LONGEST.slice(0, 6_500);
        expect(
          growthOf([2, 20, 200], (count) => conditionHolds(few(count), { command })),
          what,
        ).toBe("even");
      },
    );

    it("ends where it is used up, with one fault that is told and the rest that is not", () => {
      const effort = createGateEffort(100);
      const told: boolean[] = [];
      for (let gate = 0; gate < 5; gate++)
        try {
          holdsWithin(condition({ contains: ["x"] }), { command: "a".repeat(40) }, effort);
        } catch (error) {
          told.push((error as NotAsked).isTold);
        }
      expect(told).toEqual([false, true, true]);
    });

    it("the twin: without a budget it is as much as there are rules", LONG_ONLY, () => {
      let characters = 0;
      const unbounded = {
        spend(more: number) {
          characters += more;
        },
        textOf: (_: string, make: () => string) => make(),
      };
      const dear = condition({
        glob: Array.from({ length: 200 }, () => `*${"a".repeat(100)}?${"a".repeat(24)}b*`),
      });
      holdsWithin(dear, { command: LONGEST }, unbounded);
      expect(characters).toBeGreaterThan(MAX_GATE_EFFORT);
      expect(() => conditionHolds(dear, { command: LONGEST })).toThrow(
        "its gates may examine 33554432 characters in total per event; the rest was not examined",
      );
    });
  });
});
