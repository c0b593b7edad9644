import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createFolder } from "../../../../../tests/support/test-folder.ts";
import { type FilterOptions, seccompFilter } from "./calls/seccomp-filter.ts";
import { filterFile } from "./filter-file.ts";

const options: FilterOptions = { architecture: "x64", mayStartProcesses: false, guardMetadata: false };

describe.skipIf(process.getuid === undefined)("filterFile", () => {
  const before = process.env.TMPDIR;
  let temporary: string;
  let shared: string;
  beforeEach(() => {
    temporary = createFolder();
    shared = join(temporary, `indus-sandbox-${process.getuid?.()}`);
    process.env.TMPDIR = temporary;
  });
  afterEach(() => {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  });

  it("is one file for each filter, in a folder for this user alone", () => {
    const path = filterFile(options);
    expect(new Uint8Array(readFileSync(path))).toEqual(seccompFilter(options));
    expect([dirname(path), statSync(path).mode & 0o777, statSync(shared).mode & 0o777]).toEqual([
      shared,
      0o600,
      0o700,
    ]);
    expect(filterFile(options)).toBe(path);
    expect(filterFile({ ...options, mayStartProcesses: true })).not.toBe(path);
    expect(readdirSync(shared)).toHaveLength(2);
  });

  it("is written anew when it was cleaned away or is not the filter", () => {
    const path = filterFile(options);
    const damages = [
      () => rmSync(shared, { recursive: true }),
      () => rmSync(path),
      () => writeFileSync(path, "allow all"),
      () => {
        rmSync(path);
        symlinkSync("/dev/null", path);
      },
    ];
    for (const damage of damages) {
      damage();
      expect(new Uint8Array(readFileSync(filterFile(options)))).toEqual(seccompFilter(options));
      expect(statSync(path).isFile()).toBe(true);
    }
  });

  it.each<[string, (place: string) => void]>([
    ["a file", (place) => writeFileSync(place, "")],
    ["a link to nothing", (place) => symlinkSync("/nonexistent/place", place)],
    ["a link to a folder of somebody's", (place) => symlinkSync(createFolder(), place)],
    [
      "open to others",
      (place) => {
        mkdirSync(place);
        chmodSync(place, 0o777);
      },
    ],
  ])("does not use a shared folder that is %s", (_, plant) => {
    plant(shared);
    const path = filterFile(options);
    expect(dirname(path)).not.toBe(shared);
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
    if (statSync(shared, { throwIfNoEntry: false })?.isDirectory()) expect(readdirSync(shared)).toEqual([]);
    expect(new Uint8Array(readFileSync(path))).toEqual(seccompFilter(options));
  });
});
