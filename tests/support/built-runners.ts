// In every test the runners of the built product stand in for their sources, as they do wherever indus is installed; they start
// three times as fast. Nothing is built before one of them is asked for.

import { join } from "node:path";
import { afterAll, expect, vi } from "vitest";
import type { RunnerFile, RunnerName } from "../../packages/induscode/src/addons/runners/runner-file.ts";
import { decideForm } from "./long-form.ts";
import { endShared } from "./shared-process.ts";

vi.mock(import("../../packages/induscode/src/addons/runners/runner-file.ts"), async () => {
  const { builtFolder } = await import("./built.ts");
  return {
    runnerFile(name: RunnerName): RunnerFile {
      const folder = builtFolder();
      const path = join(folder, `${name}.mjs`);
      return { path, readable: name === "module-runner" ? [path, join(folder, "addon-kit.mjs")] : [path] };
    },
  };
});

// `unstubEnvs` takes back what a test set before the next test of its file: after the last one, files that share the
// process would have it.
afterAll(() => {
  vi.unstubAllEnvs();
});
afterAll(endShared);
decideForm(expect.getState().testPath ?? "");
