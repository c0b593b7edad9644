import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { errorCode } from "indusagi/core";
import { describe, expect, it, onTestFinished } from "vitest";
import { makeFolder } from "./make-folder.ts";

function base(): string {
  const made = mkdtempSync(join(tmpdir(), "indus-make-folder-"));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

function codeOf(work: () => unknown): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return errorCode(error);
  }
}

describe("makeFolder", () => {
  it("makes all that are missing, and none again", () => {
    const path = join(base(), "a", "b", "c");
    makeFolder(path);
    makeFolder(path);
    expect(statSync(path).isDirectory()).toBe(true);
  });

  it("says what stands in the way; the twin: Node's own call says that nothing is there", () => {
    const link = join(base(), "link");
    symlinkSync(join(link, "..", "nowhere"), link);
    const path = join(link, "a", "b");
    expect(codeOf(() => mkdirSync(path, { recursive: true }))).toBe("ENOENT");
    expect(codeOf(() => makeFolder(path))).toBe("EEXIST");
  });
});
