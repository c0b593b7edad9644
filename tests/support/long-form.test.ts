import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { isInTime, noteUnplayed } from "./long-form.ts";

it("has time until it is over, by the clock of the machine, and notes what it had none for", () => {
  const at = (until: string | undefined) => {
    vi.stubEnv("INDUS_LONG_UNTIL", until);
    return isInTime();
  };
  vi.useFakeTimers({ now: Number.MAX_SAFE_INTEGER });
  try {
    expect([undefined, "8640000000000000", "0"].map(at)).toEqual([true, true, false]);
  } finally {
    vi.useRealTimers();
  }
  const notes = join(mkdtempSync(join(tmpdir(), "indus-unplayed-")), "noted");
  vi.stubEnv("INDUS_UNPLAYED", notes);
  noteUnplayed("/x/a.test.ts");
  noteUnplayed("/x/b.test.ts");
  expect(readFileSync(notes, "utf8")).toBe("/x/a.test.ts\n/x/b.test.ts\n");
});
