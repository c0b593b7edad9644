import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createFolder } from "../test-folder.ts";
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
  for (const content of [
    "{",
    '{"handlers":[]}',
    '{"protocol":1,"handlers":[{"event":"tool:never","kind":"gate"}]}',
  ]) {
    writeFileSync(path, content);
    expect(cache.find("k")).toBeUndefined();
  }
});
