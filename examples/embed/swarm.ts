// `indusagi/swarm`: a board of tickets in a folder, and a crew that works through them.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createCrew, createFileBoard, type MemberWork } from "indusagi/swarm";
import { withLock } from "induscode/session";

const folder = mkdtempSync(join(tmpdir(), "board-"));
// One process alone needs no lock; several need one that they share.
const board = createFileBoard({ folder, withLock });
await board.post("me", [
  { key: "bread", title: "Bake bread" },
  { title: "Make a sandwich", deps: ["bread"] },
]);

const work: MemberWork = async ({ name }, { title }) => ({ ok: true, summary: `${name}: ${title}` });
const crew = createCrew({ id: "kitchen", board, members: [{ name: "ada" }, { name: "bob" }], work });
const report = await crew.run(new AbortController().signal);
assert.deepEqual([report.completed, report.failed, report.rounds, report.left], [2, 0, 2, 0]);
rmSync(folder, { recursive: true, force: true });
process.stdout.write("swarm: ok\n");
