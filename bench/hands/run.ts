// Tries each situation, or those whose name or group has one of the words, and prints the table. Ends with 1 if one is wrong.

import { missingFor, tryOut } from "./situation.ts";
import { SITUATIONS } from "./situations.ts";

const words = process.argv.slice(2);
const chosen = SITUATIONS.filter(
  ({ group, name }) => words.length === 0 || words.some((word) => `${group} ${name}`.includes(word)),
);
if (chosen.length === 0) throw new Error(`no situation has ${words.join(" or ")} in its name`);

let wrongRows = 0;
let missing = 0;
console.log("| | situation | bytes | seconds | |\n|---|---|---|---|---|");
for (const situation of chosen) {
  const { group, name } = situation;
  const program = missingFor(situation);
  if (program !== undefined) {
    missing++;
    console.log(`| ${group} | ${name} | | | not tried: ${program} is not installed |`);
    continue;
  }
  const { bytes, seconds, wrong } = await tryOut(situation);
  if (wrong.length > 0) wrongRows++;
  const verdict = wrong.length === 0 ? "right" : `WRONG: ${wrong.join("; ")}`;
  console.log(`| ${group} | ${name} | ${bytes} | ${seconds.toFixed(1)} | ${verdict} |`);
}
console.log(`\n${chosen.length - wrongRows - missing} right, ${wrongRows} wrong, ${missing} not tried.`);
console.log("Other agents are not compared: each has its own login, protocol and names of tools.");
process.exitCode = wrongRows > 0 ? 1 : 0;
