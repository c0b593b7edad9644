import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createFaultWindow, QUARANTINE_FAULTS, QUARANTINE_WINDOW_MS } from "./fault-window.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["hrtime"] }));
afterEach(() => void vi.useRealTimers());

it("is full at the third fault of one kind within five minutes", () => {
  expect([QUARANTINE_FAULTS, QUARANTINE_WINDOW_MS]).toEqual([3, 300_000]);
  const faults = createFaultWindow();
  expect([faults.note("handler"), faults.note("command"), faults.note("handler")]).toEqual([
    false,
    false,
    false,
  ]);
  vi.advanceTimersByTime(QUARANTINE_WINDOW_MS + 1);
  expect([faults.note("handler"), faults.note("handler"), faults.note("handler")]).toEqual([
    false,
    false,
    true,
  ]);
});

it("begins anew once it is cleared", () => {
  const faults = createFaultWindow();
  faults.note("handler");
  faults.note("handler");
  faults.clear();
  expect(faults.note("handler")).toBe(false);
});
