// The steps of one board in PostgreSQL: one after the other, each in a transaction, and announced to whoever waits for it.

import type { Db } from "pg-boss";
import type { Activity } from "../contract.ts";
import type { Connection } from "./connection.ts";
import { CHANNEL, SCHEMA } from "./schema.ts";

/** A step in progress. */
export interface Tx {
  readonly db: Db;
  readonly sql: Db["executeSql"];
  readonly seq: number;
  /** The server's clock: the machines' own clocks can differ. */
  readonly at: Date;
}

export interface Done<T> {
  readonly acts: readonly Activity[];
  readonly value: T;
}

/** Performs a step for somebody. One without activities changes nothing. */
export type Step = <T>(by: string, decide: (tx: Tx) => Promise<Done<T>>) => Promise<T>;

/** Activities that can let a waiting process continue: not every step wakes everybody. */
const WAKES: ReadonlySet<Activity["kind"]> = new Set([
  "ticket_posted",
  "ticket_done",
  "ticket_failed",
  "ticket_opened",
  "ticket_released",
  "ticket_assigned",
  "message_sent",
]);

export function stepsOf({ transaction }: Pick<Connection, "transaction">, board: number): Step {
  return (by, decide) =>
    transaction(async (db) => {
      const sql: Db["executeSql"] = (text, values) => db.executeSql(text, values);
      const { rows } = await sql(
        `UPDATE ${SCHEMA}.board SET seq = seq + 1 WHERE id = $1 RETURNING seq, clock_timestamp() AS at`,
        [board],
      );
      const [seq, at] = [Number(rows[0]?.seq), rows[0]?.at as Date];
      const { acts, value } = await decide({ db, sql, seq, at });
      if (acts.length === 0) return { keep: false, value };
      await sql(
        `WITH kept AS (INSERT INTO ${SCHEMA}.step VALUES ($1, $2, $3, $4, $5))
         SELECT pg_notify($6, $7) WHERE $8`,
        [
          board,
          seq,
          at,
          by,
          JSON.stringify(acts),
          CHANNEL,
          `${board}:${seq}`,
          acts.some(({ kind }) => WAKES.has(kind)),
        ],
      );
      return { keep: true, value };
    });
}
