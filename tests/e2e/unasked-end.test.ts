// An end that nobody asked for: `bin/indus.cjs`, in a process of its own, with a product in which something goes wrong.

import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const ENTRY: string = fileURLToPath(new URL("../../packages/induscode/bin/indus.cjs", import.meta.url));

/** Runs the entry with this text as the bundled product. */
function runWith(product: string): {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
} {
  const folder = mkdtempSync(join(tmpdir(), "indus-entry-"));
  mkdirSync(join(folder, "bin"));
  mkdirSync(join(folder, "dist/app"), { recursive: true });
  copyFileSync(ENTRY, join(folder, "bin/indus.cjs"));
  writeFileSync(join(folder, "package.json"), '{"type":"module","version":"1.2.3"}');
  writeFileSync(join(folder, "dist/app/main.js"), product);
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(folder, "bin/indus.cjs"), "x"], {
    encoding: "utf8",
    env: { PATH: process.env.PATH, HOME: folder },
  });
  return { code: status, stdout, stderr };
}

describe("a run whose work is lost", () => {
  const LOST = "new Promise(() => undefined)";

  it("ends with 70 and one line when nothing is left to wait for", () => {
    expect(runWith(`export const main = () => ${LOST};`)).toEqual({
      code: 70,
      stdout: "",
      stderr:
        "indus: ended before its work was done, because nothing was left to wait for. This is a defect of indus.\n",
    });
  });

  it("twin: Node itself says nothing and ends with 0", () => {
    const { status, stderr } = spawnSync(process.execPath, ["-e", `(async () => { await ${LOST}; })()`], {
      encoding: "utf8",
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });

  it.each([0, 1, 2, 130])(
    "is none where main has answered: %i stays what it is, and output is whole",
    (code) => {
      const text = "x".repeat(300_000);
      const product = `export const main = async () => { process.stdout.write("x".repeat(300_000)); return ${code}; };`;
      expect(runWith(product)).toEqual({ code, stdout: text, stderr: "" });
    },
  );
});
