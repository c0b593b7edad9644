import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test, vi } from "vitest";
import { builtFolder } from "../../../../../tests/support/built.ts";
import { readImports } from "../../../../../tests/support/import-graph.ts";
import { createFolder } from "../../../../../tests/support/test-folder.ts";
import { DESCRIBE, startProgram } from "../../../../../tests/support/test-runner.ts";
import type { AddonProgram } from "../process/contract.ts";
import { runnerFile } from "./runner-file.ts";

const root = fileURLToPath(new URL("../../../../../", import.meta.url));
const example = join(root, "examples/addons/secret-scan/secret-scan.wasm");

vi.unmock(import("./runner-file.ts")); // use the real module, which tests/support/built-runners.ts mocks in every other test

test("in the sources a runner is its .ts file, with what it imports", () => {
  for (const name of ["module-runner", "wasm-runner"] as const) {
    const { path, readable } = runnerFile(name);
    expect(path).toBe(join(import.meta.dirname, `${name}.ts`));
    expect(readable).toContain(import.meta.dirname);
    expect(readable).toContain(join(root, "packages/induscode/package.json"));
  }
  expect(runnerFile("landlock-launcher").path).toMatch(/sandbox\/landlock-launcher\.ts$/);
});

test.each(["module-runner", "wasm-runner", "compile-runner", "landlock-launcher"] as const)(
  "in the sources %s may read every file that it imports",
  (name) => {
    const { path, readable } = runnerFile(name);
    expect(loadedBy(path).filter((file) => !readable.some((place) => file.startsWith(place)))).toEqual([]);
  },
);

describe("in the built product", () => {
  const app = builtFolder();

  const program = (args: readonly string[], readable: readonly string[]): AddonProgram => ({
    runtime: "module",
    argv: [process.execPath, ...args],
    cwd: "/",
    readable,
    isNode: true,
    maxMemoryBytes: 0,
  });

  test("the module runner needs itself and the kit, and its addon shares the kit with it", async () => {
    const addon = createFolder({
      "index.js": `import { HostRefused, stop } from "induscode/addons";
        export async function register(surface) {
          const told = await surface.host.secret("X").catch((error) => error instanceof HostRefused);
          surface.addCommand("c", { summary: stop(String(told)).reason, run() {} });
        }`,
    });
    const files = [join(app, "module-runner.mjs"), join(app, "addon-kit.mjs")];
    const args = [join(app, "module-runner.mjs"), join(addon, "index.js"), addon, "-"];
    const runner = startProgram(program(args, [...files, addon]));
    expect(await runner.request("describe", DESCRIBE)).toMatchObject({
      result: { commands: [{ summary: "true" }] },
    });
    expect(runner.stderr()).toBe("");
  });

  test("the WebAssembly runner needs itself alone", async () => {
    const file = join(app, "wasm-runner.mjs");
    const runner = startProgram(program([file, example, "256"], [file, example]));
    expect(await runner.request("describe", DESCRIBE)).toMatchObject({ result: { protocol: 1 } });
    expect(runner.stderr()).toBe("");
  });

  test("each is one file, and the kit imports nothing", () => {
    const names = readdirSync(app).filter((name) => /^(?!door-).*\.mjs$/.test(name)); // the doors are for programs
    expect(names.sort()).toEqual([
      "addon-kit.mjs",
      "compile-runner.mjs",
      "hooks-addon.mjs",
      "landlock-launcher.mjs",
      "mcp-addon.mjs",
      "module-runner.mjs",
      "wasm-runner.mjs",
    ]);
    const imports = (name: string): readonly string[] => [
      ...new Set(
        Array.from(
          readFileSync(join(app, name), "utf8").matchAll(/\bfrom\s?"([^"]+)"/g),
          ([, from]) => from ?? "",
        ),
      ),
    ];
    expect(Object.fromEntries(names.map((name) => [name, imports(name)]))).toEqual({
      "addon-kit.mjs": [],
      "compile-runner.mjs": [],
      "hooks-addon.mjs": [],
      "landlock-launcher.mjs": [],
      "mcp-addon.mjs": [],
      "module-runner.mjs": ["./addon-kit.mjs"],
      "wasm-runner.mjs": [],
    });
  });
});

/** `file` and, of the project's own, what it loads. */
function loadedBy(file: string, seen: Set<string> = new Set()): readonly string[] {
  if (seen.has(file)) return [];
  seen.add(file);
  for (const { specifier, typeOnly } of readImports(file, readFileSync(file, "utf8")))
    if (!typeOnly && specifier.startsWith(".")) loadedBy(join(dirname(file), specifier), seen);
  return [...seen];
}
