import { expect, test } from "vitest";
import type { Entry } from "../conductor/contract.ts";
import { createPlanState } from "./plan-state.ts";

const PLANNING = [{ type: "plan", isPlanning: true }, { type: "end" }] as unknown as readonly Entry[];

function scene(startsPlanning: boolean) {
  const noted: boolean[] = [];
  const plan = createPlanState(startsPlanning);
  plan.entered([]);
  plan.join({
    notePlanning: (isPlanning: boolean) => void noted.push(isPlanning),
    notify: () => true,
  } as never);
  return { plan, noted };
}

test("whether a session plans is what its entries say, wherever it comes from: a start, a resume, a fork or a jump", () => {
  const { plan, noted } = scene(false);
  expect(plan.isPlanning()).toBe(false);
  plan.entered(PLANNING);
  expect(plan.isPlanning()).toBe(true);
  plan.entered([]);
  expect(plan.isPlanning()).toBe(false);
  expect(noted).toEqual([]);
});

test("a new session plans and notes it if the first one was started to plan", () => {
  const { plan, noted } = scene(true);
  plan.set(false);
  plan.entered([]);
  expect([plan.isPlanning(), noted]).toEqual([true, [true, false, true]]);
});
