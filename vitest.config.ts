import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { SlowestFirst } from "./tests/support/slowest-first.ts";

// Unit tests sit beside their file; whole flows live in tests/. A file called *.measured.test.ts needs the machine for itself:
// these run after the others, one at a time.
const measured = ["packages/*/src/**/*.measured.test.ts", "tests/**/*.measured.test.ts"];

// What only computes: these files share a few processes, instead of starting one each.
const pure = [
  "packages/indusagi/src/{core,runtime,llmgateway}/**/*.test.ts",
  "packages/indusagi/src/capabilities/{files,kernel,planning}/**/*.test.ts",
  "packages/induscode/src/{briefing,channels,conductor,console,deck,feature}/**/*.test.ts",
];
const setupFiles = "tests/support/built-runners.ts";

export default defineConfig({
  resolve: { conditions: ["indus-source"] },
  ssr: { resolve: { conditions: ["indus-source"] } },
  test: {
    // No machine is so busy that an honest test takes longer.
    testTimeout: 90_000,
    hookTimeout: 90_000,
    teardownTimeout: 90_000,
    // Two for every core: half of a test's time is waiting for a process that it started.
    maxWorkers: 2 * availableParallelism(),
    sequence: { sequencer: SlowestFirst },
    globalSetup: ["tests/support/temp-folder.ts", "tests/support/real-python.ts"],
    projects: [
      {
        extends: true,
        test: {
          name: "suite",
          include: ["packages/*/src/**/*.test.ts", "tests/**/*.test.ts"],
          exclude: [...measured, ...pure],
          setupFiles,
        },
      },
      { extends: true, test: { name: "pure", include: pure, exclude: measured, isolate: false } },
      {
        extends: true,
        test: {
          name: "measured",
          include: measured,
          setupFiles,
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
