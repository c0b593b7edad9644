import { expect, it } from "vitest";
import { modelProblem } from "./asked-model.ts";
import type { MacroOrigin } from "./contract.ts";

// A repository chooses no provider: that decides who reads the person's code, and at what price. A name that the person gave is theirs.
it.each<readonly [string, MacroOrigin, string | undefined]>([
  ["openai/big", "user", undefined],
  ["openai/big", "project", "only files in your home folder may name a model as provider/model"],
  ["haiku", "user", undefined],
  ["haiku", "project", undefined],
  ["opus", "user", "no model has the alias opus"],
  ["opus", "project", "no model has the alias opus"],
])("%s in a file of the %s: %s", (model, origin, problem) => {
  expect(modelProblem(model, origin, new Set(["haiku"]))).toBe(problem);
});
