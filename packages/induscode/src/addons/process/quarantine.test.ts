import { readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { createFolder } from "../../../../../tests/support/test-folder.ts";
import { createQuarantine } from "./quarantine.ts";

const ENTRY = { hash: "ab".repeat(32), id: "redact", path: "/w/.indus/addons/redact.py", why: "it threw" };

it("holds an addon by its content until the person lets it out, in every session", async () => {
  const home = join(createFolder(), "home");
  const here = createQuarantine({ home });
  const elsewhere = createQuarantine({ home });
  expect(elsewhere.find(ENTRY.hash)).toBeUndefined();
  await here.add(ENTRY);
  expect(elsewhere.find(ENTRY.hash)).toMatchObject(ENTRY);
  expect(elsewhere.list()).toEqual([{ ...ENTRY, at: expect.stringMatching(/^\d{4}-.*Z$/) }]);
  expect(await elsewhere.release("another")).toEqual([]);
  expect((await elsewhere.release("redact")).map(({ hash }) => hash)).toEqual([ENTRY.hash]);
  expect(here.find(ENTRY.hash)).toBeUndefined();
  expect(readdirSync(home)).toEqual(["quarantine.json"]);
  expect(statSync(join(home, "quarantine.json")).mode & 0o777).toBe(0o600);
});

it("keeps every one of many that come at once, and lets out by hash", async () => {
  const home = createFolder();
  const hashes = Array.from({ length: 8 }, (_, at) => String(at).repeat(64));
  await Promise.all(hashes.map((hash) => createQuarantine({ home }).add({ ...ENTRY, hash })));
  const quarantine = createQuarantine({ home });
  expect(quarantine.list().length).toBe(8);
  await quarantine.release(hashes[3] ?? "");
  expect(quarantine.list().map(({ hash }) => hash)).not.toContain(hashes[3]);
});

it("counts a damaged file as empty and says so", () => {
  const home = createFolder();
  const warned = vi.spyOn(process, "emitWarning").mockReturnValue();
  for (const content of ["{", "[]", '{ "quarantined": 1 }']) {
    writeFileSync(join(home, "quarantine.json"), content);
    expect(createQuarantine({ home }).list()).toEqual([]);
  }
  writeFileSync(join(home, "quarantine.json"), JSON.stringify({ quarantined: [{ hash: 1 }, null] }));
  expect(createQuarantine({ home }).list()).toEqual([]);
  expect(warned.mock.calls.length).toBe(3);
  warned.mockRestore();
});
