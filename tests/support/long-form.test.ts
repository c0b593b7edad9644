import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { isInTime } from "./long-form.ts";

it("has time until it is over, and notes for what there is none", () => {
  const noted = join(mkdtempSync(join(tmpdir(), "indus-unplayed-")), "noted");
  vi.stubEnv("INDUS_UNPLAYED", noted);
  const at = (until: string | undefined) => {
    vi.stubEnv("INDUS_LONG_UNTIL", until);
    return isInTime("/x/a.test.ts");
  };
  expect([undefined, String(Number.MAX_SAFE_INTEGER), "0"].map(at)).toEqual([true, true, false]);
  expect(readFileSync(noted, "utf8")).toBe("/x/a.test.ts\n");
});
