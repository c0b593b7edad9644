// Several processes work from one board while others kill and stop them: no ticket is lost, and none is done twice.

import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runContest } from "../support/board-contest.ts";
import { isLong, LONG_ONLY } from "../support/long-form.ts";
import { lacksPostgres, startPostgres } from "../support/postgres.ts";

const SIZE = isLong
  ? { tickets: 1_000, workers: 8, kills: 40, stops: 20, leaseMs: 3_000 }
  : { tickets: 30, workers: 2, kills: 2, stops: 2, leaseMs: 3_000 };

it("each ticket is done exactly once, whoever is killed or stopped meanwhile, on files", {
  timeout: 300_000,
}, async () => {
  const where = { folder: mkdtempSync(join(tmpdir(), "indus-board-")) };
  expect((await runContest({ where, ...SIZE })).problems).toEqual([]);
});

it.skipIf(lacksPostgres())(
  "each ticket is done exactly once, whoever is killed or stopped meanwhile, in PostgreSQL",
  { ...LONG_ONLY, timeout: 300_000 },
  async () => {
    const server = await startPostgres();
    try {
      const where = { place: { ...server, host: server.socket }, name: "contest" };
      expect((await runContest({ where, ...SIZE })).problems).toEqual([]);
    } finally {
      await server.stop();
    }
  },
);
