import { defineConfig } from "vitest/config";

// Unit tests sit beside their file; whole flows live in tests/. What measures deadlines and memory runs before the rest, one
// file at a time: beside other work it would measure that work.
const measured = ["tests/isolation/**/*.test.ts"];

export default defineConfig({
  resolve: { conditions: ["indus-source"] },
  ssr: { resolve: { conditions: ["indus-source"] } },
  test: {
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // Every core: much of a test is waiting for a process that it started.
    maxWorkers: "100%",
    globalSetup: "tests/support/temp-folder.ts",
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
        test: { name: "isolation", include: measured, fileParallelism: false },
      },
    ],
  },
});
