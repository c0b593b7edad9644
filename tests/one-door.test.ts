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
  expect(filesWith(".invoke(")).toEqual(["deck/boundary/boundary.ts"]);
  expect(filesWith(".execute(")).toEqual([]);
});

it("tools reach a session through the registry alone: nothing takes them from the framework's own catalogue", () => {
  for (const shortcut of ["builtinRegistry", "toolBox(", "tryToolBox", "toToolBox"]) {
    expect(filesWith(shortcut)).toEqual([]);
  }
  // Whoever makes a registry: the session, the same in a program of somebody else's, and whoever only looks at features.
  expect(filesWith("createRegistry(")).toEqual([
    "addons/library-host.ts",
    "feature/registry.ts",
    "parts/addons/features-here.ts",
    "session/open-indus.ts",
  ]);
  expect(filesWith("installFeatures(")).toEqual([
    "addons/author/check-addon.ts",
    "feature/registry.ts",
    "parts/doctor/run-doctor.ts", // looks at what a session would have
    "parts/permissions/run-why.ts", // and what it would decide
  ]);
  expect(filesWith("commitFeature(")).toEqual([
    "feature/registration/commit-feature.ts",
    "feature/registry.ts",
  ]);
});
