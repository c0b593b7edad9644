// Files that are read without following a link, on a platform that can refuse one when it opens it, and on one that cannot.

import { mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it, onTestFinished } from "vitest";

/** What happens at the path between the look at it and the opening. */
let beforeOpening = (): void => undefined;
Object.assign(globalThis, { beforeOpening: () => beforeOpening() });
afterAll(() => {
  Reflect.deleteProperty(globalThis, "beforeOpening");
});

afterEach(() => {
  beforeOpening = () => undefined;
});

/** The functions of node:fs as the reader finds them on such a platform. */
function files(hasFlag: boolean): string {
  const constants = hasFlag ? "fs.constants" : "{ ...fs.constants, O_NOFOLLOW: undefined }";
  return `data:text/javascript,${encodeURIComponent(`
    import fs from "node:fs";
    export * from "node:fs";
    export const constants = ${constants};
    export const openSync = (...args) => (globalThis.beforeOpening(), fs.openSync(...args));`)}`;
}

/** A reader of its own for each platform: it takes the flag when it is loaded. */
async function reader(hasFlag: boolean): Promise<typeof import("./bounded-file.ts")> {
  const own = `./bounded-file.ts?flag=${hasFlag}`;
  const hooks = registerHooks({
    resolve: (specifier, context, next) =>
      specifier === "node:fs" && context.parentURL?.endsWith(own.slice(1)) === true
        ? { url: files(hasFlag), shortCircuit: true }
        : next(specifier, context),
  });
  try {
    return (await import(own)) as typeof import("./bounded-file.ts");
  } finally {
    hooks.deregister();
  }
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
