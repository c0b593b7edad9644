import { defineConfig } from "vitest/config";

// Unit tests sit beside their file; whole flows live in tests/. A file called *.measured.test.ts needs the machine for itself:
// these run after the others, one at a time.
const measured = ["packages/*/src/**/*.measured.test.ts", "tests/**/*.measured.test.ts"];

export default defineConfig({
  resolve: { conditions: ["indus-source"] },
  ssr: { resolve: { conditions: ["indus-source"] } },
  test: {
    // No machine is so busy that an honest test takes longer.
    testTimeout: 90_000,
    hookTimeout: 90_000,
    teardownTimeout: 90_000,
    // Every core: much of a test is waiting for a process that it started.
    maxWorkers: "100%",
    globalSetup: "tests/support/temp-folder.ts",
    setupFiles: "tests/support/built-runners.ts",
    projects: [
      {
        extends: true,
        test: {
          name: "suite",
          include: ["packages/*/src/**/*.test.ts", "tests/**/*.test.ts"],
          exclude: measured,
        },
      },
      {
        extends: true,
        test: { name: "measured", include: measured, fileParallelism: false, sequence: { groupOrder: 1 } },
      },
    ],
  },
});
