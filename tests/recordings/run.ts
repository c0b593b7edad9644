// `npm run recordings [FOLDER]`: plays every recording of a folder and tells what is not as it should be.

import { resolve } from "node:path";
import { loadRecordings, OWN_RECORDINGS } from "./load.ts";
import { bodyOf, check, play, wireOf } from "./play.ts";

const folder = process.argv[2] ?? process.env.INDUS_RECORDINGS ?? OWN_RECORDINGS;
const recordings = loadRecordings(resolve(folder));
const byWire = new Map<string, { played: number; differing: number; uncompared: number }>();

for (const recording of recordings) {
  const count = byWire.get(recording.wire) ?? { played: 0, differing: 0, uncompared: 0 };
  byWire.set(recording.wire, count);
  const problems = await check(recording);
  count.played++;
  if (!recording.expected || recording.expected.skip) count.uncompared++;
  if (problems.length > 0) count.differing++;
  for (const problem of problems.slice(0, 8)) console.log(`${recording.id} (${recording.wire}): ${problem}`);
  if (recording.expected?.skip)
    console.log(`${recording.id} (${recording.wire}): not compared: ${recording.expected.skip}`);
  if (problems.length > 8) console.log(`${recording.id}: and ${problems.length - 8} more`);
  const wire = process.argv.includes("--show") ? await wireOf(recording) : undefined;
  if (wire && !recording.expected)
    console.log(
      recording.id,
      JSON.stringify(play(wire, recording, [Buffer.from(bodyOf(recording))]).outcome),
    );
}

for (const [wire, { played, differing, uncompared }] of [...byWire].sort())
  console.log(
    `${wire}: ${played} played, ${differing} with differences, ${uncompared} without an expectation to compare with`,
  );
const differing = [...byWire.values()].reduce((sum, count) => sum + count.differing, 0);
console.log(`${recordings.length} recordings of ${folder}, ${differing} with differences`);
if (differing > 0 || recordings.length === 0) process.exitCode = 1;
