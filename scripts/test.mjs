// `npm test -- ARGS`: sets up, runs vitest, and ends with the line "N passed, N failed". ARGS are vitest's: with a path or
// --watch nothing is built beforehand, since the tests that start the command see to it (tests/support/built.ts).
// `npm run test:all` adds the long forms and a fresh seed; with --long it runs only the files that have one of these.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { stripVTControlCharacters } from "node:util";
import {
  endLike,
  ensureBuilt,
  ensureInstalled,
  nameFreshSeed,
  root,
  runForeground,
  runScript,
  runtimeNode,
  say,
  toolFile,
} from "./setup.mjs";

const own = new Set(["--all", "--long"]);
const args = process.argv.slice(2).filter((arg) => !own.has(arg));
const [isAll, isLongOnly] = [...own].map((flag) => process.argv.includes(flag));
const isWatch = args.includes("--watch") || args.includes("-w");
const isFiltered = args.some((arg) => /^(-t|--testNamePattern)\b/.test(arg));
const vitest = toolFile("vitest/vitest.mjs");

await runScript(async () => {
  ensureInstalled();
  if (isAll) {
    process.env.INDUS_TESTS = "all";
    nameFreshSeed();
  }
  if (isWatch) return endLike(await runForeground(runtimeNode(), [vitest, ...args]));
  if (args.every((arg) => arg.startsWith("-"))) {
    ensureBuilt();
    process.env.INDUS_BUILT = "1";
  }
  if (isLongOnly) args.push(...filesWithLongForm());
  await runOnce();
});

/** What reads INDUS_TESTS, by itself or through the helpers of tests/support. */
function filesWithLongForm() {
  const signs = /INDUS_TESTS|support\/(long-form|fast-check)\.ts|\.\/property\.ts/;
  const all = ["packages", "tests"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true }).map((name) => join(folder, name)),
  );
  const tests = all.filter((file) => file.endsWith(".test.ts") && !file.includes("node_modules"));
  return tests.filter((file) => signs.test(readFileSync(join(root, file), "utf8")));
}

async function runOnce() {
  const folder = mkdtempSync(join(tmpdir(), "indus-test-"));
  const report = join(folder, "report.json");
  try {
    const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
    const needs = join(folder, "needs.jsonl");
    process.env.INDUS_TEST_NEEDS = needs;
    const ended = await runForeground(runtimeNode(), [vitest, "run", ...reporters, ...args]);
    const { passed, failed } = count(report, ended);
    if (!isFiltered) sayWhatWasSkipped(report, needs);
    sayWhatFailed(report);
    if (passed + failed === 0) say("no test ran: that counts as a failure");
    process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
    process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** One line: how many tests were skipped, what they need, and how to get it (tests/support/needs.ts). */
function sayWhatWasSkipped(report, needs) {
  if (!existsSync(report)) return;
  const noted = existsSync(needs) ? readFileSync(needs, "utf8").trim().split("\n") : [];
  const missing = noted.map((line) => JSON.parse(line));
  const counts = new Map();
  for (const { name, assertionResults } of JSON.parse(readFileSync(report, "utf8")).testResults) {
    const skipped = assertionResults.filter(
      ({ status }) => status !== "passed" && status !== "failed",
    ).length;
    const own = missing.filter(({ file }) => name.endsWith(file));
    const why = [...new Set(own.map(({ need, remedy }) => `${need} (${remedy})`))].sort().join(" or ");
    if (skipped > 0) counts.set(why, (counts.get(why) ?? 0) + skipped);
  }
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  if (total === 0) return;
  const parts = [...counts].map(([why, count]) =>
    why === "" ? `${count} are for another system` : `${count} need ${why}`,
  );
  process.stdout.write(`\n${total} skipped: ${parts.join("; ")}\n`);
}

/** One line for each failure, near the end, where a service that keeps only the tail of an output still shows it. */
function sayWhatFailed(report) {
  if (!existsSync(report)) return;
  for (const { name, status, message, assertionResults } of JSON.parse(readFileSync(report, "utf8"))
    .testResults) {
    const file = relative(root, name);
    const failed = assertionResults.filter((test) => test.status === "failed");
    if (status === "failed" && failed.length === 0) sayFailure(file, message);
    for (const { fullName, failureMessages } of failed)
      sayFailure(`${file} > ${fullName}`, failureMessages[0]);
  }
}

function sayFailure(what, message = "") {
  const why = message.trimStart().split("\n", 1)[0].slice(0, 300);
  process.stdout.write(`\nfailed: ${what}: ${stripVTControlCharacters(why)}`);
}

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
