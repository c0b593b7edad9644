import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const PRODUCT = join(import.meta.dirname, "../packages/induscode/src");

/** The product's source files in which `text` stands, relative to the product. */
function filesWith(text: string): readonly string[] {
  return readdirSync(PRODUCT, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
    .filter((name) => readFileSync(join(PRODUCT, name), "utf8").includes(text))
    .sort();
}

it("only the boundary runs a tool", () => {
  expect(filesWith(".invoke(")).toEqual(["deck/boundary.ts"]);
  expect(filesWith(".execute(")).toEqual([]);
});

it("tools reach a session through the registry alone: nothing takes them from the framework's own catalogue", () => {
  for (const shortcut of ["builtinRegistry", "toolBox(", "tryToolBox", "toToolBox"]) {
    expect(filesWith(shortcut)).toEqual([]);
  }
  // A session's features and the addon that its author works on; the two checks of authors look at what it would commit.
  const checks = ["addons/author/check-addon.ts", "addons/conformance/check-registration.ts"];
  expect(filesWith("installFeatures(")).toEqual([
    ...checks,
    "addons/library-host.ts", // the same door in a program of somebody else's
    "boot/live-features.ts",
    "boot/run-doctor.ts", // looks at what a session would have
    "boot/session-features.ts",
    "feature/registry.ts",
  ]);
});
