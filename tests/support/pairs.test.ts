import { describe, expect, it } from "vitest";
import { allCombinations, pairsOf, pairwise } from "./pairs.ts";

const AXES = {
  colour: ["red", "green", "blue"],
  size: ["small", "large"],
  shape: ["round", "square", "flat", "long"],
} as const;
const isPossible = ({ colour, shape }: { colour: string; shape: string }): boolean =>
  colour !== "red" || shape !== "flat";

describe("pairwise", () => {
  it("holds every pair that any combination holds, and few combinations", () => {
    const all = allCombinations(AXES, isPossible);
    const few = pairwise(AXES, isPossible);
    expect(new Set(few.flatMap(pairsOf))).toEqual(new Set(all.flatMap(pairsOf)));
    expect(all).toHaveLength(22);
    expect(few.length).toBeLessThanOrEqual(13); // no fewer than the pairs of the two largest axes: eleven
    expect(all).toEqual(expect.arrayContaining([...few]));
  });

  it("is the same every time", () => {
    expect(pairwise(AXES)).toEqual(pairwise(AXES));
    expect(pairwise(AXES)[0]).toEqual({ colour: "red", size: "small", shape: "round" });
  });
});
