import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { createFolder } from "../../../../../tests/support/test-folder.ts";
import { createAddonTimes, readTimes, storeTimes } from "./addon-times.ts";

it("has the number of calls, the median and the longest time", () => {
  const times = createAddonTimes();
  for (const ms of [5, 1, 3]) times.note("event", ms);
  times.note("start", 40);
  expect(times.table()).toEqual({
    event: { count: 3, medianMs: 3, maxMs: 5 },
    start: { count: 1, medianMs: 40, maxMs: 40 },
  });
});

it("forgets old samples for the median and never lowers the count", () => {
  const times = createAddonTimes();
  for (let at = 0; at < 1_000; at++) times.note("event", at < 700 ? 100 : 1);
  expect(times.table()).toEqual({ event: { count: 1_000, medianMs: 1, maxMs: 100 } });
});

it("are stored, for each addon the newest", () => {
  const home = createFolder();
  expect(readTimes(home)).toEqual([]);
  const table = { event: { count: 1, medianMs: 1, maxMs: 1 } };
  storeTimes(home, "project:b", {});
  storeTimes(home, "project:b", table);
  storeTimes(home, "project:a/../c", table);
  expect(readTimes(home).map(({ addon, table }) => [addon, table])).toEqual([
    ["project:a/../c", table],
    ["project:b", table],
  ]);
  const warned = vi.spyOn(process, "emitWarning").mockReturnValue();
  writeFileSync(join(home, "cache/times/bad.json"), "{");
  expect(readTimes(home).length).toBe(2);
  expect(warned).toHaveBeenCalledOnce();
  warned.mockRestore();
});
