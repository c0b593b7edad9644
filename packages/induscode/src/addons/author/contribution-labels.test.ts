import { expect, it } from "vitest";
import { contributionLabels, describeChange } from "./contribution-labels.ts";

it("a report names each contribution, and says which were added and which are missing", () => {
  const before = contributionLabels({
    commands: ["hi"],
    tools: ["shout"],
    hooks: ["tool:before (gate)", "tool:before (gate)", "intercept:*"],
    tasks: ["watch"],
    providers: ["acme"],
  });
  expect(before).toEqual([
    "command /hi",
    "tool shout",
    "gate tool:before",
    "gate tool:before",
    "around *",
    "task watch",
    "models of acme",
  ]);
  const after = contributionLabels({
    commands: ["hi", "bye"],
    tools: [],
    hooks: ["tool:before (gate)", "tool:before (observe)", "intercept:*"],
    tasks: ["watch"],
  });
  expect(describeChange(before, after)).toBe(
    "+ command /bye, + observe tool:before, - tool shout, - gate tool:before, - models of acme",
  );
  expect(describeChange(before, before)).toBe("");
});
