// In every test the built runners replace their sources, as wherever indus is installed; they start three times as fast.
// Nothing is built until one of them is requested.

import { join } from "node:path";
import { afterAll, vi } from "vitest";
import type { RunnerFile, RunnerName } from "../../packages/induscode/src/addons/runners/runner-file.ts";
import { endSpareShared } from "./shared-process.ts";

vi.mock(import("../../packages/induscode/src/addons/runners/runner-file.ts"), async () => {
  const { builtFolder } = await import("./built.ts");
  return {
    bundledAddon: (name: string) => join(builtFolder(), `${name}.mjs`),
    runnerFile(name: RunnerName): RunnerFile {
      const folder = builtFolder();
      const path = join(folder, `${name}.mjs`);
      return { path, readable: name === "module-runner" ? [path, join(folder, "addon-kit.mjs")] : [path] };
    },
  };
});

// `unstubEnvs` reverts a test's changes before the next test of its file: after the last one, other files in the same
// process would still see them.
afterAll(() => {
  vi.unstubAllEnvs();
});
afterAll(endSpareShared);
