import { expect, it } from "vitest";
import { runnerNodeProblem } from "./runner-node.ts";

it.each([
  ["module", "20.20.2", true],
  ["wasm", "24.14.9", true],
  ["module", "24.15.0", false],
  ["wasm", "26.10.0", false],
  ["python", "20.20.2", false],
  ["process", "20.20.2", false],
] as const)("a %s addon on Node %s: is it refused? %s", (runtime, version, isRefused) => {
  const problem = runnerNodeProblem({ runtime }, version);
  expect(problem).toBe(
    isRefused ? `its code needs Node 24.15 or later; this program runs on Node ${version}` : undefined,
  );
});
