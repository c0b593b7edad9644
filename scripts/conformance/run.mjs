// What conformance.mjs runs on the project's own Node. Exit code 0: all passed; 1: a check failed; 2: nothing to test.

import { LoaderError } from "../../packages/induscode/src/addons/contract.ts";
import { runConformance } from "./conformance.ts";
import { readProgram } from "./read-program.ts";
import { resultLines, summaryLine } from "./report-lines.ts";

const USAGE = `usage: npm run conformance -- FOLDER            a folder with a manifest.toml that has [run] command
       npm run conformance -- -- COMMAND ARGS   any program
Before these, --times N (1 to 100) gives the program N times as long for everything, as on a busy machine.
`;

const [flag, times, ...others] = process.argv.slice(2);
const isTimed = flag === "--times" && /^([1-9]\d?|100)$/.test(times ?? "");
const args = isTimed ? others : process.argv.slice(2);
const program = await programOf(args);
if (program !== undefined) {
  process.stdout.write(`testing ${program.argv.join(" ")}\n`);
  const report = await runConformance(program, {
    times: isTimed ? Number(times) : 1,
    onResult: (result) => process.stdout.write(resultLines(result)),
  });
  process.stdout.write(summaryLine(report));
  process.exitCode = report.failed === 0 ? 0 : 1;
}

async function programOf([first, ...rest]) {
  if (first === "--" && rest.length > 0) return { argv: rest, cwd: process.cwd() };
  if (first === undefined || first.startsWith("-") || rest.length > 0) return refuse(USAGE);
  try {
    return await readProgram(first);
  } catch (error) {
    if (!(error instanceof LoaderError)) throw error;
    return refuse(`${error.message}\n`);
  }
}

function refuse(text) {
  process.stderr.write(text);
  process.exitCode = 2;
}
