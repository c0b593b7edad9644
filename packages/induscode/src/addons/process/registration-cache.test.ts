import { readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createFolder } from "../../../../../tests/support/test-folder.ts";
import { createRegistrationCache } from "./registration-cache.ts";

const REGISTRATION = { protocol: 1, handlers: [{ event: "tool:before", kind: "gate" }] } as const;

it("answers what was stored under the same key, and nothing that does not fit the protocol", () => {
  const home = createFolder();
  const cache = createRegistrationCache({ home });
  expect(cache.find("k")).toBeUndefined();
  cache.store("k", REGISTRATION);
  expect(createRegistrationCache({ home }).find("k")).toEqual(REGISTRATION);
  expect(cache.find("other")).toBeUndefined();
  const path = join(home, "cache", "registrations", "k.json");
  for (const content of ["{", '{"handlers":[]}', '{"protocol":"1"}']) {
    writeFileSync(path, content);
    expect(cache.find("k")).toBeUndefined();
  }
});

it("with a new entry, what nobody used for a month is removed; what is used stays", () => {
  const home = createFolder();
  const folder = join(home, "cache", "registrations");
  const cache = createRegistrationCache({ home });
  const long = new Date(Date.now() - 31 * 24 * 60 * 60 * 1000);
  for (const key of ["used", "unused"]) cache.store(key, REGISTRATION);
  writeFileSync(join(folder, "half.of-a-draft"), "{");
  for (const name of readdirSync(folder)) utimesSync(join(folder, name), long, long);
  expect(cache.find("used")).toEqual(REGISTRATION);
  expect(readdirSync(folder)).toHaveLength(3); // a session that writes nothing removes nothing
  cache.store("new", REGISTRATION);
  expect(readdirSync(folder).sort()).toEqual(["new.json", "used.json"]);
});
