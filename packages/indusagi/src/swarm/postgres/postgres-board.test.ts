// The PostgreSQL board: the contract, and what can only happen with a server.

import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createConnection, createServer, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { lacksPostgres, type PostgresServer, startPostgres } from "../../../../../tests/support/postgres.ts";
import { type BoardPlace, boardConformance } from "../board-conformance-cases.ts";
import { MAX_LAPSES } from "../board-limits.ts";
import { ANSWER_MS, connect } from "./connection.ts";
import type { PostgresPlace } from "./place.ts";
import { openPostgresBoard } from "./postgres-board.ts";
import { SCHEMA } from "./schema.ts";

describe.skipIf(lacksPostgres())("PostgreSQL", () => {
  let server: PostgresServer;
  let boards = 0;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server?.stop());

  const placeOf = (): PostgresPlace => ({
    host: server.socket,
    port: server.port,
    database: server.database,
    user: server.user,
  });

  function place(): BoardPlace {
    const name = `board ${++boards}`;
    return {
      async open() {
        const board = await openPostgresBoard(placeOf(), name);
        onTestFinished(() => board.close());
        return board;
      },
      step(ms) {
        const now = Date.now();
        vi.useFakeTimers({ toFake: ["Date"], now: now + ms });
        onTestFinished(() => void vi.useRealTimers());
      },
      async wait(ms) {
        const { read, close } = await connect(placeOf());
        await read(
          `UPDATE ${SCHEMA}.ticket SET lease_until = lease_until - $2 * interval '1 ms'
           WHERE board = (SELECT id FROM ${SCHEMA}.board WHERE name = $1)`,
          [name, ms],
        );
        await close();
      },
    };
  }

  boardConformance("the board in PostgreSQL", place);

  test("a disk that is full is said, the step did not happen, and the board goes on once there is room", async () => {
    const board = await place().open();
    const [ticket] = await board.post("ada", [{ title: "t" }]);
    const claim = await board.claim("m", { leaseMs: 60_000 });
    const { read, close } = await connect(placeOf());
    onTestFinished(close);
    // The server's error when a table cannot grow.
    await read(`CREATE FUNCTION ${SCHEMA}.no_space() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'No space left on device' USING ERRCODE = 'disk_full'; END $$`);
    await read(
      `CREATE TRIGGER no_space BEFORE INSERT ON ${SCHEMA}.step EXECUTE FUNCTION ${SCHEMA}.no_space()`,
    );
    const done = (): Promise<unknown> =>
      board.finish({ id: claim?.ticket.id ?? "", token: claim?.token ?? 0 }, "done", "ok");
    try {
      await expect(done()).rejects.toMatchObject({
        kind: "unreachable",
        message: expect.stringContaining("No space left on device"),
      });
      expect(await board.get(ticket?.id ?? "")).toMatchObject({ status: "claimed" });
    } finally {
      await read(`DROP FUNCTION ${SCHEMA}.no_space() CASCADE`);
    }
    await done();
    expect((await board.activity()).map(({ seq }) => seq)).toEqual([1, 2, 3]);
  });

  test("a server that no longer answers is said, and nobody waits for it at the end", async () => {
    const folder = mkdtempSync("/tmp/indus-quiet-"); // a socket's path must be short
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const pairs: Socket[] = [];
    const between = createServer((near) => {
      const far = createConnection(`${server.socket}/.s.PGSQL.${server.port}`);
      near.pipe(far).pipe(near);
      pairs.push(near, far);
    });
    await once(between.listen(`${folder}/.s.PGSQL.${server.port}`), "listening");
    onTestFinished(() => {
      for (const each of pairs) each.destroy();
      between.close();
    });
    const board = await openPostgresBoard({ ...placeOf(), host: folder }, "quiet");
    for (const each of pairs) each.unpipe().pause();

    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const said = { kind: "unreachable", message: expect.stringContaining("it does not answer") };
    const refused = [board.list(), board.enrol("m")].map((each) => expect(each).rejects.toMatchObject(said));
    await vi.advanceTimersByTimeAsync(2 * ANSWER_MS);
    await Promise.all(refused);
    const closed = board.close();
    await vi.advanceTimersByTimeAsync(ANSWER_MS);
    await closed;
  });

  test("tables of the first version are brought up to date, with what is on them", async () => {
    const { open } = place();
    const board = await open();
    await board.post("ada", [{ title: "t" }]);
    const claim = await board.claim("m", { leaseMs: 60_000 });
    const { read, close } = await connect(placeOf());
    await read(`ALTER TABLE ${SCHEMA}.ticket DROP COLUMN claimed_at, DROP COLUMN used`);
    await read(`DELETE FROM ${SCHEMA}.board_version WHERE version > 1`);
    await close();
    const later = await open();
    expect(await later.list()).toMatchObject([{ title: "t", status: "claimed", assignee: "m" }]);
    const used = { turns: 1, tokens: 2, dollars: 3, durationMs: 4 };
    const key = { id: claim?.ticket.id ?? "", token: claim?.token ?? 0 };
    expect(await later.finish(key, "done", "Made.", used)).toMatchObject({ status: "done", used });
  });

  test("what is ready is taken by a step that began before the one that made it ready, and waited for it", async () => {
    const board = await place().open();
    const [ticket] = await board.post("ada", [{ title: "t" }]);
    const { read, close } = await connect(placeOf());
    await read(`UPDATE ${SCHEMA}.job SET start_after = now() + interval '1 min'`);
    await close();
    expect((await board.claim("m", { leaseMs: 60_000 }))?.ticket.id).toBe(ticket?.id);
  });

  test("a ticket whose claim expired without a report ten times is a dead letter, and one whose ended nine times is not (the twin)", async () => {
    const { open, wait } = place();
    const name = `board ${boards}`;
    const board = await open();
    const [ticket] = await board.post("ada", [{ title: "t" }]);
    const { read, close } = await connect(placeOf());
    onTestFinished(close);
    const deadLetters = async (): Promise<readonly unknown[]> => {
      const { rows } = await read(
        `SELECT job.state FROM ${SCHEMA}.job, ${SCHEMA}.board
         WHERE board.name = $1 AND job.name = 'board_' || board.id || '_dead'`,
        [name],
      );
      return rows;
    };
    for (let claims = 1; claims <= MAX_LAPSES; claims++) {
      expect((await board.claim(`m${claims}`, { leaseMs: 60_000 }))?.ticket.id).toBe(ticket?.id);
      expect(await deadLetters()).toEqual([]);
      await wait(60_001);
    }
    expect(await board.claim("late", { leaseMs: 60_000 })).toBeUndefined();
    expect(await deadLetters()).toEqual([{ state: "created" }]);
    expect(await board.get(ticket?.id ?? "")).toMatchObject({ status: "failed" });
  });

  describe("tables of another version", () => {
    /** A separate database, as left by a program that knew this many migrations. */
    async function leftBy(version: number): Promise<PostgresPlace> {
      const own = { ...placeOf(), database: `left_by_${version}` };
      const first = await connect(placeOf());
      await first.read(`CREATE DATABASE ${own.database}`);
      await first.close();
      const there = await connect(own);
      if (version === 0) {
        await there.read(
          `DROP TABLE ${["board", "ticket", "step", "message", "reader"].map((table) => `${SCHEMA}.${table}`).join(", ")} CASCADE`,
        );
        await there.read(`DELETE FROM ${SCHEMA}.board_version`);
      } else await there.read(`INSERT INTO ${SCHEMA}.board_version VALUES ($1)`, [version]);
      await there.close();
      return own;
    }

    test("that are older are brought up to date once, and hold a board", async () => {
      const own = await leftBy(0);
      for (const seq of [1, 2]) {
        const board = await openPostgresBoard(own, "b");
        await board.post("ada", [{ title: "t" }]);
        expect(await board.activity()).toHaveLength(seq);
        await board.close();
      }
      const { read, close } = await connect(own);
      onTestFinished(close);
      const { rows } = await read(`SELECT version FROM ${SCHEMA}.board_version ORDER BY version`);
      expect(rows).toEqual([{ version: 1 }, { version: 2 }, { version: 3 }]);
    });

    test("that are newer are refused with what to do, and stay as they are", async () => {
      const own = await leftBy(99);
      await expect(openPostgresBoard(own, "b")).rejects.toMatchObject({
        kind: "unreachable",
        message: expect.stringContaining(
          "its tables have version 99, but this indus supports versions up to 3: install a newer indus",
        ),
      });
    });
  });
});
