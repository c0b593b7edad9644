import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createFolder, fillFolder, writeFiles } from "../../../../../tests/support/test-folder.ts";
import { hashAddon, MAX_ADDON_BYTES, MAX_ADDON_ENTRIES } from "./content-hash.ts";

const FILES = { "manifest.toml": 'id = "x"', "scripts/run.sh": "echo", ".hidden": "1" };

describe("hashAddon", () => {
  it("is the same for the same content, wherever it lies", () => {
    const dir = createFolder(FILES);
    const copy = join(createFolder(), "other-name");
    cpSync(dir, copy, { recursive: true });
    expect(hashAddon(dir)).toMatch(/^[0-9a-f]{64}$/);
    expect(hashAddon(copy)).toBe(hashAddon(dir));
  });

  it.each<[string, (dir: string) => void]>([
    ["a byte of the manifest", (dir) => writeFiles(dir, { "manifest.toml": 'id = "y"' })],
    ["a file that the manifest does not name", (dir) => writeFiles(dir, { "scripts/run.sh": "evil" })],
    ["a hidden file", (dir) => writeFiles(dir, { ".hidden": "2" })],
    ["a new file", (dir) => writeFiles(dir, { "scripts/more.sh": "" })],
    ["a missing file", (dir) => rmSync(join(dir, "scripts/run.sh"))],
    ["a new link", (dir) => symlinkSync("/etc/hostname", join(dir, "link"))],
  ])("changes with %s", (_what, change) => {
    const dir = createFolder(FILES);
    const before = hashAddon(dir);
    change(dir);
    expect(hashAddon(dir)).not.toBe(before);
  });

  it("tells apart what runs together when names and bytes are only joined", () => {
    const joined = (files: Record<string, string>): string => Object.entries(files).flat().join("");
    const pairs = [
      [{ a: "bc" }, { ab: "c" }],
      [{ a: "1", b: "2" }, { a: "1b2" }],
    ] as const;
    for (const [one, other] of pairs) {
      expect(joined(one)).toBe(joined(other));
      expect(hashAddon(createFolder(one))).not.toBe(hashAddon(createFolder(other)));
    }
  });

  it("takes a link by where it points, and never reads through it", () => {
    const outside = createFolder({ secret: "1" });
    const dir = createFolder(FILES);
    symlinkSync(join(outside, "secret"), join(dir, "link"));
    const before = hashAddon(dir);
    writeFiles(outside, { secret: "2" });
    expect(hashAddon(dir)).toBe(before);
  });

  it("tells a link from a file with the text of its target", () => {
    const file = createFolder({ link: "/etc/hostname" });
    const link = createFolder();
    symlinkSync("/etc/hostname", join(link, "link"));
    expect(hashAddon(link)).not.toBe(hashAddon(file));
  });

  it("hashes an entry that is a file alone", () => {
    const dir = createFolder({ "a.ts": "1", "b.ts": "1" });
    const before = hashAddon(join(dir, "a.ts"));
    writeFiles(dir, { "b.ts": "2" });
    expect(hashAddon(join(dir, "a.ts"))).toBe(before);
    expect(hashAddon(join(dir, "b.ts"))).not.toBe(before);
  });

  it.each<[string, (dir: string) => void, string]>([
    ["a pipe", (dir) => execFileSync("mkfifo", [join(dir, "pipe")]), "it is not a regular file"],
    ["a file out of reach", (dir) => chmodSync(join(dir, ".hidden"), 0o000), "EACCES"],
    [
      "too many bytes",
      (dir) => {
        writeFileSync(join(dir, "big"), "");
        truncateSync(join(dir, "big"), MAX_ADDON_BYTES + 1);
      },
      "the limit is",
    ],
    [
      "too many entries",
      (dir) => fillFolder(dir, MAX_ADDON_ENTRIES + 1, (at) => `f${at}`),
      "it has more than 10000 entries",
    ],
    ["nothing there", (dir) => rmSync(dir, { recursive: true }), "ENOENT"],
  ])("refuses %s", (what, change, problem) => {
    if (what === "a file out of reach" && process.getuid?.() === 0) return; // root can read everything
    const dir = createFolder(FILES);
    change(dir);
    expect(() => hashAddon(dir)).toThrow(
      expect.objectContaining({ kind: "io", message: expect.stringContaining(problem) }),
    );
  });
});
