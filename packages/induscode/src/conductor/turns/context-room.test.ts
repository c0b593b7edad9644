import { expect, it } from "vitest";
import { createRefills } from "./context-room.ts";

it("summaries, where six in a row are full again within three answers, are thrashing (twin: with four answers they are not)", () => {
  const afterSix = (answers: number): boolean => {
    const refills = createRefills();
    for (let summary = 0; summary < 6; summary++) {
      refills.summarised();
      for (let answer = 0; answer < answers; answer++) refills.answered();
    }
    return refills.isThrashing();
  };
  expect([afterSix(3), afterSix(4)]).toEqual([true, false]);
});

it("a second summary, for a reply that still does not fit, counts once", () => {
  const refills = createRefills();
  for (let summary = 0; summary < 10; summary++) refills.summarised();
  refills.answered();
  expect(refills.isThrashing()).toBe(false);
});
