// State shared by a session's dispatchers and chains, so that it survives changes to what is committed.

import type { Disposer } from "indusagi/core";
import type { Fence } from "./fence.ts";
import { createGrowthBudget, type GrowthBudget } from "./growth.ts";
import { createObservers, type Observers } from "./observers.ts";

export interface DispatchState {
  readonly observers: Observers;
  readonly growth: GrowthBudget;
}

export function createDispatchState(
  fence: Pick<Fence, "deadlineMs" | "clock" | "session">,
  hold?: () => Disposer,
): DispatchState {
  return { observers: createObservers(fence, hold), growth: createGrowthBudget() };
}
