import { defineConfig } from "vitest/config";

// Unit tests sit beside their file; whole flows live in tests/. What measures deadlines, memory or times below half a second
// runs apart from the rest, one file at a time: beside other work it would measure that work.
const inPackages = (folder: string, names: readonly string[]): string[] =>
  names.map((name) => `packages/${folder}/${name}.test.ts`);
const measured = [
  "tests/isolation/**/*.test.ts",
  ...inPackages("indusagi/src", [
    "capabilities/backends/local-shell",
    "capabilities/search/{content-search,find,ignore-rules}",
    "capabilities/shell/{bash,job-lifetime}",
    "llmgateway/{cassette,http-stream,local-server}",
    "llmgateway/providers/providers",
    "runtime/loop",
  ]),
  ...inPackages("induscode/src", [
    "addons/remote/checkable-schema",
    "addons/runners/module-runner",
    "channels/json",
    "deck/boundary",
    "feature/tasks",
  ]),
];

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
        test: { name: "measured", include: measured, fileParallelism: false },
      },
    ],
  },
});
