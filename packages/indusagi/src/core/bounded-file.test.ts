// Files that are read without following a link, on a platform that can refuse one when it opens it, and on one that cannot.

import { mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";

/** What happens at the path between the look at it and the opening. */
let beforeOpening = (): void => undefined;

beforeEach(() => vi.resetModules());
afterEach(() => {
  vi.doUnmock("node:fs");
  beforeOpening = () => undefined;
});

async function reader(hasFlag: boolean): Promise<typeof import("./bounded-file.ts")> {
  vi.doMock("node:fs", async (original) => {
    const fs = await original<typeof import("node:fs")>();
    const { O_NOFOLLOW, ...others } = fs.constants;
    const openSync: typeof fs.openSync = (...args) => {
      beforeOpening();
      return fs.openSync(...args);
    };
    return { ...fs, openSync, constants: hasFlag ? fs.constants : others };
  });
  return import("./bounded-file.ts");
}

function place(): { readonly path: string; readonly other: string } {
  const folder = mkdtempSync(join(tmpdir(), "indus-bounded-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [path, other] = [join(folder, "settings.json"), join(folder, "another")];
  writeFileSync(other, "of somebody else");
  return { path, other };
}

describe.each([true, false])("where opening can refuse a link: %s", (hasFlag) => {
  it("a file is read, and a link is not", async () => {
    const { readBoundedFile } = await reader(hasFlag);
    const { path, other } = place();
    expect(readBoundedFile(other, 100).toString()).toBe("of somebody else");
    symlinkSync(other, path);
    expect(() => readBoundedFile(path, 100)).toThrow(expect.objectContaining({ code: "ELOOP" }));
    expect(readBoundedFile(path, 100, { followsLinks: true }).toString()).toBe("of somebody else");
  });

  it("a file that becomes a link before it is opened is not read", async () => {
    const { readBoundedFile } = await reader(hasFlag);
    const { path, other } = place();
    writeFileSync(path, "of the person");
    beforeOpening = () => {
      renameSync(path, `${path}.old`);
      symlinkSync(other, path);
    };
    expect(() => readBoundedFile(path, 100)).toThrow(expect.objectContaining({ code: "ELOOP" }));
  });
});
