import { expect, it } from "vitest";
import { Problem } from "./problem.ts";

class OneKind extends Problem {}

it("a problem is known by its name, and a kind of problem by its class", () => {
  const copy = Object.assign(new Error("of another copy of the module"), { name: "Problem" });
  expect(copy instanceof Problem).toBe(true);
  expect(new OneKind("") instanceof Problem).toBe(true);
  expect(new OneKind("") instanceof OneKind).toBe(true);
  expect(new Problem("") instanceof OneKind).toBe(false);
  expect(copy instanceof OneKind).toBe(false);
  expect(new Error("") instanceof Problem).toBe(false);
});
