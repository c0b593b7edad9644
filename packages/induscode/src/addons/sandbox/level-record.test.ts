import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createFolder } from "../../../../../tests/support/test-folder.ts";
import { readLevelRecord, writeLevelRecord } from "./level-record.ts";

const BWRAP = "/usr/bin/bwrap";

describe("the record of a level", () => {
  it("comes back on the same system, readable for this user alone", () => {
    const path = join(createFolder(), "cache/sandbox.json");
    writeLevelRecord(path, { level: "landlock", abi: 7 }, BWRAP);
    expect(readLevelRecord(path, BWRAP)).toEqual({ level: "landlock", abi: 7 });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    writeLevelRecord(path, { level: "bubblewrap", handsPlaces: true }, BWRAP);
    expect(readLevelRecord(path, BWRAP)).toEqual({ level: "bubblewrap", handsPlaces: true });
  });

  it("does not count on another system", () => {
    const path = join(createFolder(), "sandbox.json");
    writeLevelRecord(path, { level: "bubblewrap", handsPlaces: true }, BWRAP);
    writeFileSync(path, readFileSync(path, "utf8").replace(process.version, "v1.0.0"));
    expect(readLevelRecord(path, BWRAP)).toBeUndefined();
  });

  it.each(["", "{", "null", "[]", '{"system":1}', '{"level":"none"}'])("takes %j as no record", (text) => {
    const path = join(createFolder({ "sandbox.json": text }), "sandbox.json");
    expect(readLevelRecord(path, BWRAP)).toBeUndefined();
  });

  it("refuses levels that confine less, even for the same system", () => {
    const path = join(createFolder(), "sandbox.json");
    for (const level of ["none", "node-permissions"]) {
      writeLevelRecord(path, { level: "bubblewrap", handsPlaces: true }, BWRAP);
      writeFileSync(path, readFileSync(path, "utf8").replace('"bubblewrap"', `"${level}"`));
      expect(readFileSync(path, "utf8")).toContain(level);
      expect(readLevelRecord(path, BWRAP)).toBeUndefined();
    }
  });

  it("is simply not kept where it cannot be written", () => {
    const path = join(createFolder({ file: "" }), "file/sandbox.json");
    writeLevelRecord(path, { level: "bubblewrap", handsPlaces: true }, BWRAP);
    expect(readLevelRecord(path, BWRAP)).toBeUndefined();
  });
});
