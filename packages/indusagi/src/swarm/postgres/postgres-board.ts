// The board of several machines: tables for the state, and a pg-boss queue for what is ready. Claiming a ticket fetches its job.
// Steps on one board run one after the other, each in a transaction.

import { checkedName } from "../board-limits.ts";
import type { Board, BoardEntry } from "../contract.ts";
import { BoardChanges } from "./board-changes.ts";
import { mailOf } from "./board-mail.ts";
import { stepsOf } from "./board-steps.ts";
import { ticketsOf } from "./board-tickets.ts";
import { type Connection, connect } from "./connection.ts";
import type { PostgresPlace } from "./place.ts";
import { SCHEMA } from "./schema.ts";
import { TicketQueue } from "./ticket-queue.ts";
import { TicketRows } from "./ticket-rows.ts";

/** Opens the board of this name in a database, creating it if missing. Rejects with a `BoardError`. */
export async function openPostgresBoard(place: PostgresPlace, name: string): Promise<Board> {
  checkedName("board", name);
  const connection = await connect(place);
  try {
    const board = await idOf(connection, name);
    const queue = new TicketQueue(connection.boss, board);
    await queue.create();
    return boardOf(connection, board, queue);
  } catch (error) {
    await connection.close();
    throw error;
  }
}

async function idOf({ read }: Connection, name: string): Promise<number> {
  await read(`INSERT INTO ${SCHEMA}.board (name) VALUES ($1) ON CONFLICT DO NOTHING`, [name]);
  const { rows } = await read(`SELECT id FROM ${SCHEMA}.board WHERE name = $1`, [name]);
  return Number(rows[0]?.id);
}

function boardOf(connection: Connection, board: number, queue: TicketQueue): Board {
  const { read } = connection;
  const step = stepsOf(connection, board);
  const changes = new BoardChanges(connection, board);
  return {
    ...ticketsOf(new TicketRows(board, read), queue, step),
    ...mailOf(board, step, read),
    async activity({ after = 0, max = Number.POSITIVE_INFINITY } = {}) {
      const { rows } = await read(
        `SELECT * FROM ${SCHEMA}.step WHERE board = $1 AND seq > $2 ORDER BY seq LIMIT $3`,
        [board, after, Number.isFinite(max) ? max : null],
      );
      return rows.map(
        ({ seq, at, by, acts }): BoardEntry => ({ seq: Number(seq), at: at.toISOString(), by, acts }),
      );
    },
    changed: (after, options) => changes.after(after, options),
    async close() {
      await changes.close();
      await connection.close();
    },
  };
}
