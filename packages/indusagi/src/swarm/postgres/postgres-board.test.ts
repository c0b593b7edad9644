// The board in PostgreSQL: the contract, and what only a server can do to it.

import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { lacksPostgres, type PostgresServer, startPostgres } from "../../../../../tests/support/postgres.ts";
import { type BoardPlace, boardConformance } from "../board-conformance-cases.ts";
import { connect } from "./connection.ts";
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

  test("what is ready is taken by a step that began before the one that made it ready, and waited for it", async () => {
    const board = await place().open();
    const [ticket] = await board.post("ada", [{ title: "t" }]);
    const { read, close } = await connect(placeOf());
    await read(`UPDATE ${SCHEMA}.job SET start_after = now() + interval '1 min'`);
    await close();
    expect((await board.claim("m", { leaseMs: 60_000 }))?.ticket.id).toBe(ticket?.id);
  });
});
