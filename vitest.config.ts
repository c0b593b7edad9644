import { availableParallelism, totalmem } from "node:os";
import { defineConfig } from "vitest/config";
import { SlowestFirst } from "./tests/support/slowest-first.ts";

// `npm test` starts vitest with the Node that the product brings; started by hand with an older one, some tests would fail for
// that reason alone.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 24 || (major === 24 && minor < 15)) {
  console.error(
    `vitest: the tests need Node 24.15 or later; found Node ${process.versions.node}. ` +
      "Start them with npm test, or put node_modules/.bin first in PATH.",
  );
  process.exit(1);
}

// Unit tests sit beside their file; whole flows live in tests/. A file called *.measured.test.ts needs the machine for itself:
// these run after the others, one at a time.
const measured = ["packages/*/src/**/*.measured.test.ts", "tests/**/*.measured.test.ts"];

// These watch the memory of their host: each has a process of its own. All others share a few, instead of starting one each;
// what one of them changes of its process it changes back.
const alone = ["matrix", "quarantine", "twins"].map((name) => `tests/isolation/${name}.test.ts`);
const setupFiles = "tests/support/built-runners.ts";

// Three for every core: most of a test's time is waiting for a process that it started; with six, the same tests took 1.1 times as long
// and 1.15 times the processor time. A worker and what it starts take half a gigabyte, which neither a small machine nor one of many
// cores has for so many; the rest is for the machine.
const cores = availableParallelism();
const most = Math.floor(totalmem() / (0.75 * 2 ** 30));
const maxWorkers = Math.max(1, Math.min(3 * cores, Math.max(12, cores), most));

export default defineConfig({
  test: {
    // Node loads the sources itself, as it does wherever they run without a build.
    experimental: { viteModuleRunner: false },
    execArgv: ["--conditions=indus-source"],
    // No machine is so busy that an honest test takes longer.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    teardownTimeout: 90_000,
    // Nothing that a test puts in place of something else outlives it.
    restoreMocks: true,
    unstubEnvs: true,
    maxWorkers,
    runner: "tests/support/timed-runner.ts",
    sequence: { sequencer: SlowestFirst },
    globalSetup: "tests/support/real-python.ts",
    tags: [{ name: "long", description: "npm run test:all plays it, npm test does not (tests/README.md)" }],
    projects: [
      {
        extends: true,
        test: {
          name: "suite",
          include: ["packages/*/src/**/*.test.ts", "scripts/**/*.test.ts", "tests/**/*.test.ts"],
          exclude: [...measured, ...alone],
          setupFiles,
          isolate: false,
        },
      },
      { extends: true, test: { name: "alone", include: alone, setupFiles } },
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
