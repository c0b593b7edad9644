// The tables of boards in PostgreSQL, and their migrations. What people and models outside our control wrote is stored as
// `json`, which can hold any text, including NUL and lone surrogates; `text` holds only names and ids.

import type { Db } from "pg-boss";

/** The schema of these tables and of pg-boss's. */
export const SCHEMA = "indus_crew";
/** The channel on which changes of any board are announced. */
export const CHANNEL = "indus_crew";

/** Each runs once, in this order; a released one is never changed, new ones are appended. */
const MIGRATIONS: readonly string[] = [
  `CREATE TABLE ${SCHEMA}.board (
     id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     name text NOT NULL UNIQUE,
     seq bigint NOT NULL DEFAULT 0,
     tickets int NOT NULL DEFAULT 0);
   CREATE TABLE ${SCHEMA}.ticket (
     board int NOT NULL REFERENCES ${SCHEMA}.board ON DELETE CASCADE,
     id text NOT NULL,
     n int NOT NULL,
     title json NOT NULL,
     brief json NOT NULL,
     rank smallint NOT NULL,
     agent text,
     deps text[] NOT NULL,
     waits int NOT NULL,
     status text NOT NULL DEFAULT 'open',
     queued boolean NOT NULL DEFAULT false,
     assignee text,
     token bigint NOT NULL DEFAULT 0,
     attempt int NOT NULL DEFAULT 0,
     lease_until timestamptz,
     summary json,
     comments json NOT NULL DEFAULT '[]',
     posted_by text NOT NULL,
     posted_at timestamptz NOT NULL,
     PRIMARY KEY (board, id));
   CREATE UNIQUE INDEX ticket_order ON ${SCHEMA}.ticket (board, n);
   CREATE INDEX ticket_ready ON ${SCHEMA}.ticket (board, rank, n) WHERE status = 'open' AND waits = 0;
   CREATE INDEX ticket_claimed ON ${SCHEMA}.ticket (board, lease_until) WHERE status = 'claimed';
   CREATE INDEX ticket_deps ON ${SCHEMA}.ticket USING gin (deps) WITH (fastupdate = off);
   CREATE TABLE ${SCHEMA}.step (
     board int NOT NULL REFERENCES ${SCHEMA}.board ON DELETE CASCADE,
     seq bigint NOT NULL,
     at timestamptz NOT NULL,
     by text NOT NULL,
     acts json NOT NULL,
     PRIMARY KEY (board, seq));
   CREATE TABLE ${SCHEMA}.message (
     board int NOT NULL REFERENCES ${SCHEMA}.board ON DELETE CASCADE,
     seq bigint NOT NULL,
     sender text NOT NULL,
     recipient text NOT NULL,
     envelope json NOT NULL,
     PRIMARY KEY (board, seq));
   CREATE INDEX message_for ON ${SCHEMA}.message (board, recipient, seq);
   CREATE TABLE ${SCHEMA}.reader (
     board int NOT NULL REFERENCES ${SCHEMA}.board ON DELETE CASCADE,
     name text NOT NULL,
     is_member boolean NOT NULL DEFAULT false,
     up_to bigint NOT NULL,
     PRIMARY KEY (board, name))`,
  `ALTER TABLE ${SCHEMA}.ticket ADD COLUMN claimed_at timestamptz`,
  `ALTER TABLE ${SCHEMA}.ticket ADD COLUMN used json`,
];

/** Brings the tables up to date; only one process at a time does. Throws if they are newer than this program knows. */
export async function migrate(db: Db): Promise<void> {
  const { rows } = await db
    .executeSql(
      `CREATE SCHEMA IF NOT EXISTS ${SCHEMA};
     CREATE TABLE IF NOT EXISTS ${SCHEMA}.board_version (version int NOT NULL)`,
    )
    .then(() => db.executeSql(`SELECT max(version) AS version FROM ${SCHEMA}.board_version`));
  const version = Number(rows[0]?.version ?? 0);
  if (version > MIGRATIONS.length)
    throw new Error(
      `its tables have version ${version}, but this indus supports versions up to ${MIGRATIONS.length}: install a newer indus`,
    );
  for (const [at, statements] of MIGRATIONS.entries())
    if (at >= version)
      await db.executeSql(`${statements}; INSERT INTO ${SCHEMA}.board_version VALUES (${at + 1})`);
}
