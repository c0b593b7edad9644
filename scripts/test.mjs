// `npm test -- ARGS`: sets up, runs vitest, and ends with the line "N passed, N failed". ARGS are vitest's: with a path or
// --watch nothing is built beforehand, since the tests that start the command see to it (tests/support/built.ts).
// `npm run test:all` adds the long forms and a fresh seed; with --long it runs only the files that have one of these, and keeps
// the seed; after --within=SECONDS no further test begins, and the files of those that do not are named. With --second-try a file in
// which a test failed runs once more, alone, and what passes then is listed by name.
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

const own = new Set(["--all", "--long", "--second-try"]);
const WITHIN = "--within=";
const within = process.argv.find((arg) => arg.startsWith(WITHIN))?.slice(WITHIN.length);
const args = process.argv.slice(2).filter((arg) => !own.has(arg) && !arg.startsWith(WITHIN));
const [isAll, isLongOnly, triesAgain] = [...own].map((flag) => process.argv.includes(flag));
/** Where more files fail, a change broke them. */
const MOST_FILES_TRIED_AGAIN = 5;
const isWatch = args.includes("--watch") || args.includes("-w");
const isFiltered = args.some((arg) => /^(-t|--testNamePattern)\b/.test(arg));
const vitest = toolFile("vitest/vitest.mjs");
// At the first levels some builds of bash read the machine's ~/.bashrc, where their standard input is a socket, as a test's is.
process.env.SHLVL = "2";

await runScript(async () => {
  ensureInstalled();
  if (isAll) {
    process.env.INDUS_TESTS = "all";
    if (!isLongOnly) nameFreshSeed();
    if (within !== undefined) process.env.INDUS_LONG_UNTIL = String(Date.now() + within * 1_000);
  }
  if (isWatch) return endLike(await inTemporaryFolder(() => runForeground(runtimeNode(), [vitest, ...args])));
  if (args.every((arg) => arg.startsWith("-"))) {
    ensureBuilt();
    process.env.INDUS_BUILT = "1";
  }
  if (isLongOnly) args.push(...testFiles().filter(hasLongForm));
  await inTemporaryFolder(runOnce);
});

/**
 * One temporary folder for everything that a test run creates, removed once its processes have ended: leftovers of tests that failed or
 * were killed do not stay on the machine. Node's compiled sources are there too, for each test process that runs them: with them a
 * start from source costs a third of the first one.
 */
async function inTemporaryFolder(work) {
  const folder = mkdtempSync(join(tmpdir(), "indus-run-"));
  process.env.TMPDIR = folder;
  process.env.NODE_COMPILE_CACHE = join(folder, "code");
  try {
    return await work(folder);
  } finally {
    try {
      // What is still ending may write into it.
      rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    } catch (error) {
      say(`this run's temporary folder stays: ${error.message}`);
    }
  }
}

function testFiles() {
  const all = ["packages", "scripts", "tests"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true }).map((name) => join(folder, name)),
  );
  return all.filter((file) => file.endsWith(".test.ts") && !file.includes("node_modules"));
}

/** Whether it reads INDUS_TESTS, by itself or through the helpers of tests/support. */
function hasLongForm(file) {
  const signs =
    /INDUS_TESTS|support\/(long-form|fast-check)\.ts|\.\/property\.ts|create(SharedWorkplace|ServedShared)\b/;
  return signs.test(readFileSync(join(root, file), "utf8"));
}

async function runOnce(folder) {
  process.env.INDUS_UNPLAYED = join(folder, "unplayed");
  const first = await play(folder, "first", args);
  const needs = join(folder, "first.jsonl");
  const unplayed = unplayedFiles();
  if (!isFiltered) sayWhatWasSkipped(first.report, needs, unplayed);
  if (unplayed.length > 0)
    process.stdout.write(`\nnot played, or not to the end, for lack of time: ${unplayed.join(", ")}\n`);
  const { passed, failed, failures } = triesAgain ? await tryAgain(folder, first) : first;
  for (const { what, why } of failures) process.stdout.write(`\nfailed: ${what}: ${why}`);
  if (passed + failed === 0) say("no test ran: that counts as a failure");
  process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
  process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
}

async function play(folder, name, what) {
  const report = join(folder, `${name}.json`);
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  process.env.INDUS_TEST_NEEDS = join(folder, `${name}.jsonl`);
  const ended = await runForeground(runtimeNode(), [vitest, "run", ...reporters, ...what]);
  const counted = count(report, ended);
  const failures = failuresIn(report);
  if (counted.failed > 0 && failures.length === 0)
    failures.push({
      what: "the run",
      why: counted.why ?? "an error outside of its tests: what was printed before the report says it",
    });
  return { report, failures, ...counted };
}

/** A test that only fails in company is a defect of its own: it is named, and does not hold up everything else. */
async function tryAgain(folder, first) {
  const files = [...new Set(first.failures.flatMap(({ file = [] }) => file))];
  if (files.length === 0 || files.length > MOST_FILES_TRIED_AGAIN) return first;
  say(`trying again, alone: ${files.join(", ")}`);
  delete process.env.INDUS_LONG_UNTIL; // in the form in which they failed
  const second = await play(folder, "second", [...files, "--maxWorkers=1"]);
  const stillFail = new Set(second.failures.map(({ what }) => what));
  const cameAndWent = first.failures.filter(({ what }) => !stillFail.has(what));
  for (const { what, why } of cameAndWent)
    process.stdout.write(`\npassed only when tried again: ${what}: ${why}`);
  return { ...second, passed: first.passed + Math.max(0, first.failed - second.failed) };
}

/** For what there was no time (tests/support/long-form.ts). */
function unplayedFiles() {
  const noted = process.env.INDUS_UNPLAYED;
  if (!existsSync(noted)) return [];
  const lines = readFileSync(noted, "utf8").trim().split("\n");
  return lines.map((file) => relative(root, file));
}

/**
 * At most two lines: how many rows are left to the long forms (tests/support/long-form.ts); and how many tests were skipped, what they
 * need, and how to get it (tests/support/needs.ts).
 */
function sayWhatWasSkipped(report, notes, unplayedOnes) {
  if (!existsSync(report)) return;
  const lines = existsSync(notes) ? readFileSync(notes, "utf8").trim().split("\n") : [];
  const noted = lines.map((line) => JSON.parse(line));
  const missing = noted.filter(({ need }) => need !== undefined);
  let rowsLeft = noted.reduce((sum, { left = 0 }) => sum + left, 0);
  const counts = new Map();
  for (const { name, assertionResults } of JSON.parse(readFileSync(report, "utf8")).testResults) {
    if (unplayedOnes.includes(relative(root, name))) continue; // named below
    const unplayed = assertionResults.filter(({ status }) => status !== "passed" && status !== "failed");
    const skipped = unplayed.filter(({ tags = [] }) => isAll || !tags.includes("long")).length;
    rowsLeft += unplayed.length - skipped;
    const own = missing.filter(({ file }) => name.endsWith(file));
    const why = [...new Set(own.map(({ need, remedy }) => `${need} (${remedy})`))].sort().join(" or ");
    if (skipped > 0) counts.set(why, (counts.get(why) ?? 0) + skipped);
  }
  if (rowsLeft > 0 && !isAll) process.stdout.write(`\nleft to npm run test:all: ${rowsLeft} rows\n`);
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  if (total === 0) return;
  const parts = [...counts].map(([why, count]) =>
    why === "" ? `${count} are for another system` : `${count} need ${why}`,
  );
  process.stdout.write(`\n${total} skipped: ${parts.join("; ")}\n`);
}

/** For one line each near the end, where a service that keeps only the tail of an output still shows it. */
function failuresIn(report) {
  if (!existsSync(report)) return [];
  return JSON.parse(readFileSync(report, "utf8")).testResults.flatMap(
    ({ name, status, message, assertionResults }) => {
      const file = relative(root, name);
      const failed = assertionResults.filter((test) => test.status === "failed");
      if (status === "failed" && failed.length === 0) return [{ file, what: file, why: reasonOf(message) }];
      return failed.map(({ fullName, failureMessages }) => ({
        ...{ file, what: `${file} > ${fullName}` },
        why: reasonOf(failureMessages[0]),
      }));
    },
  );
}

function reasonOf(message = "") {
  return stripVTControlCharacters(message.trimStart().split("\n", 1)[0].slice(0, 300));
}

/** A file that could not load, a crash and an error outside any test count as one failure each. */
function count(report, ended) {
  let result;
  try {
    result = JSON.parse(readFileSync(report, "utf8"));
  } catch (error) {
    const why = `vitest left no report (${ended.signal ?? `exit code ${ended.code}`}): ${error.message}`;
    say(why);
    return { passed: 0, failed: 1, why };
  }
  const unloaded = result.testResults.filter(
    (file) => file.status === "failed" && !file.assertionResults.some((test) => test.status === "failed"),
  ).length;
  const failed = result.numFailedTests + unloaded;
  const outside = failed === 0 && ended.code !== 0 && result.numPassedTests > 0 ? 1 : 0;
  return { passed: result.numPassedTests, failed: failed + outside };
}
