// What waits, races and kills, twice side by side: what holds on a quiet machine holds on a busy one. It runs after all others, so
// that the two are the load. tests/README.md says how to do the same with everything.

import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { toolFile } from "../scripts/setup.mjs";
import { LONG_ONLY } from "./support/long-form.ts";
import { PATIENCE_MS } from "./support/until.ts";

const FILES = [
  "capabilities/backends/command-lifetime",
  "capabilities/shell/job-lifetime",
  "addons/sandbox/linked-repository",
  "addons/sandbox/own-devices",
  "tests/isolation/quarantine",
  ...[
    "dying-addons",
    "exchanged-folders",
    "interrupted-commands",
    "leaving-the-sandbox",
    "live-features",
  ].map((name) => `tests/e2e/${name}`),
  ...["planted-names", "rich-waits", "tasks", "unasked-end"].map((name) => `tests/e2e/${name}`),
].map((name) => `${name}.test.ts`);

/** In their short form, with nothing of what this run tells its own tests. */
function environment(): NodeJS.ProcessEnv {
  const own = /^(?:VITEST|INDUS_(?:TESTS|TEST_NEEDS|LONG_UNTIL|UNPLAYED)$)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !own.test(name)));
}

async function runFiles(): Promise<{ readonly code: number | null; readonly failed: string }> {
  const child = spawn(
    process.execPath,
    [toolFile("vitest/vitest.mjs"), "run", "--reporter=tap-flat", ...FILES],
    {
      cwd: fileURLToPath(new URL("..", import.meta.url)),
      env: environment(),
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  const ended = new Promise<number | null>((resolve, reject) =>
    child.on("close", resolve).on("error", reject),
  );
  const said = await text(child.stdout);
  const failed = said.split("\n").filter((line) => line.startsWith("not ok") || /^ +message: /.test(line));
  return { code: await ended, failed: failed.join("\n") };
}

it("what waits, races and kills passes twice side by side", {
  ...LONG_ONLY,
  timeout: 10 * PATIENCE_MS,
}, async () => {
  const both = await Promise.all([runFiles(), runFiles()]);
  expect(both).toEqual([
    { code: 0, failed: "" },
    { code: 0, failed: "" },
  ]);
});
