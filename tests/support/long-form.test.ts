import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, vi } from "vitest";

/** An instance of its own: its decision must not affect the files that share this process. */
async function formOf(until: number | undefined) {
  vi.stubEnv("INDUS_TESTS", "all");
  vi.stubEnv("INDUS_LONG_UNTIL", until === undefined ? undefined : String(until));
  vi.stubEnv("INDUS_SHORT_FORMS", join(mkdtempSync(join(tmpdir(), "indus-forms-")), "noted"));
  const module = new URL(`./long-form.ts?until=${until}`, import.meta.url).href;
  const form = (await import(module)) as typeof import("./long-form.ts");
  form.decideForm("/x/a.test.ts");
  return { isLong: form.isLong, of: process.env.INDUS_TESTS, noted: process.env.INDUS_SHORT_FORMS ?? "" };
}

it("is long until the time is over, then short for what follows and what that starts, and noted", async () => {
  expect(await formOf(undefined)).toMatchObject({ isLong: true, of: "all" });
  expect(await formOf(Number.MAX_SAFE_INTEGER)).toMatchObject({ isLong: true, of: "all" });
  const { noted, ...late } = await formOf(0);
  expect(late).toEqual({ isLong: false, of: undefined });
  expect(readFileSync(noted, "utf8")).toBe("/x/a.test.ts\n");
});
