// Import this first: the runners of the built product stand in for their sources, as they do wherever indus is installed.
// They start three times as fast.

import { join } from "node:path";
import { vi } from "vitest";
import type { RunnerFile, RunnerName } from "../../packages/induscode/src/addons/runners/runner-file.ts";
import { builtFolder } from "../support/built.ts";

vi.mock(import("../../packages/induscode/src/addons/runners/runner-file.ts"), () => ({
  runnerFile(name: RunnerName): RunnerFile {
    const path = join(builtFolder, `${name}.mjs`);
    return { path, readable: name === "module-runner" ? [path, join(builtFolder, "addon-kit.mjs")] : [path] };
  },
}));
