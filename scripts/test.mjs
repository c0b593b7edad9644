// `npm test -- ARGS`: sets up, runs vitest, and ends with the line "N passed, N failed".
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  ensureBuilt,
  ensureInstalled,
  runForeground,
  runScript,
  runtimeNode,
  say,
  toolFile,
} from "./setup.mjs";

await runScript(async () => {
  ensureInstalled();
  ensureBuilt();
  const folder = mkdtempSync(join(tmpdir(), "indus-test-"));
  const report = join(folder, "report.json");
  try {
    const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
    const args = [toolFile("vitest/vitest.mjs"), "run", ...reporters, ...process.argv.slice(2)];
    const ended = await runForeground(runtimeNode(), args);
    const { passed, failed } = count(report, ended);
    if (passed + failed === 0) say("no test ran: that counts as a failure");
    process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
    process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

/** A file that could not load, a crash and an error outside any test count as one failure each. */
function count(report, ended) {
  let result;
  try {
    result = JSON.parse(readFileSync(report, "utf8"));
  } catch (error) {
    say(`vitest left no report (${ended.signal ?? `exit code ${ended.code}`}): ${error.message}`);
    return { passed: 0, failed: 1 };
  }
  const unloaded = result.testResults.filter(
    (file) => file.status === "failed" && !file.assertionResults.some((test) => test.status === "failed"),
  ).length;
  const failed = result.numFailedTests + unloaded;
  const outside = failed === 0 && ended.code !== 0 && result.numPassedTests > 0 ? 1 : 0;
  return { passed: result.numPassedTests, failed: failed + outside };
}
