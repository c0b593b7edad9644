// A process's connection to the boards of a database: pg-boss with its queue, the board tables next to it, and one transaction
// per step. If a process is suspended in the middle of a step, the server cuts it off, and the step did not happen.

import type { ConstructorOptions, Db, PgBoss } from "pg-boss";
import { describeError, errorCode } from "../../core/faults.ts";
import { BoardError } from "../contract.ts";
import type { PostgresPlace } from "./place.ts";
import { CHANNEL, migrate, SCHEMA } from "./schema.ts";

type Transaction = Awaited<ReturnType<NonNullable<Db["beginTransaction"]>>>;
/** An active LISTEN, until it is closed. */
export type Listening = Awaited<ReturnType<NonNullable<Db["listen"]>>>;

export interface Connection {
  readonly boss: PgBoss;
  readonly read: Db["executeSql"];
  /** Runs `work` in a transaction; rolled back if `work` returns false for `keep`. */
  readonly transaction: <T>(
    work: (db: Db) => Promise<{ readonly keep: boolean; readonly value: T }>,
  ) => Promise<T>;
  /** Calls `onChange` for each change of a board, and whenever one may have been missed. */
  readonly listen: (onChange: (payload: string) => void) => Promise<Listening>;
  readonly close: () => Promise<void>;
}

/** One for the current step, one for reads; a third listens while somebody waits. */
const CONNECTIONS = 2;
/** How long a process can be silent in the middle of a step, and how long one waits for its turn, in milliseconds. */
const SILENCE_MS = 5_000;
const TURN_MS = 30_000;
/** How long one waits for an answer, which may come only after its turn, in milliseconds. */
export const ANSWER_MS = 40_000;

/** Rejects with a `BoardError` if the server cannot be reached. Loads the package `pg-boss`. */
export async function connect(place: PostgresPlace): Promise<Connection> {
  const where = `the database ${place.database} on ${place.host}`;
  const options: ConstructorOptions & { readonly query_timeout: number } = {
    host: place.host,
    port: place.port,
    database: place.database,
    user: place.user,
    // A function: without one the driver would look for a password in the environment and the home folder.
    password: () => place.password?.() ?? "",
    ssl: place.tls === undefined ? false : { ...place.tls, rejectUnauthorized: true, host: place.host },
    options: `-c idle_in_transaction_session_timeout=${SILENCE_MS} -c lock_timeout=${TURN_MS}`,
    application_name: "indus",
    connectionTimeoutMillis: TURN_MS,
    query_timeout: ANSWER_MS,
    max: CONNECTIONS,
    schema: SCHEMA,
    createSchema: true,
    supervise: false,
    schedule: false,
  };
  const { PgBoss } = await loadBoss();
  const boss = new PgBoss(options);
  // An idle connection that breaks is replaced when the next one is needed.
  boss.on("error", () => undefined);
  try {
    await boss.start();
    const db = boss.getDb();
    await alone(db, migrate);
    return connectionOf(boss, where);
  } catch (error) {
    await stop(boss).catch(() => undefined);
    throw unreachable(where, error);
  }
}

async function loadBoss(): Promise<typeof import("pg-boss")> {
  try {
    return await import("pg-boss");
  } catch (error) {
    throw new BoardError(
      "unreachable",
      `a board in PostgreSQL needs the package pg-boss, which is not installed: run npm install pg-boss@12.35.0 (${describeError(error)})`,
      { cause: error },
    );
  }
}

function connectionOf(boss: PgBoss, where: string): Connection {
  const db = boss.getDb();
  let last: Promise<unknown> = Promise.resolve();
  const attempts: Connection["transaction"] = async (work) => {
    for (let attempt = 1; ; attempt++) {
      let open: Transaction | undefined;
      let isEnding = false;
      try {
        open = await begin(db);
        const { keep, value } = await work(open.db);
        if (!keep) await open.rollback();
        isEnding = keep;
        if (keep) await open.commit();
        return value;
      } catch (error) {
        await open?.rollback();
        if (error instanceof BoardError) throw error;
        // If a commit got no answer, its outcome is unknown, so it is not retried.
        if (isEnding || attempt === ATTEMPTS || !isCutOff(error)) throw unreachable(where, error);
      }
    }
  };
  return {
    boss,
    read: async (text, values) => {
      try {
        return await db.executeSql(text, values);
      } catch (error) {
        throw unreachable(where, error);
      }
    },
    // One at a time: two transactions of one process would wait for each other's connections.
    transaction: (work) => {
      const mine = last.then(() => attempts(work));
      last = mine.catch(() => undefined);
      return mine;
    },
    async listen(onChange) {
      try {
        if (!db.listen) throw new Error("the driver does not support LISTEN");
        const listening = await db.listen(CHANNEL, onChange, () => onChange(""));
        return { close: () => forAWhile(listening.close()) };
      } catch (error) {
        throw unreachable(where, error);
      }
    },
    close: () => stop(boss),
  };
}

function stop(boss: PgBoss): Promise<void> {
  return forAWhile(boss.stop({ graceful: false, close: true }));
}

/** Waits for an end that a server may never confirm: what is still open then ends with the process. */
async function forAWhile(end: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, SILENCE_MS);
  });
  await Promise.race([end, over]).finally(() => clearTimeout(timer));
}

const ATTEMPTS = 3;

/** The server closed the connection, or there was none. */
function isCutOff(error: unknown): boolean {
  const code = errorCode(error) ?? "";
  return (
    /^(?:08|57P0|25P03|40)/.test(code) ||
    ["ECONNRESET", "EPIPE"].includes(code) ||
    /terminated/i.test(describeError(error))
  );
}

function unreachable(where: string, error: unknown): BoardError {
  if (error instanceof BoardError) return error;
  return new BoardError("unreachable", `${where} cannot be used as a board: ${reasonOf(error)}`, {
    cause: error,
  });
}

/** The driver's own words, where they say what happened. */
function reasonOf(error: unknown): string {
  const said = describeError(error);
  if (/Query read timeout|connection timeout|timeout exceeded/i.test(said)) return "it does not answer";
  if (said.includes("client password must be"))
    return "it asks for a password, and none was given: name the variable that holds it (secret=NAME in the address)";
  return said;
}

async function begin(db: Db): Promise<Transaction> {
  if (!db.beginTransaction) throw new Error("the driver does not support transactions");
  return db.beginTransaction();
}

/** Only one process at a time creates tables. */
async function alone(db: Db, work: (db: Db) => Promise<void>): Promise<void> {
  const open = await begin(db);
  try {
    await open.db.executeSql("SELECT pg_advisory_xact_lock(hashtext($1))", [SCHEMA]);
    await work(open.db);
    await open.commit();
  } catch (error) {
    await open.rollback();
    throw error;
  }
}
